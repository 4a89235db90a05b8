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

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Log metadata: the account and the address of the request.
    func who(_ more: Logger.Metadata) throws -> Logger.Metadata {
        let own: Logger.Metadata = [
            "account": "\(try requireAccount().user)", "peer": "\(PeerAddress.text(of: channel))",
        ]
        return own.merging(more) { first, _ in first }
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
