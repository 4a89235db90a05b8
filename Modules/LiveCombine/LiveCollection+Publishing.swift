public import CausewayLiveQuery

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

extension LiveCollection {
    /// Publishes the changes from now on, for each subscriber at its own pace. See ``LiveChangePublisher``.
    public nonisolated var changePublisher: LiveChangePublisher<Record> { LiveChangePublisher(changes) }

    /// Publishes the changes from now on, on threads of an executor, without the main actor.
    public nonisolated func changePublisher(on executor: any TaskExecutor) -> LiveChangePublisher<Record> {
        LiveChangePublisher(changes, on: executor)
    }

    /// Publishes the records of the window, first the current ones and then every changed state. Slow subscribers
    /// receive only the latest state.
    public nonisolated var snapshotPublisher: some Publisher<LiveSnapshot<Record>, Never> { changePublisher.snapshots }

    /// Publishes the records of the window like ``snapshotPublisher``, on threads of an executor.
    public nonisolated func snapshotPublisher(
        on executor: any TaskExecutor
    ) -> some Publisher<LiveSnapshot<Record>, Never> {
        changePublisher(on: executor).snapshots
    }
}

extension LiveChangePublisher {
    fileprivate var snapshots: some Publisher<LiveSnapshot<Record>, Never> {
        // A change always alters the records; only for lists that remain empty more than the first value passes the
        // filter.
        filter { !$0.isDataUnchanged || $0.oldSnapshot.isEmpty }.map(\.snapshot)
            .removeDuplicates { $0.isEmpty && $1.isEmpty }
    }
}
