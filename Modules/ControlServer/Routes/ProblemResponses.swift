import CausewayControlAPI
import HTTPTypes
import Hummingbird
import Logging

/// Turns every thrown error into a JSON response.
struct ProblemResponses<Context: RequestContext>: RouterMiddleware {
    let logger: Logger

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as ControlError {
            log(error, request)
            return try respond(error, status: HTTPResponse.Status(code: error.code.httpStatus))
        } catch let error as any HTTPResponseError {
            let isUnknownPath = error.status == .notFound || error.status == .methodNotAllowed
            let problem = ControlError(
                isUnknownPath ? .notFound : .badRequest,
                isUnknownPath ? "unknown path, or a method that it does not support" : "invalid request")
            return try respond(problem, status: error.status)
        } catch is CancellationError {
            return try respond(ControlError(.stopping, "the daemon is stopping"), status: .serviceUnavailable)
        }
    }

    private func log(_ error: ControlError, _ request: Request) {
        switch error.code {
        case .internalError: logger.error("internal error", metadata: ["detail": "\(error.detail)"])
        case .forbidden:
            logger.notice(
                "request refused", metadata: ["path": "\(request.uri.path.prefix(128))", "detail": "\(error.detail)"])
        default:
            logger.debug(
                "request failed",
                metadata: ["path": "\(request.uri.path.prefix(128))", "reason": "\(error.code.rawValue)"])
        }
    }

    private func respond(_ error: ControlError, status: HTTPResponse.Status) throws(ControlError) -> Response {
        var response = try Response(json: ErrorResponse(error), status: status)
        // The unread rest of a refused request's body is not worth reading.
        if error.code == .tooLarge || error.code == .forbidden { response.headers[.connection] = "close" }
        return response
    }
}

extension Response {
    init(json value: some Encodable, status: HTTPResponse.Status) throws(ControlError) {
        let body = ByteBuffer(bytes: try ControlJSON.encode(value))
        self.init(
            status: status,
            headers: [.contentType: "application/json", .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body))
    }
}
