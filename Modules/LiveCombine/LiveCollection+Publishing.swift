public import CausewayLive

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

extension LiveCollection {
    /// What changes from now on, for each subscriber at its own pace. See ``LiveChangePublisher``.
    public nonisolated var changePublisher: LiveChangePublisher<Record> { LiveChangePublisher(changes) }

    /// The records of the window, first as they are and then whenever they differ. Who is slow gets the last state.
    public nonisolated var snapshotPublisher: some Publisher<LiveSnapshot<Record>, Never> {
        // What differs differs: only of lists that stay empty more than the first comes through the filter.
        changePublisher.filter { !$0.isDataUnchanged || $0.oldSnapshot.isEmpty }.map(\.snapshot)
            .removeDuplicates { $0.isEmpty && $1.isEmpty }
    }
}
