import CausewayModels
import CausewayRuntime
import CausewayTransport
import Synchronization

/// A server in memory that applies single operations and recognises their ids for a limited time only.
final class ForgetfulServer: IdempotentServer {
    /// The fate of an operation on its way.
    enum Fault: Sendable {
        case none
        case loseRequest
        /// Applies the operation, then loses the response.
        case loseResponse
        /// The request seems lost, and arrives after this time.
        case holdBack(Duration)
    }

    struct State: Sendable {
        /// Every stored message, once for each time it was stored.
        var stored: [MessageID] = []
        var texts: [String] = []
        /// The ids that it recognises, and the time of each.
        var recognised: [MessageID: MonotonicTime] = [:]
        var edits: [MessageID] = []
        var faults: [Fault] = []
        /// The fault of each operation without one in `faults`.
        var draw: (@Sendable () -> Fault)?
        var isUnreachable = false
        /// A planted fault: it reports of no message that it has it.
        var deniesAll = false
        var lookups: [MessageID] = []
        var applied: [MessageID] = []
        var underWay = 0
        var underWayMax = 0
    }

    let state = Mutex(State())
    private let window: Duration
    private let runtime: any Runtime
    private let user: UserID

    init(window: Duration, user: UserID, runtime: any Runtime) {
        self.window = window
        self.user = user
        self.runtime = runtime
    }

    func authenticate() async throws(TransportError) -> ServerInfo {
        try requireLine()
        return ServerInfo(user: user, server: "forgetful/1")
    }

    func apply(_ operation: DeliveryOperation.Body) async throws(TransportError) -> OperationResult {
        try requireLine()
        let fault = state.withLock { state in
            state.underWay += 1
            state.underWayMax = max(state.underWayMax, state.underWay)
            return state.faults.isEmpty ? state.draw?() ?? .none : state.faults.removeFirst()
        }
        defer { state.withLock { $0.underWay -= 1 } }
        await runtime.sleep(until: runtime.now + .milliseconds(5))
        switch fault {
        case .none: return receive(operation)
        case .loseRequest: throw .inDoubt(detail: "lost")
        case .loseResponse:
            _ = receive(operation)
            throw .inDoubt(detail: "cut off")
        case .holdBack(let time):
            runtime.spawn { [self] in
                await runtime.sleep(until: runtime.now + time)
                _ = receive(operation)
            }
            throw .inDoubt(detail: "nothing came back")
        }
    }

    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? {
        try requireLine()
        return state.withLock { state in
            state.lookups.append(id)
            return state.deniesAll ? nil : state.position(of: id)
        }
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        try requireLine()
        return RemotePage(items: [], hasMore: false)
    }

    func close() async {}

    private func requireLine() throws(TransportError) {
        if state.withLock({ $0.isUnreachable }) { throw .unreachable(detail: "no connection") }
    }

    private func receive(_ operation: DeliveryOperation.Body) -> OperationResult {
        let now = runtime.now
        return state.withLock { state in
            state.recognised = state.recognised.filter { now - $0.value < window }
            switch operation {
            case .send(let id, channel: _, let content, createdAt: _, parent: _, tags: _):
                state.applied.append(id)
                if state.recognised.updateValue(state.recognised[id] ?? now, forKey: id) == nil {
                    state.stored.append(id)
                    if case .text(let text) = content { state.texts.append(text) }
                }
                return state.position(of: id).map { .accepted($0) } ?? .unrelated(detail: "")
            case .edit(let id, let target, content: _), .addReaction(let id, let target, name: _),
                .removeReaction(let id, let target, name: _):
                if state.recognised.updateValue(now, forKey: id) == nil { state.edits.append(id) }
                return state.position(of: target).map { .accepted($0) } ?? .unrelated(detail: "no such message")
            case .delete(let id):
                state.stored.removeAll { $0 == id }
                return .deleted
            case .write: return .refused(code: "unexpected", detail: "a write to a record")
            case .fence: return .refused(code: "unexpected", detail: "a fence")
            }
        }
    }
}

extension ForgetfulServer.State {
    func position(of id: MessageID) -> ServerPosition? {
        stored.firstIndex(of: id).map {
            ServerPosition(position: Int64($0 + 1), acceptedAt: Timestamp(milliseconds: 1_700_000_000_000))
        }
    }
}
