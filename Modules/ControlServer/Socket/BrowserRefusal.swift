import CausewayControlAPI
import HTTPTypes
import Hummingbird

/// Refuses requests that look like a browser's: the socket is for programs of its owner, and a web page that reaches it
/// through a forwarded port must not act in the owner's name.
///
/// A request passes only when it names the host `causeway` and has none of the fields that browsers add by themselves.
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

    /// The reason why the request is refused; `nil` when it is not.
    static func problem(with head: HTTPRequest) -> String? {
        guard head.authority == ControlHost.name else {
            return "the control socket accepts only the host `\(ControlHost.name)`"
        }
        for field in head.headerFields {
            let name = field.name.canonicalName
            if ["origin", "referer", "cookie"].contains(name) || name.hasPrefix("sec-") {
                return "the control socket refuses requests from browsers (\(field.name.rawName))"
            }
        }
        return nil
    }
}
