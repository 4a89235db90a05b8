internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird

/// Detects that a client knows more than the hub still has.
struct HistoryGate: RouterMiddleware {
    let history: HubHistory

    @concurrent
    func handle(
        _ request: Request, context: HubRequestContext,
        next: @concurrent (Request, HubRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let texts = request.headers[values: JSONResponse.historyField]
        context.history = texts.count > 1 ? .foreign : HistoryClaim(texts.first)
        context.knowsHistory = try await history.knowsPresent(context.history)
        return try await next(request, context)
    }
}
