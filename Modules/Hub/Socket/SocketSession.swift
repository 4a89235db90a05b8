internal import CausewayHTTPServer
internal import CausewayHubStorage
internal import CausewayWebSocket
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore

/// One open socket: passes its requests to the hub's routes, and their responses back, for as long as it lasts.
///
/// Requests are handled as those of HTTP are: with the same rights, limits and errors. They begin in the order of their
/// messages and run at the same time.
struct SocketSession: Sendable {
    let stream: WebSocketStream
    /// The request that opened the socket.
    let opening: HubRequestContext
    let responder: any HTTPResponder<HubRequestContext>
    let storage: any HubStorage
    let contents: MessageContents
    let checkInterval: Duration
    private let exchanges = SocketExchanges(windowMax: HubLimits.socketRequestsMax)

    init(
        _ stream: WebSocketStream, _ opening: HubRequestContext, _ responder: any HTTPResponder<HubRequestContext>,
        _ storage: any HubStorage, _ contents: MessageContents, checkInterval: Duration
    ) {
        self.stream = stream
        self.opening = opening
        self.responder = responder
        self.storage = storage
        self.contents = contents
        self.checkInterval = checkInterval
    }

    /// Serves until the connection has ended; when the stream was told to stop, after the requests in progress.
    func run() async {
        async let _: Void = closeWhenRevoked()
        await withDiscardingTaskGroup { group in
            while let message = await stream.next() {
                guard let close = await handle(message, in: &group) else { continue }
                stream.close(close)
            }
            if stream.isStopping, stream.end == nil {
                exchanges.end(lastingOnly: true)
            } else {
                exchanges.end(lastingOnly: false)
                group.cancelAll()
            }
        }
        // Without effect if it has ended.
        stream.close(WebSocketClose(.goingAway, "the hub stops"))
        await stream.ended()
        opening.logger.debug("socket ended", metadata: ["end": "\(stream.end.map { "\($0)" } ?? "")"])
    }

    /// - Returns: the reason to close the connection, if the message is one.
    private func handle(_ message: WebSocketMessage, in group: inout DiscardingTaskGroup) async -> WebSocketClose? {
        let parsed: Result<WireSocket.ClientMessage, WireSocket.Problem>
        do throws(WebSocketClose) {
            parsed = try await contents.with(message, opening) { text in
                Result { () throws(WireSocket.Problem) in try WireSocket.ClientMessage(text) }
            }
        } catch {
            return error
        }
        switch parsed {
        case .failure(.malformed): return WebSocketClose(.invalidData, "not a message of this protocol")
        case .failure(.headTooLarge):
            return WebSocketClose(.tooLarge, "a message without its body exceeds \(WireSocket.headBytesMax) bytes")
        case .success(.cancel(let id)): exchanges[id]?.end()
        case .success(.read(let id, let parts)): exchanges[id]?.partsRead(parts)
        case .success(.request(let request)): return await begin(request, in: &group)
        }
        return nil
    }

    private func begin(_ request: WireSocket.Request, in group: inout DiscardingTaskGroup) async -> WebSocketClose? {
        let isLasting = request.path.prefix { $0 != "?" } == WireProtocol.eventsPath
        if !isLasting { await exchanges.waitForRoom() }
        switch exchanges.begin(request.id, isLasting: isLasting) {
        case .duplicate: return WebSocketClose(.policyViolation, "the id \(request.id) is in use")
        case .tooMany:
            // Here, so that a client that reads no responses is not read either: it could collect tasks otherwise.
            let exchange = SocketExchange(id: request.id, isLasting: true)
            await respond(to: exchange) { HubHTTPError.busy.response }
        case .admitted(let exchange):
            group.addTask {
                await respond(to: exchange) { try await response(to: request, exchange) }
                exchanges.finish(exchange)
            }
        }
        return nil
    }

    private func respond(to exchange: SocketExchange, _ make: () async throws -> Response) async {
        do {
            let response = try await make()
            let sender = SocketResponse(exchange: exchange, stream: stream) { exchanges.releaseID(of: exchange) }
            try await sender.send(response)
            if response.status == .unauthorized { stream.close(Self.revoked) }
        } catch {
            // The connection has ended, or cannot say how the request did.
            stream.close(WebSocketClose(.internalError, "a request failed"))
        }
    }

    private func response(to request: WireSocket.Request, _ exchange: SocketExchange) async throws -> Response {
        let context = HubRequestContext(of: exchange, on: opening)
        guard let head = Self.head(of: request) else {
            return HubHTTPError(
                .badRequest, code: "requestInvalid",
                detail: "the message has a method, a path or a header field that no request can have"
            ).response
        }
        let body = RequestBody(buffer: ByteBuffer(bytes: request.body ?? []))
        return try await responder.respond(to: Request(head: head, body: body), context: context)
    }

    /// - Returns: `nil` if a part of it could not be part of a request.
    private static func head(of request: WireSocket.Request) -> HTTPRequest? {
        guard let method = HTTPRequest.Method(request.method), request.path.utf8.first == UInt8(ascii: "/") else {
            return nil
        }
        var fields: HTTPFields = [:]
        for (name, value) in request.headers {
            guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { return nil }
            fields[name] = value
        }
        if request.body != nil, fields[.contentType] == nil { fields[.contentType] = "application/json" }
        return HTTPRequest(method: method, scheme: nil, authority: nil, path: request.path, headerFields: fields)
    }

    // MARK: - The token

    private static let revoked = WebSocketClose(.policyViolation, "the token is no longer valid")

    /// Closes the connection when its token is no longer valid. Ends when cancelled.
    private func closeWhenRevoked() async {
        while (try? await Task.sleep(for: checkInterval)) != nil {
            // A storage that fails is asked again.
            if let isAuthorized = try? await opening.isAuthorized(storage), !isAuthorized {
                return stream.close(Self.revoked)
            }
        }
    }
}
