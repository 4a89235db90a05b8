import CausewayModels
import HTTPTypes
import Hummingbird

/// Admits requests to the routes: the right host, a path and method that exist, no hostile origin, logged in.
struct RequestGuardMiddleware: RouterMiddleware {
    /// Set once the port is known.
    let sites: @Sendable () -> AllowedHosts?
    let sessions: SessionStore
    let clock: @Sendable () -> MonotonicTime

    @concurrent
    func handle(
        _ request: Request, context: PageContext,
        next: @concurrent (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        // The field `Host` has become the authority; one that is left over is a second one.
        guard request.headers[values: CrossSiteRequestRules.host].isEmpty else {
            throw PageError.badRequest("The request names two hosts.")
        }
        guard let origin = sites()?.origin(host: request.head.authority) else {
            throw PageError(
                .misdirectedRequest, title: "Unknown host", text: "This page is not available under that name.",
                advice: "Add names with --origin.")
        }
        context.origin = origin
        let address = PageAddress(request.uri.path)
        // Only paths that need a login may have a session's key.
        guard let route = PageRoute.find(address.path),
            address.key == nil || sessions.needsLogin && !route.isPublic
        else {
            throw PageError.notFound
        }
        context.root = address.root
        guard route.methods.contains(request.method) else {
            throw PageError(
                .methodNotAllowed, title: "Method not allowed",
                text: "This address accepts only \(Self.names(route.methods)).",
                headers: [.allow: Self.names(route.methods)])
        }
        if request.method == .post {
            if let refusal = CrossSiteRequestRules.problemOfChanging(request.headers, origin: origin) { throw refusal }
        } else if let problem = CrossSiteRequestRules.problemOfReading(request.headers) {
            throw PageError(.forbidden, title: "Refused", text: problem)
        }
        let cookie = PageCookie.value(in: request.headers, origin: origin)
        context.session = sessions.session(
            cookie: cookie, key: address.key, at: clock(), isUse: CrossSiteRequestRules.isByPerson(request))
        if context.session == nil, !route.isPublic { throw PageError.needsLogin }
        return try await next(request, context)
    }

    private static func names(_ methods: [HTTPRequest.Method]) -> String {
        methods.map(\.rawValue).joined(separator: ", ")
    }
}
