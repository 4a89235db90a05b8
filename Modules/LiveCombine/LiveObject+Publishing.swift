public import CausewayLive

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

extension LiveObject {
    /// What changes from now on, for each subscriber at its own pace; as those of a collection of at most one record.
    /// See ``LiveChangePublisher``.
    public nonisolated var changePublisher: LiveChangePublisher<Record> { LiveChangePublisher(changes) }

    /// The record, `nil` while there is none; first as it is and then whenever it differs. Who is slow gets the last
    /// state.
    public nonisolated var snapshotPublisher: some Publisher<Record?, Never> {
        changePublisher.map(\.snapshot.first).removeDuplicates()
    }
}
