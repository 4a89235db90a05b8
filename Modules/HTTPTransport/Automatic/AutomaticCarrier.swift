import CausewayHTTP
import CausewayWire
import HTTPTypes
import NIOCore
import Synchronization

/// Carries requests over a socket, or over HTTP while there is none; see ``CarrierChoice``.
///
/// A request that found no socket was not sent, and is sent over HTTP at once: a server that refuses the token as well
/// says so there. Everything else is left to the caller: a request whose socket was cut may have arrived.
final class AutomaticCarrier: RequestCarrier {
    private let socket: SocketCarrier
    private let http: any RequestCarrier
    private let choice: CarrierChoiceBox
    private let probe = Mutex(Task<Void, Never>?.none)

    init(_ socket: SocketCarrier, _ http: any RequestCarrier, _ choice: CarrierChoiceBox) {
        self.socket = socket
        self.http = http
        self.choice = choice
    }

    var endpoint: HTTPEndpoint { http.endpoint }

    var way: String? { choice.reason.map { "HTTP: \($0)" } ?? "WebSocket" }

    func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        switch choice.choose() {
        case .http(let probes):
            if probes { beginProbe() }
            return try await http.send(request)
        case .socket:
            switch await socket.attempt(request) {
            case .response(let response): return response
            case .failed(let error): throw error
            case .refused(let refusal):
                choice.refused(refusal)
                return try await http.send(request)
            case .givenUp: return try await http.send(request)
            }
        }
    }

    /// Opens a socket beside the requests over HTTP.
    private func beginProbe() {
        let task = Task { [socket, choice] in
            let health = HTTPClientRequest(method: .get, path: WireProtocol.healthPath)
            switch await socket.attempt(health, isProbe: true) {
            case .response: choice.probeSucceeded()
            case .refused(let refusal): choice.refused(refusal)
            case .failed, .givenUp: choice.probeFailed()
            }
        }
        probe.withLock { $0 = task }
    }

    func networkChanged() {
        socket.networkChanged()
        http.networkChanged()
    }

    func shutdown() async {
        probe.withLock { $0 }?.cancel()
        await socket.shutdown()
        await http.shutdown()
    }
}

/// The choice that the carriers of one transport share.
final class CarrierChoiceBox: SocketObserver {
    private let choice: Mutex<CarrierChoice>

    init(_ choice: CarrierChoice) { self.choice = Mutex(choice) }

    /// The reason why HTTP is used; `nil` while the socket is.
    var reason: String? { choice.withLock { $0.reason } }

    var isGivenUp: Bool { reason != nil }

    private var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

    func choose() -> CarrierChoice.Carrier { choice.withLock { $0.choose(at: now) } }

    func socketOpened() { choice.withLock { $0.opened(at: now) } }

    /// Once HTTP is chosen, what waited for the socket goes over HTTP, too.
    func socketLost(hasServed: Bool) -> Bool {
        choice.withLock { choice in
            choice.lost(at: now, hasServed: hasServed)
            return choice.reason == nil
        }
    }

    func refused(_ refusal: SocketRefusal) { choice.withLock { $0.refused(refusal.reason, at: now) } }

    func probeSucceeded() { choice.withLock { $0.probeSucceeded() } }

    func probeFailed() { choice.withLock { $0.probeFailed(at: now) } }
}

extension SocketRefusal {
    fileprivate var reason: String {
        switch self {
        case .response(let response): "the WebSocket was refused (\(response.status.code))"
        case .notAWebSocket(let error): "no WebSocket: \(error)"
        }
    }
}
