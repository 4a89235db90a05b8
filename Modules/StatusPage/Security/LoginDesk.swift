import Causeway
import CausewayHTTPServer
import Synchronization

/// Judges the tokens that people give.
///
/// The right one is let in whenever it comes: one that guesses from the same address must not keep its owner out. What
/// guessing is up against is the pace at which tokens are judged at all, and the length of the token.
final class LoginDesk: Sendable {
    enum Verdict: Sendable, Equatable {
        case right, wrong
        /// Wrong, as too many of this peer before it.
        case wrongAgain(seconds: Int64)
    }

    private let token: PageToken?
    private let pace = Mutex(LoginPace(interval: .milliseconds(StatusPageLimits.loginIntervalMilliseconds)))
    private let limiter = Mutex(
        AttemptLimiter(
            burst: StatusPageLimits.failedLoginsMax, refill: .seconds(StatusPageLimits.failedLoginSeconds),
            peersMax: StatusPageLimits.peersTrackedMax))

    init(_ token: PageToken?) { self.token = token }

    /// Waits for its turn.
    ///
    /// - Parameter now: what wrong tokens are timed by.
    ///
    /// Throws `CancellationError` when whoever asks is gone.
    func judge(_ text: String, from peer: String, at now: MonotonicTime) async throws -> Verdict {
        let wait = pace.withLock { $0.turn(at: SystemClock.monotonic()) }
        if wait > .zero { try await Task.sleep(for: wait) }
        if let token, token.matches(text) { return .right }
        return limiter.withLock { limiter in
            if let seconds = limiter.wait(of: peer, at: now) { return .wrongAgain(seconds: seconds) }
            _ = limiter.recordFailure(of: peer, at: now)
            return .wrong
        }
    }
}
