package import CausewayTLS
import HTTPTypes
package import NIOCore
import NIOHTTP1
import Synchronization

/// An HTTP/1.1 client for one endpoint.
///
/// It sends one request at a time on each of a few kept connections and hands over complete answers, bounded in
/// size and time. It does what an outbox needs and no more: it follows no redirect (the caller sees the 3xx), keeps
/// no cookies, undoes no content coding, and above all **never repeats a request that the server may have acted
/// on**. Only a GET or HEAD whose kept connection turns out to be closed is sent once more by itself; every other
/// loss is reported, and the error says whether the server may have seen the request.
///
/// Three parts share the work: this face, which callers use from any task; `ConnectionPool`, which lives on one
/// event loop together with all connections; and ``ConnectionPoolState``, which decides.
///
/// Cancelling the calling task ends the request and closes the connection it was on. Call ``shutdown()`` before the
/// event loop group is shut down; a client that is merely released closes its connections when they have been idle
/// long enough.
package final class HTTPClient: Sendable {
    private let loop: any EventLoop
    private let pool: NIOLoopBoundBox<ConnectionPool>
    private let settings: ConnectionSettings
    private let requestsMade = Atomic<Int>(0)

    package let endpoint: HTTPEndpoint

    /// Opens nothing yet: the first request does.
    ///
    /// - Parameters:
    ///   - tls: whom to trust when the endpoint is TLS; without it every request to such an endpoint fails. One
    ///     context may serve many clients.
    ///   - proxy: always used when given, except for a Unix socket; see `HTTPProxy.fromEnvironment`.
    ///   - eventLoopGroup: one of its loops carries all connections of this client. Must outlive the client.
    package init(
        endpoint: HTTPEndpoint, tls: TLSClientContext? = nil, timeouts: HTTPTimeouts = HTTPTimeouts(),
        limits: HTTPLimits = HTTPLimits(), proxy: HTTPProxy? = nil, eventLoopGroup: any EventLoopGroup
    ) {
        self.endpoint = endpoint
        var proxy = proxy
        if case .unix = endpoint.address { proxy = nil }
        settings = ConnectionSettings(endpoint: endpoint, tls: tls, proxy: proxy, timeouts: timeouts, limits: limits)
        loop = eventLoopGroup.next()
        pool = .makeBoxSendingValue(ConnectionPool(loop: loop, settings: settings), eventLoop: loop)
    }

    /// Sends a request and waits for the whole answer. Any task, any number at once.
    ///
    /// An answer with any status from 200 to 999 is returned (but for a proxy's 407); what throws is only the lack of an answer.
    ///
    /// - Throws: see ``HTTPClientError``; its `mayHaveReachedServer` tells whether the request may have been acted
    ///   on.
    package func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        var head = try request.head(for: endpoint, absoluteForm: settings.isForProxyToRead)
        if settings.isForProxyToRead, let authorization = settings.proxy?.authorization {
            head.headers.add(name: "Proxy-Authorization", value: authorization)
        }
        let finishedHead = head
        let number = requestsMade.add(1, ordering: .relaxed).newValue
        let id = ConnectionPoolState.RequestID(number: number)
        let cancelled = CancelFlag()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let accepted = ConnectionPool.Request(
                    head: finishedHead, body: request.body, isSafeToRepeat: request.isSafeToRepeat,
                    continuation: continuation)
                loop.execute {
                    // A cancellation that overtook this turn of the loop found nothing to withdraw.
                    if cancelled.isRaised {
                        continuation.resume(returning: .failure(.cancelled(requestSent: false)))
                    } else {
                        self.pool.value.submit(id, accepted)
                    }
                }
            }
        } onCancel: {
            cancelled.raise()
            loop.execute { self.pool.value.withdraw(id) { .cancelled(requestSent: $0) } }
        }
        let response = try result.get()
        // A plain request that the proxy did not pass on; behind a tunnel 407 would be the server's own word.
        guard !settings.isForProxyToRead || response.status.code != 407 else { throw .proxyRefused(status: 407) }
        return response
    }

    /// Fails what waits or is on its way with ``HTTPClientError/shutdown(requestSent:)`` and closes all
    /// connections; returns when they are closed. May be called again; requests sent afterwards fail.
    package func shutdown() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.pool.value.shutDown().whenComplete { _ in continuation.resume() }
            }
        }
    }
}

/// Whether the caller lost interest; read on the event loop, raised anywhere.
private final class CancelFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isRaised: Bool { flag.load(ordering: .acquiring) }

    func raise() {
        flag.store(true, ordering: .releasing)
    }
}
