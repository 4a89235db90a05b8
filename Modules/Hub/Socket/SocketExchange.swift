internal import CausewayWire
internal import Synchronization

/// One request on a socket, from its message to its last response: what the client has said about it since.
final class SocketExchange: Sendable {
    private struct State {
        var isStream = false
        var hasEnded = false
        var onEnd: [@Sendable () -> Void] = []
        /// Parts that were sent, and of those the ones that the client has read.
        var sent: Int64 = 0
        var read: Int64 = 0
        var waiting: CheckedContinuation<Bool, Never>?

        var mayWrite: Bool { sent - read < WireSocket.partsUnreadMax }
    }

    let id: Int64
    /// Whether it asks for events, and so may last.
    let isLasting: Bool
    private let state = Mutex(State())

    init(id: Int64, isLasting: Bool) {
        self.id = id
        self.isLasting = isLasting
    }

    /// Whether every write of the response is a part of its own.
    var isStream: Bool { state.withLock { $0.isStream } }

    func becomeStream() { state.withLock { $0.isStream = true } }

    /// Runs an action at the end, or now if that was before.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.onEnd.append(action) }
            return state.hasEnded
        }
        if hasEnded { action() }
    }

    /// The client does not need the response any more, or the connection has ended.
    func end() {
        let (actions, waiting) = state.withLock { state in
            state.hasEnded = true
            defer { (state.onEnd, state.waiting) = ([], nil) }
            return (state.onEnd, state.waiting)
        }
        for action in actions { action() }
        waiting?.resume(returning: false)
    }

    // MARK: - Parts of a stream

    func partSent() { state.withLock { $0.sent += 1 } }

    /// The client has read this many parts; a number that is too high, or goes back, changes nothing.
    func partsRead(_ parts: Int64) {
        let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard parts <= state.sent, parts > state.read else { return nil }
            state.read = parts
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: true)
    }

    /// Waits until the client has read enough. Called by one task at a time.
    ///
    /// - Returns: false after the end.
    func isReadyForPart() async -> Bool {
        await withCheckedContinuation { continuation in
            let known: Bool? = state.withLock { state in
                if state.hasEnded { return false }
                if state.mayWrite { return true }
                state.waiting = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
