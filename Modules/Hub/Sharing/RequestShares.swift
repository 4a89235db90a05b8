internal import Hummingbird
internal import Synchronization

/// Requests in progress, bounded for each account and each address.
final class RequestShares: RouterMiddleware {
    private struct State {
        var ofAccounts: [Int64: Int] = [:]
        var ofPeers: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// - Throws: 503 `busy` if the account or the address has too many already.
    @concurrent
    func handle(
        _ request: Request, context: HubRequestContext,
        next: @concurrent (Request, HubRequestContext) async throws -> Response
    ) async throws -> Response {
        let owner = try context.requireOwner()
        let isAdmitted = state.withLock { state in
            let ofAccount = (state.ofAccounts[owner.account] ?? 0) + 1
            let ofPeer = (state.ofPeers[owner.peer] ?? 0) + 1
            guard ofAccount <= HubLimits.requestsPerAccountMax, ofPeer <= HubLimits.requestsPerPeerMax else {
                return false
            }
            state.ofAccounts[owner.account] = ofAccount
            state.ofPeers[owner.peer] = ofPeer
            return true
        }
        guard isAdmitted else { throw HubHTTPError.busy }
        defer {
            state.withLock { state in
                let ofAccount = (state.ofAccounts[owner.account] ?? 0) - 1
                state.ofAccounts[owner.account] = ofAccount > 0 ? ofAccount : nil
                let ofPeer = (state.ofPeers[owner.peer] ?? 0) - 1
                state.ofPeers[owner.peer] = ofPeer > 0 ? ofPeer : nil
            }
        }
        return try await next(request, context)
    }
}
