internal import CausewayHTTPServer
internal import CausewayHubStorage
internal import CausewayWebSocket
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Synchronization

/// One open socket: passes its requests to the hub's routes, and their responses back, for as long as it lasts.
///
/// Requests are handled as those of HTTP are: with the same rights, limits and errors. They begin in the order of their
/// messages and run at the same time.
///
/// **Tasks.** A session at rest has none: a suspended task costs more memory than the rest of the session. When the
/// stream has changed, short messages are handled at once, on the thread of the change; the first one that needs a task
/// begins it, and it takes all messages that are there. Each request has a task of its own.
final class SocketSession: Sendable {
    private struct State {
        var reading = SocketReading()
        var requests: [Int64: Task<Void, Never>] = [:]
        var begun: Int64 = 0
        /// Called once, when the session is over.
        var onEnd: (@Sendable () -> Void)?
    }

    let stream: WebSocketStream
    /// The request that opened the socket.
    private let opening: HubRequestContext
    private let responder: any HTTPResponder<HubRequestContext>
    private let contents: MessageContents
    private let history: HubHistory
    private let exchanges = SocketExchanges(windowMax: HubLimits.socketRequestsMax)
    private let state = Mutex(State())

    init(
        _ stream: WebSocketStream, _ opening: HubRequestContext, _ responder: any HTTPResponder<HubRequestContext>,
        _ contents: MessageContents, _ history: HubHistory
    ) {
        self.stream = stream
        self.opening = opening
        self.responder = responder
        self.contents = contents
        self.history = history
    }

    /// Serves until the connection has ended; when the stream was told to stop, until the requests in progress are
    /// done.
    ///
    /// - Parameter onEnd: called once, when no task of the session is left.
    func start(onEnd: @escaping @Sendable () -> Void) {
        state.withLock { $0.onEnd = onEnd }
        stream.watch { [self] in changed() }
    }

    /// Closes the connection if its token is no longer valid.
    func closeIfRevoked(_ storage: any HubStorage) async {
        // A storage that fails is asked again.
        guard let isAuthorized = try? await opening.isAuthorized(storage), !isAuthorized else { return }
        stream.close(Self.revoked)
    }

    private static let revoked = WebSocketClose(.policyViolation, "the token is no longer valid")

    // MARK: - Messages

    private func changed() {
        guard state.withLock({ $0.reading.changed() }) else { return }
        while looksAgain() {
            // A reader of events says what it has read, time and again: a task for each would cost more than all else.
            while let message = stream.takeShort(bytesMax: HubLimits.socketShortMessageBytes) {
                guard let request = handle(contentAtHand(of: message)) else { continue }
                return readOn(beginning: request)
            }
            if stream.hasMessage { return readOn(beginning: nil) }
            endRequests()
        }
        endIfDone()
    }

    /// Goes on in a task.
    private func readOn(beginning request: WireSocket.Request?) {
        state.withLock { $0.reading.passOn() }
        Task {
            if let request { await begin(request) }
            await read()
        }
    }

    private func read() async {
        while looksAgain() {
            while let message = stream.take() {
                if let request = handle(await content(of: message)) { await begin(request) }
            }
            endRequests()
        }
        endIfDone()
    }

    private func looksAgain() -> Bool { state.withLock { $0.reading.lookAgain() } }

    /// The message of a client, or the reason to close the connection.
    private typealias Content = Result<WireSocket.ClientMessage, WebSocketClose>

    private func contentAtHand(of message: WebSocketMessage) -> Content {
        do {
            return Self.parse(try message.content())
        } catch {
            return .failure(error as? WebSocketClose ?? WebSocketClose(.internalError))
        }
    }

    private func content(of message: WebSocketMessage) async -> Content {
        do throws(WebSocketClose) {
            return try await contents.with(message, opening, Self.parse)
        } catch {
            return .failure(error)
        }
    }

