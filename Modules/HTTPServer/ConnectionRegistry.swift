package import NIOCore
internal import Synchronization

/// The connections of a server, limited by ``ConnectionShares``.
package final class ConnectionRegistry: Sendable {
    private struct State {
        var shares: ConnectionShares<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>

    package init(_ limits: ConnectionLimits) {
        // The last eighth is room for new connections while others close; a server of a few connections makes them wait
        // instead.
        let room = limits.connectionsMax / 8
        let kept = room > 0 ? limits.connectionsMax - room : .max
        state = Mutex(
            State(shares: ConnectionShares(connectionsMax: kept, perPeerMax: limits.connectionsPerPeerMax)))
    }

    /// Registers a new connection, which may close another one.
    ///
    /// - Returns: false when the new one is to be closed.
    package func open(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let peer = PeerAddress.text(of: channel)
        let (isAdmitted, leaving) = state.withLock { state -> (Bool, (any Channel)?) in
            switch state.shares.admit(id, from: peer, at: SystemClock.monotonic()) {
            case .refused: return (false, nil)
            case .admitted:
                state.channels[id] = channel
                return (true, nil)
            case .admittedInsteadOf(let other):
                state.channels[id] = channel
                return (true, state.channels.removeValue(forKey: other))
            }
        }
        leaving?.close(promise: nil)
        if isAdmitted { channel.closeFuture.whenComplete { [self] _ in close(id) } }
        return isAdmitted
    }

    func requestBegan(on channel: any Channel) {
        state.withLock { $0.shares.requestBegan(on: ObjectIdentifier(channel)) }
    }

    func becameIdle(_ channel: any Channel) {
        state.withLock { $0.shares.becameIdle(ObjectIdentifier(channel), at: SystemClock.monotonic()) }
    }

    private func close(_ id: ObjectIdentifier) {
        state.withLock { state in
            state.shares.remove(id)
            state.channels[id] = nil
        }
    }
}
