import CausewayControlAPI
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// The outermost middleware: sets the security headers of every response, and renders every error as a page or as JSON.
struct SecurityHeadersMiddleware: RouterMiddleware {
    let renderer: PageRenderer
    let logger: Logger

    /// Nothing from other sites, only the page's own scripts and styles, and no framing.
    static let contentPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    private static let fields: [(String, String)] = [
        ("Content-Security-Policy", contentPolicy),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        // Not `no-referrer`: forms would then send `Origin: null`.
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
        ("X-Robots-Tag", "noindex"),
    ]

    @concurrent
    func handle(
        _ request: Request, context: PageContext,
        next: @concurrent (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        var response = try await respond(request, context, next)
        Self.protect(&response.headers)
        // No body follows the header of a response to HEAD (RFC 9110 §9.3.2).
        return request.method == .head ? response.createHeadResponse() : response
    }

    static func protect(_ headers: inout HTTPFields) {
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }

    private func respond(
        _ request: Request, _ context: PageContext,
        _ next: @concurrent (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let refusal as PageError {
            return refused(refusal, request)
        } catch let error as ControlError {
            logger.log(
                level: Self.level(of: error.code), "\(error.detail)", metadata: ["code": "\(error.code.rawValue)"])
            return refused(PageError(error), request)
        } catch let error as HTTPParserError {
            // The connection itself is beyond repair: the server closes it.
            throw error
        } catch let error as ChannelError {
            throw error
        } catch is CancellationError {
            return refused(.stopping, request)
        } catch let error as any HTTPResponseError where error.status == .notFound {
            return refused(.notFound, request)
        } catch {
            logger.error("request failed", metadata: ["error": "\(error)"])
            return refused(
                PageError(
                    .internalServerError, title: "Internal error",
                    text: "The page's log has the details."), request)
        }
    }

    /// Errors that any client can cause are not warnings; ``DaemonWatch`` logs an absent daemon, once.
    private static func level(of code: ControlError.Code) -> Logger.Level {
        switch code {
        case .notFound, .badRequest, .daemonUnreachable, .busy, .stopping: .debug
        default: .warning
        }
    }

    private func refused(_ refusal: PageError, _ request: Request) -> Response {
        let address = PageAddress(request.uri.path)
        let route = PageRoute.find(address.path)
        logger.debug(
            "refused",
            metadata: [
                "status": "\(refusal.status.code)", "method": "\(request.method)",
                "route": "\(route.map { "\($0)" } ?? "none")",
            ])
        var response: Response
        if route?.isJSON ?? address.path.hasPrefix("/api/") {
            response = Self.json(refusal)
        } else if refusal.status == .unauthorized, route != .events, route != .actions {
            // A user is redirected to the form; the missing credential is a cookie, so no authentication scheme is
            // named.
            response = Response(status: .seeOther, headers: [.location: "/login"])
        } else {
            var values: [String: Any] = ["text": refusal.text]
            if let advice = refusal.advice { values["advice"] = advice }
            let frame = PageLayout(
                title: refusal.title, root: address.root, hasMenu: refusal.status != .misdirectedRequest,
                // A submitted form is not repeated automatically.
                isLive: refusal.isPassing && request.method != .post,
                isPassing: refusal.isPassing && request.method != .post)
            response = renderer.page(.problem, values, in: frame, status: refusal.status)
        }
        response.headers.append(contentsOf: refusal.headers)
        return response
    }

    /// The control socket's error code for a refusal by the page itself.
    private static func code(of status: HTTPResponse.Status) -> ControlError.Code {
        switch status {
        case .notFound: .notFound
        case .unauthorized, .forbidden, .misdirectedRequest: .forbidden
        case .contentTooLarge: .tooLarge
        case .serviceUnavailable: .busy
        case .internalServerError: .internalError
        default: .badRequest
        }
    }

    private static func json(_ refusal: PageError) -> Response {
        let problem = ErrorResponse(ControlError(refusal.code ?? code(of: refusal.status), refusal.text))
        return (try? PageJSON.response(problem, status: refusal.status)) ?? Response(status: refusal.status)
    }
}
