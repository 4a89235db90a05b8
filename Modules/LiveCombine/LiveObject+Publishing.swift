public import CausewayLiveQuery

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

extension LiveObject {
    /// Publishes the changes from now on, for each subscriber at its own pace; like those of a collection of at most
    /// one record. See ``LiveChangePublisher``.
    public nonisolated var changePublisher: LiveChangePublisher<Record> { LiveChangePublisher(changes) }

    /// Publishes the changes from now on, on threads of an executor, without the main actor.
    public nonisolated func changePublisher(on executor: any TaskExecutor) -> LiveChangePublisher<Record> {
        LiveChangePublisher(changes, on: executor)
    }

    /// Publishes the record, `nil` while there is none; first the current one and then every changed state. Slow
    /// subscribers receive only the latest state.
    public nonisolated var snapshotPublisher: some Publisher<Record?, Never> {
        changePublisher.map(\.snapshot.first).removeDuplicates()
    }

    /// Publishes the record like ``snapshotPublisher``, on threads of an executor.
    public nonisolated func snapshotPublisher(on executor: any TaskExecutor) -> some Publisher<Record?, Never> {
        changePublisher(on: executor).map(\.snapshot.first).removeDuplicates()
    }
}
