internal import CausewayHubStorage
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// The outermost middleware: every response has the protocol's header, every error is a `WireError`.
struct ErrorMiddleware: RouterMiddleware {
    let faults: HubFaults?

    @concurrent
    func handle(
        _ request: Request, context: HubRequestContext,
        next: @concurrent (Request, HubRequestContext) async throws -> Response
    ) async throws -> Response {
        let response = try await respond(request, context, next)
        // No body follows the header of a response to HEAD (RFC 9110 §9.3.2), not even an error's.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func respond(
        _ request: Request, _ context: HubRequestContext,
        _ next: @concurrent (Request, HubRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            if let response = try await faults?.inject(.everything, context.channel) { return response }
            var response = try await next(request, context)
            if response.headers[JSONResponse.protocolField] == nil, !HubFaults.isForeign(response) {
                response.headers[JSONResponse.protocolField] = WireProtocol.version
            }
            return response
        } catch {
            return try Self.response(to: error, request, context)
        }
    }

    /// Returns the response to an error, which is logged if it is one of the hub.
    ///
    /// - Throws: errors of the connection itself, which no response can follow.
    static func response(
        to error: any Error, _ request: Request, _ context: HubRequestContext
    ) throws -> Response {
        switch error {
        case let refusal as HubHTTPError:
            if refusal.status.kind == .serverError {
                context.logger.warning(
                    "refused",
                    metadata: context.origin([
                        "status": "\(refusal.status.code)", "code": "\(refusal.body.code)",
                    ]))
            }
            return refusal.response
        case let error as HubStorageError:
            // A storage that is being reopened was logged when it failed.
            switch error {
            case .recovering: break
            // The connection has ended, or the hub stops.
            case .cancelled: context.logger.notice("request cut off")
            default: context.logger.error("store failed", metadata: context.origin(["error": "\(error)"]))
            }
            return HubHTTPError(error).response
        case is CancellationError:
            // The hub stops, or the connection has ended: a response is rarely read.
            context.logger.notice("request cut off")
            return HubHTTPError(
                .internalServerError, code: "internal", detail: "the request was cut off; send it again"
            ).response
        case is HTTPParserError:
            // The connection itself is beyond repair: Hummingbird closes it.
            throw error
        case is ChannelError:
            // It is closed already; a response would not be read.
            throw error
        case let error as HTTPError where error.status == .notFound:
            return HubRoute.refusal(method: request.method, path: request.uri.path).response
        default:
            context.logger.error("request failed", metadata: context.origin(["error": "\(error)"]))
            return HubHTTPError(
                .internalServerError, code: "internal",
                detail: "the hub failed on this request; its log has the details"
            ).response
        }
    }
}
