package import CausewayTLS
import HTTPTypes
package import NIOCore
import NIOHTTP1
import Synchronization

/// An HTTP/1.1 client for one endpoint.
///
/// It sends one request at a time on each of a few kept connections and returns complete responses, bounded in size and
/// time. It is limited to the needs of an outbox: it follows no redirect (the caller gets the 3xx), keeps no cookies,
/// decodes no content coding, and above all **never repeats a request that the server may have acted on**. Only a GET
/// or HEAD whose kept connection turns out to be closed is sent once more automatically; every other loss is reported,
/// and the error contains whether the server may have seen the request.
///
/// It has three parts: this class, which callers use from any task; `ConnectionPool`, which lives on one event loop
/// together with all connections; and ``ConnectionPoolState``, which makes the decisions.
///
/// Cancelling the calling task ends the request and closes its connection. Call ``shutdown()`` before the event loop
/// group is shut down; a client that is merely released closes its connections when they have been idle long enough.
package final class HTTPClient: Sendable {
    private let loop: any EventLoop
    private let pool: NIOLoopBoundBox<ConnectionPool>
    private let settings: ConnectionSettings
    private let requestsMade = Atomic<Int>(0)

    package let endpoint: HTTPEndpoint

    /// Creates a client. The first request opens a connection.
    ///
    /// - Parameters:
    ///   - tls: the trust of a TLS endpoint; without it every request to such an endpoint fails. One context may serve
    ///     many clients.
    ///   - proxy: always used if given, except for a Unix socket; see `HTTPProxy.fromEnvironment`.
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

    /// Sends a request and waits for the complete response. May be called by any number of tasks at once.
    ///
    /// A response with any status from 200 to 999 is returned (except for a proxy's 407); only a missing response
    /// throws.
    ///
    /// - Throws: see ``HTTPClientError``; its `mayHaveReachedServer` indicates whether the server may have acted on the
    ///   request.
    package func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        try await perform(request, stream: nil)
    }

    /// Sends a request whose body is read in parts, or whose response is received in parts, and waits for the response;
    /// without the body that ``HTTPTransfer/receiver`` got.
    ///
    /// A final response that arrives before the body was sent ends the sending: it is returned like any other, and the
    /// connection is closed. An upload is never repeated.
    ///
    /// - Throws: ``HTTPTransferError``: the error of the connection, or that of the sender or the receiver of a body.
    package func transfer(_ transfer: HTTPTransfer) async throws(HTTPTransferError) -> HTTPClientResponse {
        let stream = TransferStream(transfer, limits: settings.limits)
        let result = await withTaskGroup(of: TransferStep.self) { group in
            group.addTask {
                do throws(HTTPClientError) {
                    let response = try await self.perform(transfer.request, stream: stream)
                    stream.end(discarding: false)
                    return .response(.success(response))
                } catch {
                    stream.end(discarding: true)
                    return .response(.failure(error))
                }
            }
            if let body = transfer.body { group.addTask { await .of { try await stream.send(body) } } }
            if let receiver = transfer.receiver { group.addTask { await .of { try await stream.drain(to: receiver) } } }
            var response: Result<HTTPClientResponse, HTTPClientError>?
            var failure: (any Error)?
            for await step in group {
                switch step {
                case .response(let result):
                    response = result
                    // A source that is being read is not needed any longer.
                    if case .failure = result { group.cancelAll() }
                case .done: break
                case .failed(let error):
                    // The consequence of a failed request, or its cause.
                    failure = failure ?? error
                    group.cancelAll()
                }
            }
            return (response, failure)
        }
        switch result {
        case (.failure(let error)?, let failure?):
            guard case .cancelled(let requestSent) = error, !Task.isCancelled else { throw .connection(error) }
            throw .body(failure, requestSent: requestSent)
        case (.failure(let error)?, nil): throw .connection(error)
        case (.success(let response)?, let failure?):
            // The rest of a body that the response made superfluous could not be read.
            if transfer.receiver == nil { return response }
            throw .body(failure, requestSent: true)
        case (.success(let response)?, nil): return response
        case (nil, _): throw .connection(.cancelled(requestSent: true))
        }
    }

    private func perform(
        _ request: HTTPClientRequest, stream: TransferStream?
    ) async throws(HTTPClientError) -> HTTPClientResponse {
        var head = try request.head(
            for: endpoint, absoluteForm: settings.isForProxyToRead, bodyLength: stream?.transfer.body?.length)
        if settings.isForProxyToRead, let authorization = settings.proxy?.authorization {
            head.headers.add(name: "Proxy-Authorization", value: authorization)
        }
        if stream?.transfer.waitBeforeBody != nil { head.headers.add(name: "Expect", value: "100-continue") }
        let finishedHead = head
        let number = requestsMade.add(1, ordering: .relaxed).newValue
        let id = ConnectionPoolState.RequestID(number: number)
        let cancelled = CancelFlag()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let accepted = ConnectionPool.Request(
                    head: finishedHead, body: request.body, isSafeToRepeat: request.isSafeToRepeat,
                    serverWait: request.serverWait, stream: stream, continuation: continuation)
                loop.execute {
                    // A cancellation that ran before this turn of the loop found nothing to withdraw.
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
        // A plain request that the proxy did not forward; through a tunnel 407 would come from the server itself.
        guard !settings.isForProxyToRead || response.status.code != 407 else { throw .proxyRefused(status: 407) }
        return response
    }

    /// Closes the connections that carry no request, and begins anew to open those that are being opened: they may be
    /// of a network that is gone. Returns at once.
    package func networkChanged() {
        loop.execute { self.pool.value.networkChanged() }
    }

    /// Fails requests that are waiting or under way with ``HTTPClientError/shutdown(requestSent:)`` and closes all
    /// connections; returns when they are closed. May be called again; later requests fail.
    package func shutdown() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.pool.value.shutDown().whenComplete { _ in continuation.resume() }
            }
        }
    }
}

/// Whether the caller was cancelled; read on the event loop, set on any thread.
private final class CancelFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isRaised: Bool { flag.load(ordering: .acquiring) }

    func raise() {
        flag.store(true, ordering: .releasing)
    }
}

/// The end of a part of a transfer.
private enum TransferStep: Sendable {
    case response(Result<HTTPClientResponse, HTTPClientError>)
    case done
    case failed(any Error)

    static func of(_ body: () async throws -> Void) async -> TransferStep {
        do {
            try await body()
            return .done
        } catch {
            return .failed(error)
        }
    }
}
