internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird

/// Notices when a client was told of more than the hub still has, and says in every answer which history it is.
struct HistoryGate: RouterMiddleware {
    let store: HubStore

    @concurrent
    func handle(
        _ request: Request, context: HubRequestContext,
        next: @concurrent (Request, HubRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let texts = request.headers[values: HubAnswer.historyField]
        context.history = texts.count > 1 ? .foreign : HistoryClaim(texts.first)
        context.knowsHistory = try await store.knowsPresent(context.history)
        do {
            var response = try await next(request, context)
            response.headers[HubAnswer.historyField] = store.history.text
            return response
        } catch var refusal as HubRefusal {
            refusal.headers[HubAnswer.historyField] = store.history.text
            throw refusal
        }
    }
}
