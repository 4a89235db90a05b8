import CausewayControl
import ServiceLifecycle
import Synchronization

/// Follows the daemon's events over one connection, and tells every browser that listens.
///
/// A listener has one slot: who reads slowly misses what was between, never the last.
final class DaemonWatch: Service {
    enum News: Sendable, Hashable {
        /// Something changed, or a while has passed.
        case up(version: Int64)
        case down
    }

    private struct State {
        var last: News?
        var listeners: [Int: AsyncStream<News>.Continuation] = [:]
        var next = 0
        var isOver = false
    }

    private let daemon: any ControlService
    private let state = Mutex(State())

    init(_ daemon: any ControlService) { self.daemon = daemon }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    for try await activity in self.daemon.watch() { self.tell(.up(version: activity.version)) }
                } catch {
                    // What is wrong stands on the page: each request asks by itself.
                }
                self.tell(.down)
                try await Task.sleep(for: .milliseconds(StatusPageLimits.lookAgainMilliseconds))
            }
        }
        end()
    }

    /// The news from now on, beginning with the last; `nil` when too many listen already.
    func news() -> AsyncStream<News>? {
        let (stream, continuation) = AsyncStream.makeStream(of: News.self, bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            guard !state.isOver, state.listeners.count < StatusPageLimits.listenersMax else { return nil }
            state.next += 1
            state.listeners[state.next] = continuation
            if let last = state.last { continuation.yield(last) }
            return state.next
        }
        guard let number else { return nil }
        continuation.onTermination = { [weak self] _ in self?.forget(number) }
        return stream
    }

    private func forget(_ number: Int) { _ = state.withLock { $0.listeners.removeValue(forKey: number) } }

    private func tell(_ news: News) {
        state.withLock { state in
            state.last = news
            for listener in state.listeners.values { listener.yield(news) }
        }
    }

    private func end() {
        let listeners = state.withLock { state in
            state.isOver = true
            return state.listeners.values.map { $0 }
        }
        for listener in listeners { listener.finish() }
    }
}
