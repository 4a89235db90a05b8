internal import CausewayHTTPServer
internal import Hummingbird
internal import Logging
internal import NIOCore

/// What is known of a request beside itself.
struct HubRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection it came over.
    let channel: any Channel
    /// Whose token it carries; set by `TokenGate`.
    var account: Account?
    /// The history that it names, and whether that is the present one; set by `HistoryGate`.
    var history = HistoryClaim.none
    var knowsHistory = true

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// For the log: who did something, and from where.
    func who(_ more: Logger.Metadata) throws -> Logger.Metadata {
        let own: Logger.Metadata = [
            "account": "\(try requireAccount().user)", "peer": "\(PeerAddress.text(of: channel))",
        ]
        return own.merging(more) { first, _ in first }
    }

    /// Whom bytes and requests are counted for.
    ///
    /// - Throws: 401 as `requireAccount()`.
    func requireOwner() throws -> ByteShares.Owner {
        ByteShares.Owner(account: try requireAccount().number, peer: PeerAddress.text(of: channel))
    }

    /// - Throws: 401 on a path that forgot its gate: closed, not open.
    func requireAccount() throws -> Account {
        guard let account else { throw HubRefusal.tokenRefused }
        return account
    }
}
