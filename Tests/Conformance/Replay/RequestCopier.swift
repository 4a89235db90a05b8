import CausewayModels
import CausewayTransport
import Synchronization

/// A network that delivers a request twice, at once or late, unnoticed by the client.
final class RequestCopier: Sendable {
    /// A planted fault, used to show that it would be found.
    enum PlantedFault: Sendable {
        /// A copy is another message, behind the first.
        case copiesUnderAnotherID
    }

    private struct State {
        var copiesNext = false
        var last: Delivery?
        /// The newest one.
        var transport: (any Transport)?
    }

    private let state = Mutex(State())
    private let plantedFault: PlantedFault?

    init(plantedFault: PlantedFault? = nil) { self.plantedFault = plantedFault }

    /// Delivers the next request twice.
    func copyNext() { state.withLock { $0.copiesNext = true } }

    /// Delivers the last answered request once more, whatever happened since.
    func sendLastOnceMore() async {
        let (last, transport) = state.withLock { ($0.last, $0.transport) }
        guard let last, let transport else { return }
        _ = try? await transport.deliver(last)
    }

    fileprivate func use(_ transport: any Transport) { state.withLock { $0.transport = transport } }

    fileprivate func deliver(
        _ delivery: Delivery, over transport: any Transport
    ) async throws(TransportError) -> DeliveryReport {
        let isCopied = state.withLock { state in
            defer { state.copiesNext = false }
            return state.copiesNext
        }
        let report = try await transport.deliver(delivery)
        state.withLock { $0.last = delivery }
        if isCopied { _ = try? await transport.deliver(copy(of: delivery)) }
        return report
    }

    private func copy(of delivery: Delivery) -> Delivery {
        guard plantedFault == .copiesUnderAnotherID, let last = delivery.operations.last,
            case .send(let id, let channel, let content, let createdAt, let parent, let tags) = last.body
        else { return delivery }
        var copy = delivery
        let other = MessageID(UUIDv7(high: id.value.high, low: id.value.low ^ 1))
        copy.operations = [
            DeliveryOperation(
                sequence: last.sequence + 1, previous: last.sequence,
                body: .send(
                    other, channel: channel, content: content, createdAt: createdAt, parent: parent, tags: tags))
        ]
        return copy
    }
}

/// A transport whose requests a ``RequestCopier`` may deliver twice.
struct CopyingTransport: Transport {
    private let inner: any Transport
    private let copier: RequestCopier

    init(_ inner: any Transport, _ copier: RequestCopier) {
        self.inner = inner
        self.copier = copier
        copier.use(inner)
    }

    var capabilities: TransportCapabilities { inner.capabilities }

    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo { try await inner.authenticate(knowing: history, outbox: outbox) }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        try await copier.deliver(delivery, over: inner)
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        try await inner.messages(query)
    }

    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? { try await inner.lookup(id) }

    func close() async { await inner.close() }
}
