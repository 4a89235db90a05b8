import CausewayHTTPServer
package import CausewayModels
import Synchronization

/// Checks the tokens of login attempts.
///
/// The right token is always accepted: an attacker guessing from the same address must not lock out the owner. Guessing
/// is limited by the rate at which tokens are checked at all, and by the length of the token.
final class LoginThrottle: Sendable {
    enum Verdict: Sendable, Equatable {
        case right, wrong
        /// Wrong, after too many wrong tokens of the same peer.
        case wrongAgain(seconds: Int64)
    }

    private let token: AccessTokenDigest?
    private let pace = Mutex(LoginPace(interval: .milliseconds(StatusPageLimits.loginIntervalMilliseconds)))
    private let limiter = Mutex(
        AttemptLimiter(
            burst: StatusPageLimits.failedLoginsMax, refill: .seconds(StatusPageLimits.failedLoginSeconds),
            peersMax: StatusPageLimits.peersTrackedMax))

    init(_ token: AccessTokenDigest?) { self.token = token }

    /// Checks a token when its turn comes.
    ///
    /// - Parameter now: the time that counts for the limit on wrong tokens.
    ///
    /// Throws `CancellationError` when the caller has gone.
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

/// Spaces out the checks of tokens: one after the other, for all peers together.
///
/// A value that reads no clock.
package struct LoginPace: Sendable {
    private let interval: Duration
    private var nextAt = MonotonicTime.zero

    package init(interval: Duration) { self.interval = interval }

    /// Reserves the next turn.
    ///
    /// - Returns: how long to wait for it.
    package mutating func turn(at now: MonotonicTime) -> Duration {
        let turn = max(nextAt, now)
        nextAt = turn + interval
        return turn - now
    }
}
