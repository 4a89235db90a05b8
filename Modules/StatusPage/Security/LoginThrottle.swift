import CausewayHTTPServer
package import CausewayModels
import Synchronization

/// Checks the tokens of login attempts.
///
/// The right token is always accepted when its turn comes: an attacker guessing from the same address must not lock out
/// the owner. Guessing is limited by the rate at which tokens are checked at all, and by the length of the token.
final class LoginThrottle: Sendable {
    enum Verdict: Sendable, Equatable {
        case right, wrong
        /// Wrong, after too many wrong tokens of the same peer.
        case wrongAgain(seconds: Int64)
        /// Not checked: too many tokens await their turn.
        case busy
    }

    private let token: AccessTokenDigest?
    private let pace = Mutex(
        LoginPace(
            interval: .milliseconds(StatusPageLimits.loginIntervalMilliseconds),
            waitingMax: StatusPageLimits.loginsWaitingMax,
            waitingPerPeerMax: StatusPageLimits.loginsWaitingPerPeerMax))
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
        guard let wait = pace.withLock({ $0.turn(of: peer, at: SystemClock.monotonic()) }) else { return .busy }
        defer { pace.withLock { $0.end(of: peer) } }
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
/// The server does not notice a client that goes while its token waits: without a bound, whoever sends tokens faster
/// than they are checked would keep everyone waiting, long after the end of that. A value that reads no clock.
package struct LoginPace: Sendable {
    private let interval: Duration
    private let waitingMax: Int
    private let waitingPerPeerMax: Int
    private var nextAt = MonotonicTime.zero
    /// The number of turns of each peer that were reserved and have not ended; no entry for zero.
    private var waiting: [String: Int] = [:]
    private var waitingCount = 0

    /// - Parameters:
    ///   - interval: the time between two checks.
    ///   - waitingMax: the number of turns that are reserved at a time.
    ///   - waitingPerPeerMax: those of one peer, so that it cannot reserve all of them.
    package init(interval: Duration, waitingMax: Int, waitingPerPeerMax: Int) {
        self.interval = interval
        self.waitingMax = waitingMax
        self.waitingPerPeerMax = waitingPerPeerMax
    }

    /// Reserves the next turn, until ``end(of:)``.
    ///
    /// - Returns: how long to wait for it; `nil` when too many turns are reserved.
    package mutating func turn(of peer: String, at now: MonotonicTime) -> Duration? {
        let ownCount = waiting[peer] ?? 0
        guard waitingCount < waitingMax, ownCount < waitingPerPeerMax else { return nil }
        waiting[peer] = ownCount + 1
        waitingCount += 1
        let turn = max(nextAt, now)
        nextAt = turn + interval
        return turn - now
    }

    /// Notes that a reserved turn of the peer is over.
    package mutating func end(of peer: String) {
        guard let ownCount = waiting[peer] else { return }
        waiting[peer] = ownCount > 1 ? ownCount - 1 : nil
        waitingCount -= 1
    }
}
