import Causeway
import Synchronization

/// A transport to a ``BulletinBoard``.
final class BoardTransport: Transport {
    /// The board keeps lanes as chains, and has neither edits nor reactions.
    let capabilities = TransportCapabilities(ordering: .sequenced, operations: [.create, .delete])
    private let board: BulletinBoard
    private let isClosed = Mutex(false)

    init(to board: BulletinBoard) { self.board = board }

    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        try requireOpen()
        return ServerInfo(user: board.user, server: "board/1")
    }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        try requireOpen()
        return board.apply(delivery)
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        try requireOpen()
        return board.page(query)
    }

    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? {
        try requireOpen()
        return board.position(of: id)
    }

    func close() async { isClosed.withLock { $0 = true } }

    private func requireOpen() throws(TransportError) {
        if isClosed.withLock({ $0 }) { throw .unreachable(detail: "the transport is closed") }
    }
}
