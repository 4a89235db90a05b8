import CausewayModels
import CausewayRuntime
import CausewayTransport
import Synchronization

/// A server in memory: takes deliveries by the hub's rules of order, or does as the script says.
final class ScriptedTransport: Transport {
    enum Behaviour: Sendable {
        case work
        case fail(TransportError)
        /// Applies the delivery, then loses the answer.
        case loseAnswer
        /// Answers after this time.
        case delay(Duration)
    }

    struct Server: Sendable {
        var accepted: [MessageID: Placement] = [:]
        var order: [MessageID] = []
        var marks: [LaneID: Int64] = [:]
        var deletions: [MessageID] = []
        var deliveries: [(at: MonotonicTime, delivery: Delivery)] = []
        var greetings = 0
        var behaviours: [Behaviour] = []
        var always: Behaviour = .work
        var greeting: Result<ServerGreeting, TransportError>
        var page: [PlacedMessage] = []
    }

    let capabilities: TransportCapabilities
    private let runtime: any Runtime
    let server: Mutex<Server>

    init(user: UserID, runtime: any Runtime, operationsMax: Int) {
        capabilities = TransportCapabilities(
            deliveriesInFlightMax: 1, dedupeWindow: .forever, batchOperationsMax: operationsMax, batchBytesMax: 1 << 20)
        self.runtime = runtime
        server = Mutex(Server(greeting: .success(ServerGreeting(user: user, server: "scripted"))))
    }

    func greet() async throws(TransportError) -> ServerGreeting {
        try server.withLock { server in
            server.greetings += 1
            return server.greeting
        }.get()
    }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        let now = runtime.now
        let behaviour = server.withLock { server in
            server.deliveries.append((now, delivery))
            return server.behaviours.isEmpty ? server.always : server.behaviours.removeFirst()
        }
        switch behaviour {
        case .work: return apply(delivery)
        case .fail(let error): throw error
        case .loseAnswer:
            _ = apply(delivery)
            throw .inDoubt(detail: "cut off")
        case .delay(let time):
            await runtime.sleep(until: now + time)
            return apply(delivery)
        }
    }

    private func apply(_ delivery: Delivery) -> DeliveryReport {
        server.withLock { server in
            var mark = server.marks[delivery.lane] ?? 0
            let outcomes = delivery.operations.map { operation -> DeliveryOutcome in
                guard operation.sequence <= mark || operation.previous == mark else { return .gap(mark: mark) }
                let isNew = operation.sequence > mark
                mark = max(mark, operation.sequence)
                switch operation.body {
                case .send(let id, channel: _, content: _, createdAt: _, parent: _),
                    .edit(let id, target: _, content: _),
                    .addReaction(let id, target: _, name: _), .removeReaction(let id, target: _, name: _):
                    if let placement = server.accepted[id] { return .accepted(placement) }
                    guard isNew else { return .late(mark: mark) }
                    server.order.append(id)
                    let placement = Placement(
                        position: Int64(server.order.count), acceptedAt: Timestamp(milliseconds: 1))
                    server.accepted[id] = placement
                    return .accepted(placement)
                case .fence(let id):
                    return server.accepted[id].map { .accepted($0) } ?? .fenced
                case .delete(let id):
                    server.deletions.append(id)
                    return .deleted
                }
            }
            server.marks[delivery.lane] = mark
            return DeliveryReport(mark: mark, outcomes: outcomes)
        }
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        RemotePage(items: server.withLock { $0.page }, hasMore: false)
    }

    func lookup(_ id: MessageID) async throws(TransportError) -> Placement? {
        server.withLock { $0.accepted[id] }
    }

    func close() async {}
}
