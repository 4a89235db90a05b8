import CausewayHTTP
import CausewayWire
import NIOCore
import Synchronization

/// Carries requests over one WebSocket connection, which is opened by the first of them.
///
/// It has three parts: this class, which callers use from any task; `SocketDriver`, which lives on one event loop
/// together with the connection; and ``SocketSchedule``, which makes the decisions. What it repeats, and what not, is
/// as with ``HTTPClient``.
final class SocketCarrier: RequestCarrier {
    /// The result of a request.
    enum Outcome: Sendable {
        case response(HTTPClientResponse)
        case failed(HTTPClientError)
        /// There is no socket; the request was not sent.
        case refused(SocketRefusal)
        /// Requests travel in another way by now; this one was not sent.
        case givenUp
    }

    let endpoint: HTTPEndpoint
    var way: String? { "WebSocket" }
    private let loop: any EventLoop
    private let driver: NIOLoopBoundBox<SocketDriver>
    private let lastID = Atomic<Int64>(0)

    /// - Parameters:
    ///   - opening: the request that opens the socket.
    ///   - observer: is notified of the life of the connection.
    init(
        _ opening: HTTPClientRequest, to endpoint: HTTPEndpoint, _ settings: WebSocketSettings,
        _ timeouts: HTTPTimeouts, eventLoopGroup: any EventLoopGroup,
        observer: any SocketObserver = UnobservedSocket()
    ) {
        self.endpoint = endpoint
        loop = eventLoopGroup.next()
        driver = .makeBoxSendingValue(
            SocketDriver(opening, settings, timeouts, endpoint: endpoint, loop: loop, observer: observer),
            eventLoop: loop)
    }

    func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        switch await attempt(request) {
        case .response(let response), .refused(.response(let response)): return response
        case .failed(let error), .refused(.notAWebSocket(let error)): throw error
        case .givenUp: throw .connectionClosed(requestSent: false)
        }
    }

    /// Sends a request, and reports separately that there is no socket.
    ///
    /// - Parameter isProbe: whether it is sent although the socket was given up, to find out whether that still holds.
    func attempt(_ request: HTTPClientRequest, isProbe: Bool = false) async -> Outcome {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let cancelled = Atomic<Bool>(false)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute {
                    // A cancellation that ran before this turn of the loop found nothing to withdraw.
                    if cancelled.load(ordering: .acquiring) {
                        continuation.resume(returning: .failed(.cancelled(requestSent: false)))
                    } else {
                        self.driver.value.submit(id, request, isProbe: isProbe, continuation)
                    }
                }
            }
        } onCancel: {
            cancelled.store(true, ordering: .releasing)
            loop.execute { self.driver.value.withdraw(id) { .cancelled(requestSent: $0) } }
        }
    }

    func networkChanged() {
        loop.execute { self.driver.value.networkChanged() }
    }

    func shutdown() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.driver.value.shutDown().whenComplete { _ in continuation.resume() }
            }
        }
    }
}

/// The reason why there is no socket although something is there.
enum SocketRefusal: Sendable {
    /// The response that the server, or something before it, sent instead of opening one.
    case response(HTTPClientResponse)
    /// The handshake was not completed.
    case notAWebSocket(HTTPClientError)
}

/// Is notified of the life of a connection, on its event loop.
protocol SocketObserver: Sendable {
    /// Whether requests travel in another way, all but probes. Read when a request arrives on the event loop: its
    /// caller may have chosen the socket before the last connection ended here.
    var isGivenUp: Bool { get }

    func socketOpened()

    /// The connection ended, not by this client.
    ///
    /// - Parameter hasServed: whether a request had its response there.
    /// - Returns: whether the requests that wait for a connection get another one. Otherwise, they are refused.
    func socketLost(hasServed: Bool) -> Bool
}

/// Opens a socket again as often as it ends.
struct UnobservedSocket: SocketObserver {
    var isGivenUp: Bool { false }
    func socketOpened() {}
    func socketLost(hasServed: Bool) -> Bool { true }
}
