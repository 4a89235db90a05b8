import HTTPTypes
import Hummingbird

/// Refuses what looks like a browser: the socket is for programs of its owner, and a page that was led here, through
/// whatever forwards a port to it, must not act in the owner's name.
///
/// A request passes only when it names the host `causeway` and has no field that browsers write by themselves.
struct BrowserRefusal<Context: RequestContext>: RouterMiddleware {
    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let problem = Self.problem(with: request.head) {
            throw ControlError(.forbidden, problem)
        }
        return try await next(request, context)
    }

    /// Says why the request is refused; `nil` when it is not.
    static func problem(with head: HTTPRequest) -> String? {
        guard head.authority == ControlHost.name else {
            return "the control socket answers only to the host `\(ControlHost.name)`"
        }
        for field in head.headerFields {
            let name = field.name.canonicalName
            if ["origin", "referer", "cookie"].contains(name) || name.hasPrefix("sec-") {
                return "the control socket does not answer browsers (\(field.name.rawName))"
            }
        }
        return nil
    }
}
