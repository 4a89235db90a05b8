public import CausewayModels
import CausewayRuntime
import CausewayStorage
import CausewaySync
import Synchronization

/// The status of a client as an asynchronous sequence: first the current one, then every different one, at most ten a
/// second. See ``CausewayClient/liveStatus()``.
///
/// Each iterator is independent; a slow one receives only the latest status. Ends when the client is closed or the task
/// is cancelled.
public struct StatusChanges: AsyncSequence, Sendable {
    public typealias Element = SyncStatus
    public typealias Failure = Never

    static let interval: Duration = .milliseconds(100)
    /// The pause after a status that could not be read.
    static let retryInterval: Duration = .seconds(1)

    let engine: SyncEngine
    let store: any Store
    let runtime: any Runtime

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator for use by one task at a time.
    public final class Iterator: AsyncIteratorProtocol {
        private let source: StatusChanges
        private let signal = StatusSignal()
        private let commits: StoreSubscription
        private let inputs: StatusObservation
        private var last: SyncStatus?
        /// The earliest time of the next status.
        private var nextAt: MonotonicTime?

        init(_ source: StatusChanges) {
            self.source = source
            commits = source.store.subscribe { [signal] _ in signal.set() }
            inputs = source.engine.statusObservers.add { [signal] isLast in isLast ? signal.end() : signal.set() }
        }

        public func next() async -> SyncStatus? {
            while await signal.wait() {
                if let nextAt {
                    await source.runtime.sleep(until: nextAt)
                    if Task.isCancelled { return nil }
                }
                nextAt = source.runtime.now + StatusChanges.interval
                let status: SyncStatus
                do throws(SyncError) {
                    status = try await source.engine.status()
                } catch .closed {
                    return nil
                } catch {
                    // The store is in trouble: the next status that can be read reports it.
                    nextAt = source.runtime.now + StatusChanges.retryInterval
                    signal.set()
                    continue
                }
                if status != last {
                    last = status
                    return status
                }
            }
            return nil
        }

        public func next(isolation actor: isolated (any Actor)?) async -> SyncStatus? { await next() }
    }
}
