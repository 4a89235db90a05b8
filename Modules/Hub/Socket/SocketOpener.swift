internal import CausewayHTTPServer
internal import CausewayHubStorage
internal import CausewayWebSocket
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1
internal import Synchronization

/// Opens sockets (`GET /v1/socket`), bounded in all, for each account and for each address; and stops them.
final class SocketOpener: Sendable {
    private struct State {
        var open: [ObjectIdentifier: SocketSession] = [:]
        var isStopping = false
        /// Runs while sockets are open, and a little longer.
        var checking: Task<Void, Never>?
        /// Waits for the end of all sockets.
        var ending: CheckedContinuation<Void, Never>?
    }

    private let storage: any HubStorage
    private let bodies: BodyLimiter
    private let contents: MessageContents
    private let checkInterval: Duration
    private let limits: WebSocketLimits
    /// Counts sockets as bytes.
    private let shares: ByteShares
    private let state = Mutex(State())

    /// - Parameter bodies: counts the bytes of requests that have not arrived completely.
    init(_ storage: any HubStorage, _ bodies: BodyLimiter, _ configuration: HubConfiguration) {
        self.storage = storage
        self.bodies = bodies
        contents = MessageContents(bodies)
        checkInterval = configuration.socketCheck
        limits = configuration.sockets
        let counts = configuration.socketCounts
        shares = ByteShares(
            totalMax: counts.total, perAccountMax: counts.perAccount, perPeerMax: counts.perPeer)
    }

    /// The number of open sockets.
    var count: Int { state.withLock { $0.open.count } }

    /// Responds with 101, and serves the socket until it ends.
    ///
    /// - Parameters:
    ///   - responder: handles its requests.
    ///   - history: is named in the responses that come from no route.
    /// - Throws: 400, 403 or 426 for a request that cannot become a socket; 503 `busy` if there are too many.
    func open(
        _ request: Request, _ context: HubRequestContext, _ responder: any HTTPResponder<HubRequestContext>,
        _ history: HubHistory
    ) async throws -> Response {
        guard request.headers[values: Self.originField].isEmpty else { throw HubHTTPError.originRefused }
        let fields: HTTPHeaders
        let compression: PerMessageDeflate?
        do throws(WebSocketHandshake.Problem) {
            let asked = HTTPHeaders(request.headers)
            let key = try WebSocketHandshake.key(of: asked, subprotocol: WireSocket.subprotocol)
            let accepted =
                try limits.compresses ? PerMessageDeflate.accepting(asked["Sec-WebSocket-Extensions"]) : nil
            compression = accepted?.0
            fields = try await Self.fields(key, extensions: accepted?.response, context.channel)
        } catch {
            throw HubHTTPError(error)
        }
        let owner = try context.requireOwner()
        let lease = ByteLease(shares, for: owner)
        try lease.add(1)
        let stream = WebSocketStream(limits, compression)
        let received = bodies.lease(for: owner)
        context.channel.triggerUserOutboundEvent(
            ConnectionUpgrade { loop in stream.serverPipeline(on: loop) { received.change(by: $0) } }, promise: nil)
        context.channel.closeFuture.whenComplete { _ in stream.connectionClosed() }
        let session = SocketSession(stream, context, responder, contents, history)
        var response = Response(status: .switchingProtocols, headers: HTTPFields(fields, splitCookie: false))
        response.headers[Self.windowField] = String(HubLimits.socketRequestsMax)
        response.body = ResponseBody { [self] writer in
            enter(session)
            session.start { [self] in
                leave(session)
                withExtendedLifetime(lease) {}
            }
            try await writer.finish(nil)
        }
        return response
    }

    /// Ends all sockets after their requests in progress, now and later.
    func stop() {
        let open = state.withLock { state in
            state.isStopping = true
            return Array(state.open.values)
        }
        for session in open { session.stream.stop() }
    }

    /// Ends all sockets after their requests in progress, at once when cancelled, and waits for them and for everything
    /// that reads the storage here. Called after the server has ended, which knows nothing of open sockets.
    func end() async {
        stop()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if !state.open.isEmpty { state.ending = continuation }
                    return state.open.isEmpty
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let open = state.withLock { Array($0.open.values) }
            for session in open { session.stream.abort() }
        }
        let checking = state.withLock { $0.checking }
        checking?.cancel()
        await checking?.value
    }

    private func enter(_ session: SocketSession) {
        let isStopping = state.withLock { state in
            state.open[ObjectIdentifier(session)] = session
            if state.checking == nil, !state.isStopping { state.checking = Task { await closeRevoked() } }
            return state.isStopping
        }
        if isStopping { session.stream.stop() }
    }

    private func leave(_ session: SocketSession) {
        let ending = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.open[ObjectIdentifier(session)] = nil
            guard state.open.isEmpty else { return nil }
            defer { state.ending = nil }
            return state.ending
        }
        ending?.resume()
    }

    /// Closes the sockets whose tokens are no longer valid, now and then, while there are any. One task for all: a task
    /// for each would take most of a session's memory.
    private func closeRevoked() async {
        while (try? await Task.sleep(for: checkInterval)) != nil {
            let open = state.withLock { state in
                if state.open.isEmpty { state.checking = nil }
                return Array(state.open.values)
            }
            if open.isEmpty { return }
            for session in open where !Task.isCancelled { await session.closeIfRevoked(storage) }
        }
    }

    private static func fields(
        _ key: String, extensions: String?, _ channel: any Channel
    ) async throws(WebSocketHandshake.Problem) -> HTTPHeaders {
        do {
            return try await WebSocketHandshake.responseFields(
                key: key, subprotocol: WireSocket.subprotocol, extensions: extensions, on: channel)
        } catch {
            throw .key
        }
    }

    private static let originField = field("Origin")
    private static let windowField = field(WireSocket.windowHeader)

    private static func field(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("The name of a header field is valid.") }
        return name
    }
}

extension HubHTTPError {
    /// A page of a browser sends its origin, and the token is not for pages.
    fileprivate static var originRefused: HubHTTPError {
        HubHTTPError(.forbidden, code: "originRefused", detail: "sockets are not for web pages; send no Origin")
    }

    fileprivate init(_ problem: WebSocketHandshake.Problem) {
        switch problem {
        case .notAskedFor, .version:
            self.init(
                .upgradeRequired, code: "upgradeRequired",
                detail: "this path is a WebSocket (RFC 6455, version \(WebSocketHandshake.version))",
                headers: [.upgrade: "websocket"])
            if let name = HTTPField.Name("Sec-WebSocket-Version") { headers[name] = WebSocketHandshake.version }
        case .key:
            self.init(.badRequest, code: "upgradeInvalid", detail: "invalid Sec-WebSocket-Key; send 16 bytes in Base64")
        case .subprotocol:
            self.init(
                .badRequest, code: "upgradeInvalid",
                detail: "the subprotocol \(WireSocket.subprotocol) is missing in Sec-WebSocket-Protocol")
        case .extensions:
            self.init(
                .badRequest, code: "upgradeInvalid",
                detail: "invalid Sec-WebSocket-Extensions; send a list of extensions with their parameters")
        }
    }
}
