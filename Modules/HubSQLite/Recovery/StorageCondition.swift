internal import Synchronization

/// Whether the database can be used, and its connections.
///
/// ```
///  open ──(a write, a sync or the file fails)──▶ failed ──(reopened and verified)──▶ open
///    └───────────────────────(close)────────────────┴──────────────▶ closed
/// ```
///
/// After a failed write or sync the connections know less than the file does: nothing is accepted, and nothing is read,
/// until the file has been reopened and verified.
final class StorageCondition: Sendable {
    private enum State {
        case open(HubConnections)
        case failed
        case closed
    }

    private let state: Mutex<State>

    init(_ connections: HubConnections) { state = Mutex(.open(connections)) }

    /// The connections; `nil` while there are none that can be trusted.
    var connections: HubConnections? {
        state.withLock { state in
            if case .open(let connections) = state { connections } else { nil }
        }
    }

    var isClosed: Bool {
        state.withLock { state in
            if case .closed = state { true } else { false }
        }
    }

    /// - Returns: the failed connections to the first caller that reports them; `nil` to the others.
    func fail(_ failed: HubConnections) -> HubConnections? {
        state.withLock { state in
            guard case .open(let connections) = state, connections.pool === failed.pool else { return nil }
            state = .failed
            return connections
        }
    }

    /// - Returns: false when the store was closed meanwhile.
    func reopen(_ connections: HubConnections) -> Bool {
        state.withLock { state in
            guard case .failed = state else { return false }
            state = .open(connections)
            return true
        }
    }

    /// - Returns: the connections to close.
    func close() -> HubConnections? {
        state.withLock { state in
            defer { state = .closed }
            if case .open(let connections) = state { return connections }
            return nil
        }
    }
}
