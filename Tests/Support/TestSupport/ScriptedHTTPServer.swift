package import CausewayTLS
package import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A server on a real loopback socket that responds to each request according to a script: correctly, wrongly, late, in
/// part, or not at all. Any task may read its records.
package final class ScriptedHTTPServer: Sendable {
    /// One action of the server on a connection; a script is a list of them, performed in order.
    package enum Step: Sendable {
        /// Writes these bytes unchanged.
        case write(String)
        case writeBytes([UInt8])
        /// Does nothing for this time.
        case wait(Duration)
        /// Ends the connection in order: with FIN, and under TLS with its closing alert.
        case close
        /// Ends the connection with RST, at any point.
        case reset
    }

    /// A complete request.
    package struct Request: Sendable {
        /// 1 for the first request that the server received, over all connections.
        package let number: Int
        package let method: String
        package let path: String
        package let headers: [(name: String, value: String)]
        package let body: ByteBuffer

        fileprivate init(number: Int, _ head: HTTPRequestHead, body: ByteBuffer) {
            self.number = number
            method = head.method.rawValue
            path = head.uri
            headers = head.headers.map { ($0.name, $0.value) }
            self.body = body
        }

        /// The value of the first field of that name, in any case.
        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    /// Returns the actions for a request. An empty list stalls: the client receives nothing more.
    package typealias Script = @Sendable (Request) -> [Step]

    /// Tells each client that waits to continue.
    package static let continues: Script = { _ in [.write("HTTP/1.1 100 Continue\r\n\r\n")] }

    private struct Seen {
        var requests: [Request] = []
        var applicationBytes = 0
        var connections: [any Channel] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let seen = Mutex(Seen())
    private let script: Script
    private let expectation: Script
    private let opening: [Step]
    private let tls: TLSServerContext?

    private init(tls: TLSServerContext?, opening: [Step], expectation: @escaping Script, script: @escaping Script) {
        self.tls = tls
        self.opening = opening
        self.expectation = expectation
        self.script = script
    }

    /// Runs a server for as long as `body` runs.
    ///
    /// - Parameters:
    ///   - tls: the TLS configuration of connections; `nil` for none.
    ///   - opening: the actions on each connection before anything is received.
    ///   - expectation: returns the actions for a request whose body waits for `100 (Continue)`, by its header alone.
    ///   - script: called on an event loop; must not block.
    ///   - body: receives the server and its port.
    package static func run<Result: Sendable>(
        tls: TLSServerContext? = nil, opening: [Step] = [],
        expectation: @escaping Script = ScriptedHTTPServer.continues,
        script: @escaping Script,
        body: (_ server: ScriptedHTTPServer, _ port: Int) async throws -> Result
    ) async throws -> Result {
        let server = ScriptedHTTPServer(tls: tls, opening: opening, expectation: expectation, script: script)
        let listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try server.accept(channel) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let result = try await body(server, listening.localAddress?.port ?? 0)
            await server.end(listening)
            return result
        } catch {
            await server.end(listening)
            throw error
        }
    }

    /// The requests so far, in the order of their ends.
    package var requests: [Request] { seen.withLock { $0.requests } }

    /// Plain bytes that any client sent; 0 when none got past its handshake.
    package var applicationBytes: Int { seen.withLock { $0.applicationBytes } }

    /// The number of accepted connections.
    package var connectionCount: Int { seen.withLock { $0.connections.count } }

    /// Returns when the server has received this many requests.
    package func hasRequests(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = seen.withLock { seen in
                if seen.requests.count >= count { return true }
                seen.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    // MARK: - On the event loops

    private func accept(_ channel: any Channel) throws {
        seen.withLock { $0.connections.append(channel) }
        let pipeline = channel.pipeline.syncOperations
        let breaker = Breaker()
        try pipeline.addHandler(breaker)
        if let tls { try pipeline.addHandler(tls.makeHandler()) }
        try pipeline.addHandlers([
            ByteCounter(server: self), ByteToMessageHandler(HTTPRequestDecoder()),
            Conversation(server: self, opening: opening, breaker: breaker),
        ])
    }

    private func end(_ listening: any Channel) async {
        try? await listening.close()
        let (connections, waiters) = seen.withLock { seen in
            defer { seen.waiters = [] }
            return (seen.connections, seen.waiters)
        }
        for waiter in waiters { waiter.continuation.resume() }
        for connection in connections { try? await connection.close() }
    }

    fileprivate func count(_ bytes: Int) {
        seen.withLock { $0.applicationBytes += bytes }
    }

    /// The actions before the body of a request.
    fileprivate func answer(_ head: HTTPRequestHead) -> [Step] {
        guard head.headers["Expect"] == ["100-continue"] else { return [] }
        return expectation(Request(number: requests.count + 1, head, body: ByteBuffer()))
    }

    fileprivate func answer(_ head: HTTPRequestHead, _ body: ByteBuffer) -> [Step] {
        let (request, ready) = seen.withLock { seen in
            let request = Request(number: seen.requests.count + 1, head, body: body)
            seen.requests.append(request)
            let ready = seen.waiters.filter { $0.count <= seen.requests.count }
            seen.waiters.removeAll { $0.count <= seen.requests.count }
            return (request, ready)
        }
        for waiter in ready { waiter.continuation.resume() }
        return script(request)
    }
}

extension ScriptedHTTPServer.Step {
    /// A complete response. Sets the length of the body; adds nothing else.
    package static func answer(
        _ status: Int, _ headers: [(String, String)] = [], _ body: String = ""
    ) -> ScriptedHTTPServer.Step {
        var text = "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.utf8.count)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return .write(text + "\r\n" + body)
    }
}

/// Counts plain bytes. Used on its channel's event loop.
private final class ByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let server: ScriptedHTTPServer

    init(server: ScriptedHTTPServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        server.count(unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }
}

/// Collects requests and performs their scripts, one after the other. Used on its channel's event loop.
private final class Conversation: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private let server: ScriptedHTTPServer
    private let breaker: Breaker
    private var steps: [ScriptedHTTPServer.Step]
    private var isWaiting = false
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(server: ScriptedHTTPServer, opening: [ScriptedHTTPServer.Step], breaker: Breaker) {
        self.server = server
        self.breaker = breaker
        steps = opening
    }

    func channelActive(context: ChannelHandlerContext) {
        perform(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
            steps += server.answer(head)
            perform(context)
        case .body(var part):
            body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            self.head = nil
            steps += server.answer(head, body)
            perform(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func perform(_ context: ChannelHandlerContext) {
        while !isWaiting, !steps.isEmpty {
            switch steps.removeFirst() {
            case .write(let text):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            case .writeBytes(let bytes):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            case .wait(let duration):
                isWaiting = true
                context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) { [self] in
                    isWaiting = false
                    perform(context)
                }
            case .close:
                context.close(promise: nil)
            case .reset:
                breaker.reset()
            }
        }
    }
}
