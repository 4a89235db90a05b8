internal import Hummingbird
internal import NIOCore

/// What is known of a request beside itself.
struct HubRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection it came over.
    let channel: any Channel
    /// Whose token it carries; set by `TokenGate`.
    var account: Account?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// - Throws: 401 on a path that forgot its gate: closed, not open.
    func requireAccount() throws -> Account {
        guard let account else { throw HubRefusal.tokenRefused }
        return account
    }
}
