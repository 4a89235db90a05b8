import CausewayLiveQuery
import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage

/// One live collection on the main actor, and the time that a commit takes to reach its observer.
@MainActor final class LiveArm {
    private let filled: FilledStore
    private let collection: LiveCollection<Message>
    private var token: NotificationToken?
    private var change: LiveCollectionChange<Message>?
    private var arrival = ContinuousClock.now
    private var waiter: CheckedContinuation<Void, Never>?

    /// Opens a window of the `rows` newest messages of the first channel, or of all when there are fewer.
    init(_ filled: FilledStore, _ engine: LiveQueryEngine, rows: Int) async {
        self.filled = filled
        collection = engine.collection(filled.newest(in: 0, pageSize: min(rows, LiveLimits.pageSizeMax)))
        token = collection.observe { [weak self] _, change in self?.receive(change) }
        while collection.isLoading { await called() }
        while collection.count < min(rows, filled.messagesPerChannel) {
            _ = try? await collection.nextPage()
        }
    }

    private func receive(_ change: LiveCollectionChange<Message>) {
        self.change = change
        arrival = .now
        waiter.take()?.resume()
    }

    private func called() async { await withCheckedContinuation { waiter = $0 } }

    var count: Int { collection.count }

    /// Commits, and waits until the observer has received the indices.
    ///
    /// - Returns: seconds from the commit to the callback.
    func deliver(_ mutation: Mutation) async throws -> (seconds: Double, change: LiveCollectionChange<Message>) {
        change = nil
        try await filled.store.commit([mutation])
        while true {
            if let change, !change.isDataUnchanged { return ((arrival - filled.clock.instant).seconds, change) }
            await called()
        }
    }

    func close() {
        token?.invalidate()
        collection.dispose()
    }
}
