internal import CausewayHTTPServer
internal import CausewayHubStorage
internal import CausewayModels
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Synchronization

/// Admits requests that carry an account's token, and identifies the account.
///
/// A valid token always passes, even from an address that guesses: others may share the address. Only the number of 401
/// responses to wrong tokens is bounded before the peer must wait; at 256 bits guessing is hopeless. A request without
/// a token guesses nothing: its response is always 401, and only its lines in the log are bounded.
final class AuthenticationMiddleware: RouterMiddleware {
    private static let scheme = "Bearer "
    private static let tokenBytesMax = 4096

    private let storage: any HubStorage
    private let wrongTokens: Mutex<AttemptLimiter>
    private let loggedRequests: Mutex<AttemptLimiter>

    /// - Parameter refill: how long it takes a peer to earn one more failed attempt.
    init(_ storage: any HubStorage, refill: Duration) {
        self.storage = storage
        let limiter = AttemptLimiter(
            burst: HubLimits.failedAttemptsMax, refill: refill, peersMax: HubLimits.peersTrackedMax)
        wrongTokens = Mutex(limiter)
        loggedRequests = Mutex(limiter)
    }

    @concurrent
    func handle(
        _ request: Request, context: HubRequestContext,
        next: @concurrent (Request, HubRequestContext) async throws -> Response
    ) async throws -> Response {
        // Only the digest of a token is stored and compared. On a socket it is that of the request that opened it.
        let digest = context.tokenDigest ?? Self.token(in: request.headers).map(AccountToken.digest)
        guard let digest, let account = try await storage.account(tokenDigest: digest) else {
            // Guessing on a socket would be guessing of its own token.
            if context.exchange != nil { throw HubHTTPError.tokenRefused }
            throw digest == nil ? refuseWithoutToken(context) : refuseWrongToken(context)
        }
        var context = context
        context.account = account
        context.tokenDigest = digest
        return try await next(request, context)
    }

    private func refuseWithoutToken(_ context: HubRequestContext) -> HubHTTPError {
        let peer = PeerAddress.text(of: context.channel)
        let isLogged = loggedRequests.withLock { $0.recordFailure(of: peer, at: SystemClock.monotonic()) } == nil
        if isLogged { log("missing", peer, context) }
        return .tokenRefused
    }

    private func refuseWrongToken(_ context: HubRequestContext) -> HubHTTPError {
        let peer = PeerAddress.text(of: context.channel)
        let wait = wrongTokens.withLock { $0.recordFailure(of: peer, at: SystemClock.monotonic()) }
        // An attempt that must wait is not logged: guessing must not fill the log.
        if let wait { return .tooManyAttempts(seconds: wait) }
        log("unknown", peer, context)
        return .tokenRefused
    }

    private func log(_ reason: String, _ peer: String, _ context: HubRequestContext) {
        context.logger.notice("token refused", metadata: ["peer": "\(peer)", "reason": "\(reason)"])
    }

    private static func token(in headers: HTTPFields) -> String? {
        let values = headers[values: .authorization]
        guard values.count == 1, let value = values.first,
            value.prefix(scheme.count).lowercased() == scheme.lowercased()
        else { return nil }
        let token = value.dropFirst(scheme.count)
        guard (1...tokenBytesMax).contains(token.utf8.count) else { return nil }
        return String(token)
    }
}
