package import Causeway
import Synchronization

/// A server in memory that accepts everything in order, or behaves as configured.
package final class ScriptedServer: Transport {
    package enum Mode: Sendable {
        case working
        case unreachable
        /// Refuses each message for good.
        case refusing(code: String, detail: String)
        case refusingToken
        /// Responds to each delivery that it may be retried later.
        case busy
    }

    struct State: Sendable {
        var mode = Mode.working
        var order: [MessageID] = []
        var texts: [String] = []
        var deleted: [MessageID] = []
        var marks: [LaneID: Int64] = [:]
        /// The tokens that clients presented.
        var tokens: [AccessToken] = []
    }

    package init() {}

    package let capabilities = TransportCapabilities(ordering: .sequenced, batchBytesMax: 1 << 20)
    private let state = Mutex(State())

    /// Serves every address that begins with `test:`.
    package var registry: TransportRegistry {
        var registry = TransportRegistry()
        registry.register("test") { [self] _, token throws(TransportError) in
            state.withLock { $0.tokens.append(token) }
            return self
        }
        return registry
    }

    /// The texts that were accepted, in their order.
    package var texts: [String] { state.withLock { $0.texts } }
    package var order: [MessageID] { state.withLock { $0.order } }
    package var tokens: [AccessToken] { state.withLock { $0.tokens } }

    package func set(_ mode: Mode) { state.withLock { $0.mode = mode } }

    private func check() throws(TransportError) {
        switch state.withLock({ $0.mode }) {
        case .working, .refusing, .busy: break
        case .unreachable: throw .unreachable(detail: "nobody listens there")
        case .refusingToken: throw .actionRequired(ActionRequired(cause: .tokenRefused, detail: "the token is refused"))
        }
    }

    package func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        try check()
        guard let user = UserID("ann") else { preconditionFailure("a name") }
        return ServerInfo(user: user, server: "scripted/1")
    }

    package func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        try check()
        if case .busy = state.withLock({ $0.mode }) { throw .transient(code: "503", detail: "busy") }
        return state.withLock { state in
            var outcomes: [DeliveryOutcome] = []
            for operation in delivery.operations {
                state.marks[delivery.lane] = operation.sequence
                outcomes.append(state.outcome(of: operation))
            }
            return DeliveryReport(mark: state.marks[delivery.lane] ?? 0, outcomes: outcomes)
        }
    }

    package func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        try check()
        return RemotePage(items: [], hasMore: false)
    }

    package func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? {
        try check()
        return state.withLock { $0.serverPosition(of: id) }
    }

    package func close() async {}
}

extension ScriptedServer.State {
    func serverPosition(of id: MessageID) -> ServerPosition? {
        order.firstIndex(of: id).map { index in
            ServerPosition(position: Int64(index + 1), acceptedAt: Timestamp(milliseconds: 1_700_000_000_000))
        }
    }

    mutating func outcome(of operation: DeliveryOperation) -> DeliveryOutcome {
        switch operation.body {
        case .send(let id, _, let content, _, parent: _):
            if case .refusing(let code, let detail) = mode { return .refused(code: code, detail: detail) }
            if order.contains(id) == false {
                order.append(id)
                if case .text(let text) = content { texts.append(text) }
            }
            return serverPosition(of: id).map { .accepted($0) } ?? .notAttempted
        case .edit(let id, target: _, content: _), .addReaction(let id, target: _, name: _),
            .removeReaction(let id, target: _, name: _):
            if order.contains(id) == false { order.append(id) }
            return serverPosition(of: id).map { .accepted($0) } ?? .notAttempted
        case .fence(let id): return serverPosition(of: id).map { .accepted($0) } ?? .fenced
        case .delete(let id):
            deleted.append(id)
            return .deleted
        }
    }
}
