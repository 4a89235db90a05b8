package import CausewayControl
package import Logging
import ServiceLifecycle
import Synchronization

/// Follows the daemon's events over one connection, and tells every browser that listens.
///
/// | the daemon | is told | looked for again |
/// | --- | --- | --- |
/// | tells of a change, or that it is alive | `up`, each time | |
/// | does not answer, or is silent for long | `down`, once and then now and then | soon |
/// | has too many that watch it | `busy`, the same | later |
///
/// Now and then is every ``StatusPageLimits/eventSilenceSecondsMax`` seconds. That it went away and that it came back
/// stand in the log, each once. A listener has one slot: who reads slowly misses what was between, never the last.
package final class DaemonWatch: Service {
    package enum News: Sendable, Hashable {
        /// Something changed, or a while has passed.
        case up(version: Int64)
        /// It does not answer.
        case down
        /// It answers, and takes no more that watch: what changes is not told.
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

    /// - Returns: after how many milliseconds to try again.
    private func listen() async -> Int {
        var problem = ControlError(.daemonUnreachable, "the daemon tells no more")
        do {
            for try await activity in daemon.watch() { tell(.up(version: activity.version), "it answers") }
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

    /// The news from now on, beginning with the last; `nil` when too many listen already.
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
        case .up: logger.notice("the daemon answers")
        case .down: logger.warning("the daemon does not answer", metadata: ["detail": "\(detail)"])
        case .busy: logger.warning("the daemon takes no more that watch it", metadata: ["detail": "\(detail)"])
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

    /// Whether both say the same of the daemon, apart from what it told.
    fileprivate func isLike(_ other: DaemonWatch.News) -> Bool { isUp && other.isUp || self == other }
}
