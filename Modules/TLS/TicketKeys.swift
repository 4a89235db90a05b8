internal import COpenSSL
internal import Synchronization

/// The keys with which a server encrypts its session tickets: replaced regularly, so that a stolen key decrypts only
/// the sessions of a short time. With TLS 1.2 a ticket's key decrypts the whole connection.
///
/// A key encrypts for ``TLSLimits/ticketKeySecondsMax`` and decrypts for as long again. Any thread.
final class TicketKeys: Sendable {
    struct Key: Sendable {
        let name = SecureRandom.bytes(nameBytes)
        let cipher = SecureRandom.bytes(32)
        let mac = SecureRandom.bytes(32)

        static let nameBytes = 16
    }

    private struct State {
        var current = Key()
        var former: Key?
        var madeAt: ContinuousClock.Instant
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
        state = Mutex(State(madeAt: now()))
    }

    /// The key that encrypts new tickets.
    var current: Key { state.withLock { rotated(&$0).current } }

    /// The key that decrypts a ticket, while it is valid, and whether it still encrypts.
    func key(named name: [UInt8]) -> (key: Key, isCurrent: Bool)? {
        state.withLock { state in
            let state = rotated(&state)
            if state.current.name == name { return (state.current, true) }
            guard let former = state.former, former.name == name else { return nil }
            return (former, false)
        }
    }

    private func rotated(_ state: inout State) -> State {
        let life = Duration.seconds(TLSLimits.ticketKeySecondsMax)
        let moment = now()
        let age = moment - state.madeAt
        if age >= life {
            state = State(former: age < life * 2 ? state.current : nil, madeAt: moment)
        }
        return state
    }

    /// Encrypts a ticket (`isSealing` 1) or decrypts one. Returns 1, 2 if the ticket is to be renewed, 0 for a ticket
    /// that can no longer be decrypted (the handshake is then a full one), -1 if OpenSSL fails.
    static let callback:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, OpaquePointer?, OpaquePointer?,
            Int32
        ) -> Int32 = { ssl, name, vector, cipher, mac, isSealing in
            guard let connection = unsafe TLSConnection.of(ssl), case .server(let context) = connection.role,
                let name = unsafe name, let vector = unsafe vector
            else { return -1 }
            let nameBuffer = unsafe UnsafeMutableBufferPointer(start: name, count: Key.nameBytes)
            if isSealing != 0 {
                let key = context.ticketKeys.current
                _ = unsafe nameBuffer.update(from: key.name)
                guard unsafe RAND_bytes(vector, 16) == 1 else { return -1 }
                return unsafe causeway_ticket_init(cipher, mac, vector, key.cipher, key.mac, 1) == 1 ? 1 : -1
            }
            guard let (key, isCurrent) = context.ticketKeys.key(named: unsafe Array(nameBuffer)) else { return 0 }
            guard unsafe causeway_ticket_init(cipher, mac, vector, key.cipher, key.mac, 0) == 1 else { return -1 }
            return isCurrent ? 1 : 2
        }
}
