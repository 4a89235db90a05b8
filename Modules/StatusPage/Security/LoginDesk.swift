import Causeway
import CausewayHTTPServer
import Synchronization

/// Judges the tokens that people give, and makes those who guess wait.
///
/// While a peer must wait, the right token is not looked at either: a token that a person chose may be guessed.
final class LoginDesk: Sendable {
    enum Verdict: Sendable, Equatable {
        case right, wrong
        case wait(seconds: Int64)
    }

    private let token: PageToken?
    private let limiter = Mutex(
        AttemptLimiter(
            burst: StatusPageLimits.failedLoginsMax, refill: .seconds(StatusPageLimits.failedLoginSeconds),
            peersMax: StatusPageLimits.peersTrackedMax))

    init(_ token: PageToken?) { self.token = token }

    func judge(_ text: String, from peer: String, at now: MonotonicTime) -> Verdict {
        limiter.withLock { limiter in
            if let seconds = limiter.wait(of: peer, at: now) { return .wait(seconds: seconds) }
            if let token, token.matches(text) { return .right }
            _ = limiter.recordFailure(of: peer, at: now)
            return .wrong
        }
    }
}
