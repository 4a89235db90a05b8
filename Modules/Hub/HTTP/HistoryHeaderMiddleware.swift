internal import HTTPTypes
internal import Hummingbird

/// Names the hub's history in every response to an account, whether its request succeeds, is refused or fails.
///
/// Inside of the authentication: a request without a valid token learns nothing of the data.
struct HistoryHeaderMiddleware: RouterMiddleware {
    let history: HubHistory

    @concurrent
    func handle(
        _ request: Request, context: HubRequestContext,
        next: @concurrent (Request, HubRequestContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            response = try ErrorMiddleware.response(to: error, request, context)
        }
        // As of the response: a request may have been answered after another commit.
        if !HubFaults.isForeign(response) { response.headers[JSONResponse.historyField] = history.text }
        return response
    }
}
