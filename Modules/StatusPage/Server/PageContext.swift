import Hummingbird
import NIOCore

/// What is known of a request beside itself.
struct PageContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection it came over.
    let channel: any Channel
    /// Set by the gates, in their order.
    var origin: SiteOrigin?
    var session: PageSession?
    /// The prefix of every path of this session; empty without a login.
    var root = ""

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Throws 401 behind a gate that was forgotten: closed, not open.
    func requireSession() throws -> PageSession {
        guard let session else { throw PageRefusal.needsLogin }
        return session
    }
}