    private static func parse(_ text: [UInt8]) -> Content {
        do throws(WireSocket.Problem) {
            return .success(try WireSocket.ClientMessage(text))
        } catch {
            switch error {
            case .malformed: return .failure(WebSocketClose(.invalidData, "not a message of this protocol"))
            case .headTooLarge:
                return .failure(
                    WebSocketClose(
                        .tooLarge, "a message without its body exceeds \(WireSocket.headBytesMax) bytes"))
            }
        }
    }

    /// - Returns: a request that is to begin.
    private func handle(_ content: Content) -> WireSocket.Request? {
        switch content {
        case .failure(let close): stream.close(close)
        case .success(.cancel(let id)): exchanges[id]?.end()
        case .success(.read(let id, let parts)): exchanges[id]?.partsRead(parts)
        case .success(.request(let request)): return request
        }
        return nil
    }

    private func begin(_ request: WireSocket.Request) async {
        let isLasting = request.path.prefix { $0 != "?" } == WireProtocol.eventsPath
        if !isLasting { await exchanges.waitForRoom() }
        switch exchanges.begin(request.id, isLasting: isLasting) {
        case .duplicate: stream.close(WebSocketClose(.policyViolation, "the id \(request.id) is in use"))
        case .tooMany:
            // Here, so that a client that reads no responses is not read either: it could collect tasks otherwise.
            let exchange = SocketExchange(id: request.id, isLasting: true)
            await respond(to: exchange) { refusal(.busy) }
        case .admitted(let exchange): perform(request, exchange)
        }
    }

    private func perform(_ request: WireSocket.Request, _ exchange: SocketExchange) {
        state.withLock { state in
            state.begun += 1
            let number = state.begun
            // Its end waits for the lock.
            state.requests[number] = Task {
                await respond(to: exchange) { try await response(to: request, exchange) }
                exchanges.finish(exchange)
                ended(number)
            }
        }
    }

    private func ended(_ number: Int64) {
        state.withLock { $0.requests[number] = nil }
        endIfDone()
    }

    private func respond(to exchange: SocketExchange, _ make: () async throws -> Response) async {
        do {
            let response = try await make()
            let sender = SocketResponse(exchange: exchange, stream: stream) { [exchanges] in
                exchanges.releaseID(of: exchange)
            }
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
            return refusal(
                HubHTTPError(
                    .badRequest, code: "requestInvalid",
                    detail: "the message has a method, a path or a header field that no request can have"))
        }
        let body = RequestBody(buffer: ByteBuffer(bytes: request.body ?? []))
        return try await responder.respond(to: Request(head: head, body: body), context: context)
    }

    /// The response to a request that no route gets to see; those of the routes name the history by themselves.
    private func refusal(_ error: HubHTTPError) -> Response {
        var response = error.response
        response.headers[JSONResponse.historyField] = history.text
        return response
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

    // MARK: - The end

    /// When no further message will be taken, the requests in progress end: those that wait for something, or all of
    /// them when the connection has ended.
    private func endRequests() {
        let hasEnded = stream.end != nil
        guard hasEnded || stream.isStopping else { return }
        exchanges.end(lastingOnly: !hasEnded)
        guard hasEnded else { return }
        let requests = state.withLock { Array($0.requests.values) }
        for request in requests { request.cancel() }
    }

    /// Ends the session when its last task has ended and no message will follow.
    private func endIfDone() {
        guard state.withLock({ !$0.reading.isReading && $0.requests.isEmpty }) else { return }
        guard let end = stream.end else {
            if stream.isStopping { stream.close(WebSocketClose(.goingAway, "the hub stops")) }
            return
        }
        let onEnd = state.withLock { state in
            defer { state.onEnd = nil }
            return state.onEnd
        }
        guard let onEnd else { return }
        opening.logger.debug("socket ended", metadata: ["end": "\(end)"])
        onEnd()
    }
}
