internal import CausewayHTTPServer
internal import CausewayHubStorage
internal import Hummingbird
internal import Logging
internal import NIOCore

/// The context of a request.
struct HubRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection of the request.
    let channel: any Channel
    /// The account of the token; set by `AuthenticationMiddleware`.
    var account: HubAccount?
    /// The SHA-256 of the token, to check later whether it is still valid.
    var tokenDigest: [UInt8]?
    /// The history that the request names, and whether it is the present one; set by `HistoryGate`.
    var history = HistoryClaim.none
    var knowsHistory = true
    /// Whether the client takes responses in the coding `gzip`.
    var acceptsGzip = false
    /// The request's exchange on the socket that it arrived on; `nil` for a request of its own.
    private(set) var exchange: SocketExchange?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = DetachableChannel.connection(of: source.channel)
    }

    /// The context of a request that arrived on the socket which another request opened, with that one's token.
    init(of exchange: SocketExchange, on opening: HubRequestContext) {
        coreContext = CoreRequestContextStorage(source: opening)
        channel = opening.channel
        tokenDigest = opening.tokenDigest
        self.exchange = exchange
    }

    /// Keeps an object alive until the client has read the response, or the connection has ended.
    func hold(_ object: any AnyObject & Sendable) {
        // A socket's response is kept until it has left.
        if exchange == nil { channel.triggerUserOutboundEvent(ResponseHold(object), promise: nil) }
    }

    /// Runs an action when the client does not need the response any more, before it has ended.
    func onDeparture(_ action: @escaping @Sendable () -> Void) {
        if let exchange {
            exchange.onEnd(action)
        } else {
            channel.triggerUserOutboundEvent(InputCloseWatch(action), promise: nil)
        }
    }

    /// Waits until the client can take the next part of a stream.
    ///
    /// - Returns: false when it does not need it any more.
    func isReadyForPart() async -> Bool { await exchange?.isReadyForPart() ?? true }

    /// The moment at which everything that was written of the response has left; `nil` if it is now.
    ///
    /// - Parameter lease: counts nothing from then on.
    func drain(releasing lease: ByteLease) -> ResponseDrain? {
        guard exchange == nil else {
            // A part on a socket has left when its write returns.
            lease.correct(to: 0)
            return nil
        }
        return ResponseDrain.begin(on: channel) { lease.correct(to: 0) }
    }

    /// Whether the token of the request is still that of its account.
    func isAuthorized(_ storage: any HubStorage) async throws(HubStorageError) -> Bool {
        guard let tokenDigest else { return false }
        return try await storage.account(tokenDigest: tokenDigest)?.number == account?.number
    }

    /// Log metadata: the account and the address of the request.
    func who(_ more: Logger.Metadata) throws -> Logger.Metadata {
        _ = try requireAccount()
        return origin(more)
    }

    /// Log metadata: the address of the request, and its account if the token is known to be valid.
    func origin(_ more: Logger.Metadata) -> Logger.Metadata {
        var metadata = more
        metadata["peer"] = "\(PeerAddress.text(of: channel))"
        if let account { metadata["account"] = "\(account.user)" }
        return metadata
    }

    /// Returns the account and the address that bytes and requests are counted for.
    ///
    /// - Throws: 401 as `requireAccount()`.
    func requireOwner() throws -> ByteShares.Owner {
        ByteShares.Owner(account: try requireAccount().number, peer: PeerAddress.text(of: channel))
    }

    /// - Throws: 401 on a route without its middleware, so that a forgotten one fails closed.
    func requireAccount() throws -> HubAccount {
        guard let account else { throw HubHTTPError.tokenRefused }
        return account
    }
}
