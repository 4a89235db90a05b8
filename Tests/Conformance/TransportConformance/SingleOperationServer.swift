import Causeway

/// A server that takes single operations without a lane, made of a transport: each operation is the first of a lane of
/// its own.
struct SingleOperationServer: IdempotentServer {
    private let inner: any Transport
    private let runtime = SystemRuntime()

    init(_ inner: any Transport) { self.inner = inner }

    func authenticate() async throws(TransportError) -> ServerInfo {
        try await inner.authenticate(knowing: nil, outbox: nil)
    }

    func apply(_ operation: DeliveryOperation.Body) async throws(TransportError) -> OperationResult {
        let delivery = Delivery(
            outbox: OutboxID(runtime.makeUUIDv7()), epoch: 1, lane: .text,
            operations: [DeliveryOperation(sequence: 1, previous: 0, body: operation)])
        switch try await inner.deliver(delivery).outcomes.first {
        case .accepted(let position): return .accepted(position)
        case .deleted: return .deleted
        case .refused(let code, let detail): return .refused(code: code, detail: detail)
        case .unrelated(let detail): return .unrelated(detail: detail)
        default: throw .inDoubt(detail: "an outcome without a meaning for a single operation")
        }
    }

    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? { try await inner.lookup(id) }

    func message(_ id: MessageID) async throws(TransportError) -> RemoteMessage? {
        try await inner.message(id, knowing: nil).message
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        try await inner.messages(query)
    }

    func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage {
        try await inner.records(query)
    }

    func record(_ kind: RecordKind, _ id: String) async throws(TransportError) -> RemoteRecord? {
        try await inner.record(kind, id, knowing: nil).record
    }

    func close() async { await inner.close() }
}
