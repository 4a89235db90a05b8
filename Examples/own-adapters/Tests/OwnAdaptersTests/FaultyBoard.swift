import Causeway
import CausewayTransportConformance
import OwnAdapters
import Synchronization

/// A board behind a line on which every delivery suffers a fault.
final class FaultyBoard: Board {
    let inner: BulletinBoard
    private let state = Mutex((fault: ServerFault.none, deliveries: 0))

    init(_ inner: BulletinBoard) { self.inner = inner }

    func use(_ fault: ServerFault) { state.withLock { $0.fault = fault } }
    var deliveries: Int { state.withLock { $0.deliveries } }

    func apply(_ delivery: Delivery, from token: AccessToken) async throws -> DeliveryReport {
        let fault = state.withLock { state in
            if state.fault != .loseRequest { state.deliveries += 1 }
            return state.fault
        }
        switch fault {
        case .none: return try inner.apply(delivery, from: token)
        case .loseRequest, .malformedResponse: throw BoardError.noAnswer
        case .loseResponse:
            _ = try inner.apply(delivery, from: token)
            throw BoardError.noAnswer
        case .stall:
            // Longer than any test waits; cancelled with the call.
            try await Task.sleep(for: .seconds(86_400))
            throw BoardError.noAnswer
        case .busy: throw BoardError.busy
        case .rateLimit(let time): throw BoardError.wait(time)
        }
    }

    func member(_ token: AccessToken) throws -> UserID { try inner.member(token) }

    func page(_ query: RemoteQuery, for token: AccessToken) throws -> RemotePage {
        try inner.page(query, for: token)
    }

    func position(of id: MessageID, for token: AccessToken) throws -> ServerPosition? {
        try inner.position(of: id, for: token)
    }
}

/// The address of no board.
struct NoBoard: Board {
    func member(_ token: AccessToken) throws -> UserID { throw BoardError.noBoard }

    func apply(_ delivery: Delivery, from token: AccessToken) throws -> DeliveryReport { throw BoardError.noBoard }

    func page(_ query: RemoteQuery, for token: AccessToken) throws -> RemotePage { throw BoardError.noBoard }

    func position(of id: MessageID, for token: AccessToken) throws -> ServerPosition? { throw BoardError.noBoard }
}
