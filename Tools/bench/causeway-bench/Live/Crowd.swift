import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewaySQLiteStorage
import CausewayStorage
import Dispatch
import Synchronization

/// A live collection on the main actor for each channel of a store, each with an observer.
@MainActor final class Crowd {
    nonisolated static let rows = 200

    private let filled: FilledStore
    private let engine: LiveQueryEngine
    private var collections: [LiveCollection<Message>] = []
    private var tokens: [NotificationToken] = []
    /// The number of calls of each observer.
    private(set) var calls: [Int]

    /// Returns when every collection shows its window.
    init(_ filled: FilledStore) async throws {
        self.filled = filled
        engine = LiveQueryEngine(store: filled.store, runtime: SystemRuntime())
        calls = Array(repeating: 0, count: filled.channels.count)
        collections = filled.channels.indices.map { engine.collection(filled.newest(in: $0, pageSize: Self.rows)) }
        tokens = collections.indices.map { index in
            collections[index].observe { [weak self] _, _ in self?.calls[index] += 1 }
        }
        await engine.isUpToDate()
        await turnIsOver()
        try check { $0.count == Self.rows }
    }

    func forgetCalls() { calls = Array(repeating: 0, count: calls.count) }

    /// Returns when the observers have been notified of everything committed before the call.
    func isUpToDate() async {
        await engine.isUpToDate()
        await turnIsOver()
    }

    /// Returns when the changes that the router had handed over have been reported: turns run one after the other, and
    /// a collection that is opened now is notified in a later one.
    private func turnIsOver() async {
        let last = engine.collection(MessagesQuery(.undelivered))
        var token: NotificationToken?
        await withCheckedContinuation { isTold in token = last.observeOnce { _, _ in isTold.resume() } }
        token?.invalidate()
    }

    private func check(_ isRight: (LiveCollection<Message>) throws -> Bool) throws {
        let wrong = try collections.count { try !isRight($0) }
        guard wrong == 0 else { throw BenchError("\(wrong) of \(collections.count) collections show something else") }
    }

    /// Checks that every collection shows the store's content.
    func checkTruth() async throws {
        var wrong = 0
        for (index, collection) in collections.enumerated() {
            let page = try await filled.store.page(
                MessageQuery(scope: .channel(filled.channels[index]), direction: .descending, limit: Self.rows))
            if page.messages != Array(collection.snapshots) { wrong += 1 }
        }
        guard wrong == 0 else { throw BenchError("\(wrong) readers have missed the final state") }
    }

    /// Blocks the main actor for a while, and then until `work`, which runs beside it, has ended.
    ///
    /// - Parameter work: is told when it should end; everything it committed has been handed over to the collections on
    ///   return.
    func block(
        for time: Duration, _ work: @escaping @Sendable (_ isOver: @Sendable () -> Bool) async throws -> Void
    ) throws {
        let end = ContinuousClock.now + time
        let hasEnded = DispatchSemaphore(value: 0)
        let failure = Failing()
        Task.detached { [engine] in
            do { try await work { ContinuousClock.now >= end } } catch { failure.error.withLock { $0 = error } }
            await engine.isUpToDate()
            hasEnded.signal()
        }
        hasEnded.wait()
        if let error = failure.error.withLock({ $0 }) { throw error }
    }

    func close() {
        for token in tokens { token.invalidate() }
        for collection in collections { collection.dispose() }
    }
}

/// The error that ended work beside the main actor.
private final class Failing: Sendable {
    let error = Mutex<(any Error)?>(nil)
}

extension LiveQueryEngine {
    /// Returns when everything committed before the call has been handed over: requests are processed in order, so when
    /// another window is open, all others have come as far.
    nonisolated fileprivate func isUpToDate() async {
        let last = open(MessagesQuery(.undelivered), isObject: false, remote: nil)
        await last.broadcaster.waitForNews(last.broadcaster.addReader())
    }
}
