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
/// responses to wrong tokens is bounded before the peer must wait; at 256 bits guessing is hopeless.
final class AuthenticationMiddleware: RouterMiddleware {
    private static let scheme = "Bearer "
    private static let tokenBytesMax = 4096

    private let storage: any HubStorage
    private let limiter: Mutex<AttemptLimiter>

    /// - Parameter refill: how long it takes a peer to earn one more failed attempt.
    init(_ storage: any HubStorage, refill: Duration) {
        self.storage = storage
        limiter = Mutex(
            AttemptLimiter(burst: HubLimits.failedAttemptsMax, refill: refill, peersMax: HubLimits.peersTrackedMax))
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
            let peer = PeerAddress.text(of: context.channel)
            let wait = limiter.withLock { $0.recordFailure(of: peer, at: SystemClock.monotonic()) }
            if wait == nil {
                // An attempt that must wait is not logged: guessing must not fill the log.
                let hasToken = request.headers[.authorization] != nil
                context.logger.notice(
                    "token refused", metadata: ["peer": "\(peer)", "reason": "\(hasToken ? "unknown" : "missing")"])
            }
            throw wait.map(HubHTTPError.tooManyAttempts) ?? HubHTTPError.tokenRefused
        }
        var context = context
        context.account = account
        context.tokenDigest = digest
        return try await next(request, context)
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
