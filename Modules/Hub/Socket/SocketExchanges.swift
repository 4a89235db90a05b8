internal import CausewayWire
internal import Synchronization

/// The requests of one socket that are under way, bounded.
final class SocketExchanges: Sendable {
    enum Admission {
        case admitted(SocketExchange)
        /// The client uses an id twice at a time.
        case duplicate
        /// Too many requests for events.
        case tooMany
    }

    private struct State {
        /// By ids that the client may not use again yet.
        var exchanges: [Int64: SocketExchange] = [:]
        var short = 0
        var lasting = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let windowMax: Int
    private let state = Mutex(State())

    /// - Parameter windowMax: requests that do not last.
    init(windowMax: Int) { self.windowMax = windowMax }

    /// Waits until another request may begin. Called by the reader of the socket alone.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.short < windowMax { return true }
                state.waiting = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    func begin(_ id: Int64, isLasting: Bool) -> Admission {
        state.withLock { state in
            guard state.exchanges[id] == nil else { return .duplicate }
            if isLasting {
                guard state.lasting < WireSocket.eventRequestsMax else { return .tooMany }
                state.lasting += 1
            } else {
                state.short += 1
            }
            let exchange = SocketExchange(id: id, isLasting: isLasting)
            state.exchanges[id] = exchange
            return .admitted(exchange)
        }
    }

    /// The last message of the response is about to be sent: from then on the client may use the id again, before the
    /// hub knows that the message has been sent.
    func releaseID(of exchange: SocketExchange) {
        state.withLock { state in
            if state.exchanges[exchange.id] === exchange { state.exchanges[exchange.id] = nil }
        }
    }

    /// The exchange is over: another one may take its place. Called once for each that was admitted.
    func finish(_ exchange: SocketExchange) {
        releaseID(of: exchange)
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if exchange.isLasting {
                state.lasting -= 1
                return nil
            }
            state.short -= 1
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    subscript(id: Int64) -> SocketExchange? { state.withLock { $0.exchanges[id] } }

    /// Ends the requests that wait for something; all of them when the connection has ended.
    func end(lastingOnly: Bool) {
        let ending = state.withLock { state in state.exchanges.values.filter { !lastingOnly || $0.isLasting } }
        for exchange in ending { exchange.end() }
    }
}
