import Hummingbird
import NIOCore

/// The context of a request.
struct PageContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection of the request.
    let channel: any Channel
    /// Set by the middlewares, in their order.
    var origin: WebOrigin?
    var session: PageSession?
    /// The prefix of every path of this session; empty without a login.
    var root = ""

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Throws 401 when no middleware has set a session, so that a forgotten one fails closed.
    func requireSession() throws -> PageSession {
        guard let session else { throw PageError.needsLogin }
        return session
    }
}
