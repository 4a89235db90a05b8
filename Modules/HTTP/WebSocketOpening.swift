package import CausewayTLS
package import CausewayWebSocket
import HTTPTypes
package import NIOCore
package import NIOHTTP1
import NIOHTTPTypesHTTP1

/// The settings of connections to one server, shared by all of them.
package struct WebSocketSettings: Sendable {
    let connection: ConnectionSettings
    let subprotocol: String?
    let limits: WebSocketLimits

    /// - Parameters:
    ///   - tls: the trust of a TLS endpoint; without it every attempt on such an endpoint fails.
    ///   - subprotocol: the only one that is spoken; `nil` for none.
    ///   - limits: of an open connection.
    package init(
        endpoint: HTTPEndpoint, tls: TLSClientContext?, timeouts: HTTPTimeouts, proxy: HTTPProxy?,
        subprotocol: String?, limits: WebSocketLimits
    ) {
        connection = ConnectionSettings(
            endpoint: endpoint, tls: tls, proxy: proxy, timeouts: timeouts, limits: HTTPLimits())
        self.subprotocol = subprotocol
        self.limits = limits
    }
}

/// One attempt to open a WebSocket connection: name lookup, TCP, proxy, TLS, and the opening handshake. Bounded by the
/// time-outs of the connection and of the first byte, and by ``HTTPTimeouts/whole`` in all.
///
/// Not `Sendable`: used only on its event loop.
package final class WebSocketOpening: HTTPConnectionOwner {
    package enum Outcome {
        /// Open; the fields are those of the response.
        case open(WebSocketHandler, HTTPHeaders)
        /// The server, or something before it, responded with another status than 101.
        case refused(HTTPClientResponse)
        /// Connected, but what is there does not complete the handshake.
        case notAWebSocket(HTTPClientError)
        /// Not connected; the server has seen no request.
        case failed(HTTPClientError)
    }

    private let settings: WebSocketSettings
    private let loop: any EventLoop
    private let key = WebSocketHandshake.randomKey()
    private let head: HTTPRequestHead
    private let owner: any WebSocketOwner
    private var attempt: ConnectAttempt?
    private var connection: HTTPConnection?
    private var timer: Scheduled<Void>?
    /// Called once; `nil` afterwards.
    private var completion: ((Outcome) -> Void)?

    /// - Parameters:
    ///   - request: a GET with the path and the fields of the handshake's request.
    ///   - owner: of the open connection.
    ///   - completion: called once, on the event loop, unless the attempt is cancelled.
    /// - Throws: ``HTTPClientError/invalidRequest(_:)``.
    package init(
        _ request: HTTPClientRequest, _ settings: WebSocketSettings, on loop: any EventLoop,
        owner: any WebSocketOwner, completion: @escaping (Outcome) -> Void
    ) throws(HTTPClientError) {
        self.settings = settings
        self.loop = loop
        self.owner = owner
        self.completion = completion
        var head = try request.head(
            for: settings.connection.endpoint, absoluteForm: settings.connection.isForProxyToRead)
        head.headers.add(
            contentsOf: WebSocketHandshake.requestFields(
                key: key, subprotocol: settings.subprotocol, offersCompression: settings.limits.compresses))
        if settings.connection.isForProxyToRead, let authorization = settings.connection.proxy?.authorization {
            head.headers.add(name: "Proxy-Authorization", value: authorization)
        }
        self.head = head
    }

    package func start() {
        // The response may stop after its first byte, and nothing would ever end the attempt then.
        timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(settings.connection.timeouts.whole)) { [weak self] in
            self?.timeOut()
        }
        let attempt = ConnectAttempt(
            id: ConnectionPoolState.ConnectionID(number: 1), settings: settings.connection, loop: loop
        ) { [self] outcome in
            self.attempt = nil
            switch outcome {
            case .success(let connection):
                self.connection = connection
                connection.owner = self
                connection.start(
                    ConnectionPoolState.RequestID(number: 1), head: head, body: ByteBuffer(), isUpgrade: true)
            case .failure(let error): complete(.failed(error))
            }
        }
        self.attempt = attempt
        attempt.start()
    }

    private func timeOut() {
        attempt?.cancel(.timeout(.whole, requestSent: false))
        connection?.abort(.timeout(.whole, requestSent: true))
    }

    /// Ends the attempt; the completion is not called any more.
    package func cancel() {
        completion = nil
        timer?.cancel()
        attempt?.cancel(.shutdown(requestSent: false))
        attempt = nil
        connection?.abort(.shutdown(requestSent: false))
        connection = nil
    }

    func connection(
        _ connection: HTTPConnection, finished request: ConnectionPoolState.RequestID,
        with result: Result<HTTPClientResponse, HTTPClientError>, reusable: Bool
    ) {
        self.connection = nil
        switch result {
        case .failure(let error): complete(.notAWebSocket(error))
        case .success(let response) where response.status.code == ResponseAssembler.upgradeStatus:
            upgrade(connection, response)
        case .success(let response):
            if reusable { connection.abort(.shutdown(requestSent: false)) }
            complete(.refused(response))
        }
    }

    func connectionClosedIdle(_ connection: HTTPConnection) {}

    private func upgrade(_ connection: HTTPConnection, _ response: HTTPClientResponse) {
        let head = HTTPResponseHead(
            version: .http1_1, status: .switchingProtocols, headers: HTTPHeaders(response.fields))
        let compression: PerMessageDeflate?
        do throws(WebSocketHandshake.NotCompleted) {
            guard completion != nil else { throw WebSocketHandshake.NotCompleted() }
            compression = try WebSocketHandshake.complete(
                by: head, key: key, subprotocol: settings.subprotocol,
                offersCompression: settings.limits.compresses)
        } catch {
            connection.channel.close(promise: nil)
            return complete(.notAWebSocket(.malformedResponse("the WebSocket handshake was not completed")))
        }
        let handler = WebSocketHandler(isServer: false, settings.limits, compression, owner: owner)
        do {
            try connection.handOver(to: handler)
        } catch {
            connection.channel.close(promise: nil)
            return complete(.failed(.connectionClosed(requestSent: false)))
        }
        complete(.open(handler, head.headers))
        let rest = connection.upgradeRest
        if rest.readableBytes > 0 { handler.receive(rest) }
    }

    private func complete(_ outcome: Outcome) {
        let completion = completion
        self.completion = nil
        timer?.cancel()
        completion?(outcome)
    }
}

extension HTTPConnection {
    /// Gives all further bytes to the handlers of the other protocol, and removes those of HTTP, including this one.
    ///
    /// The removal takes a while; the handlers of HTTP are cut off from the network at once.
    fileprivate func handOver(to handler: WebSocketHandler) throws {
        let pipeline = channel.pipeline.syncOperations
        let encoder = try pipeline.context(handlerType: HTTPRequestEncoder.self)
        let decoding = try pipeline.context(handlerType: ByteToMessageHandler<ResponseDecoder>.self)
        try pipeline.addHandlers(
            handler.pipeline, position: .before(try pipeline.handler(type: HTTPRequestEncoder.self)))
        _ = pipeline.removeHandler(self)
        _ = pipeline.removeHandler(context: encoder)
        _ = pipeline.removeHandler(context: decoding)
    }
}
