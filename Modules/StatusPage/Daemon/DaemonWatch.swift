package import CausewayControlAPI
package import Logging
import ServiceLifecycle
import Synchronization

/// Follows the daemon's events over one connection, and notifies every browser that listens.
///
/// | the daemon | news | next attempt |
/// | --- | --- | --- |
/// | reports a change, or that it is alive | `up`, each time | |
/// | does not respond, or is silent for long | `down`, once and then periodically | soon |
/// | has too many watchers | `busy`, once and then periodically | later |
///
/// Periodic news are sent every ``StatusPageLimits/eventSilenceSecondsMax`` seconds. The loss of the daemon and its
/// return are logged once each. A listener has a buffer of one: a slow reader misses intermediate news, never the last.
package final class DaemonWatch: Service {
    package enum News: Sendable, Hashable {
        /// The daemon reported a change or a keep-alive.
        case up(version: Int64)
        /// The daemon does not respond.
        case down
        /// The daemon responds but accepts no more watchers: its changes are not reported.
        case busy
    }

    private struct State {
        var last: News?
        var toldAt = ContinuousClock.now
        var listeners: [Int: AsyncStream<News>.Continuation] = [:]
        var next = 0
        var isOver = false
    }

    private let daemon: any ControlService
    private let logger: Logger
    private let state = Mutex(State())

    package init(_ daemon: any ControlService, logger: Logger) {
        self.daemon = daemon
        self.logger = logger
    }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let pause = await self.listen()
                try await Task.sleep(for: .milliseconds(pause))
            }
        }
        end()
    }

    /// - Returns: the milliseconds until the next attempt.
    private func listen() async -> Int {
        var problem = ControlError(.daemonUnreachable, "the event stream ended")
        do {
            for try await activity in daemon.watch() { tell(.up(version: activity.version), "connected") }
        } catch let error as ControlError {
            problem = error
        } catch {
            problem = ControlError(.daemonUnreachable, "\(error)")
        }
        guard !Task.isCancelled else { return 0 }
        let isBusy = problem.code == .busy
        tell(isBusy ? .busy : .down, problem.detail)
        return isBusy ? StatusPageLimits.lookAgainBusyMilliseconds : StatusPageLimits.lookAgainMilliseconds
    }

    /// Returns the news from now on, starting with the last; `nil` when there are too many listeners.
    package func news() -> AsyncStream<News>? {
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

    private func tell(_ news: News, _ detail: String) {
        let isTurn = state.withLock { state in
            let isTurn = state.last.map { !$0.isLike(news) } ?? true
            let silence = state.toldAt.duration(to: .now)
            guard isTurn || news.isUp || silence >= .seconds(StatusPageLimits.eventSilenceSecondsMax) else {
                return false
            }
            state.last = news
            state.toldAt = .now
            for listener in state.listeners.values { listener.yield(news) }
            return isTurn
        }
        guard isTurn else { return }
        switch news {
        case .up: logger.notice("daemon connected")
        case .down: logger.warning("daemon unreachable", metadata: ["detail": "\(detail)"])
        case .busy: logger.warning("daemon busy", metadata: ["detail": "\(detail)"])
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

extension DaemonWatch.News {
    fileprivate var isUp: Bool {
        if case .up = self { return true }
        return false
    }

    /// True when both describe the same state of the daemon, whatever the version.
    fileprivate func isLike(_ other: DaemonWatch.News) -> Bool { isUp && other.isUp || self == other }
}
