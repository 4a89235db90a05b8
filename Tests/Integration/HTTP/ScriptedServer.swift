import CausewayTLS
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A server on a real socket that treats each connection according to a script, byte by byte.
struct ScriptedServer {
    /// The address of a server.
    enum BindAddress {
        case loopback
        case unix(path: String)
    }

    /// - Parameters:
    ///   - tls: secures every connection before it is passed to the script.
    ///   - bytesPerRead: the most bytes that are received at a time, and only when the script reads; `nil` to receive
    ///     whatever comes.
    ///   - script: runs once for each connection; when it returns, the connection is closed.
    ///   - body: gets the port (0 for a Unix socket). When it returns, the server ends.
    static func run<Result: Sendable>(
        at place: BindAddress = .loopback, tls: TLSServerContext? = nil, bytesPerRead: Int? = nil,
        script: @escaping @Sendable (ScriptedConnection) async throws -> Void,
        body: (_ port: Int) async throws -> Result
    ) async throws -> Result {
        let connections = Connections(readsOnRequest: bytesPerRead != nil, script: script)
        var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let (stream, received) = AsyncStream.makeStream(of: ByteBuffer.self)
                    if let tls { try channel.pipeline.syncOperations.addHandler(try tls.makeHandler()) }
                    let receiver = Receiver(received) { connections.begin(channel, stream) }
                    try channel.pipeline.syncOperations.addHandler(receiver)
                }
            }
        if let bytesPerRead {
            // The connections inherit the size of the system's buffer, which does not grow then.
            bootstrap = bootstrap.serverChannelOption(.socketOption(.so_rcvbuf), value: 128 * 1024)
                .childChannelOption(.autoRead, value: false)
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: bytesPerRead))
        }
        let server: any Channel
        switch place {
        case .loopback: server = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        case .unix(let path): server = try await bootstrap.bind(unixDomainSocketPath: path).get()
        }
        do {
            let result = try await body(server.localAddress?.port ?? 0)
            try await server.close()
            await connections.end()
            return result
        } catch {
            try? await server.close()
            await connections.end()
            throw error
        }
    }

    /// The running scripts, one task for each connection.
    private final class Connections: Sendable {
        private let readsOnRequest: Bool
        private let script: @Sendable (ScriptedConnection) async throws -> Void
        private let running = Mutex<[(any Channel, Task<Void, Never>)]>([])

        init(
            readsOnRequest: Bool, script: @escaping @Sendable (ScriptedConnection) async throws -> Void
        ) {
            self.readsOnRequest = readsOnRequest
            self.script = script
        }

        func begin(_ channel: any Channel, _ received: AsyncStream<ByteBuffer>) {
            running.withLock { running in
                let number = running.count + 1
                let task = Task { [script, readsOnRequest] in
                    let connection = ScriptedConnection(
                        number: number, channel: channel, received: received, readsOnRequest: readsOnRequest)
                    // A script whose peer has closed fails to write, which is expected.
                    try? await script(connection)
                    try? await channel.close()
                }
                running.append((channel, task))
            }
        }

        func end() async {
            for (channel, task) in running.withLock({ $0 }) {
                task.cancel()
                channel.close(promise: nil)
                await task.value
            }
        }
    }

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: AsyncStream<ByteBuffer>.Continuation
        private let begin: () -> Void

        /// - Parameter begin: starts the script; not before the channel is active, because one that is not registered
        ///   forgets that it was to be read.
        init(_ received: AsyncStream<ByteBuffer>.Continuation, begin: @escaping () -> Void) {
            self.received = received
            self.begin = begin
        }

        func channelActive(context: ChannelHandlerContext) {
            begin()
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received.yield(unwrapInboundIn(data))
        }

        func channelInactive(context: ChannelHandlerContext) {
            received.finish()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}

/// One accepted connection controlled by a script. Used by one task.
final class ScriptedConnection {
    /// 1 for the first connection that the server accepted.
    let number: Int
    private let channel: any Channel
    private var inbound: AsyncStream<ByteBuffer>.AsyncIterator
    private let readsOnRequest: Bool
    private var received: [UInt8] = []

    init(number: Int, channel: any Channel, received: AsyncStream<ByteBuffer>, readsOnRequest: Bool) {
        self.number = number
        self.channel = channel
        self.inbound = received.makeAsyncIterator()
        self.readsOnRequest = readsOnRequest
    }

    /// The next bytes, or `nil` if the client closed instead.
    private func nextBytes() async -> ByteBuffer? {
        if readsOnRequest { channel.read() }
        return await inbound.next(isolation: #isolation)
    }

    /// The next complete request as received, or `nil` if the client closed instead.
    func readRequest() async throws -> String? {
        while true {
            if let end = endOfRequest() {
                let request = String(decoding: received[..<end], as: UTF8.self)
                received.removeFirst(end)
                return request
            }
            guard let more = await nextBytes() else { return nil }
            received += more.readableBytesView
        }
    }

    private func endOfRequest() -> Int? {
        guard let range = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: received[..<range.lowerBound], as: UTF8.self).lowercased()
        var length = 0
        for line in head.split(separator: "\r\n") where line.hasPrefix("content-length:") {
            length = Int(line.dropFirst("content-length:".count).drop { $0 == " " }) ?? 0
        }
        let end = range.upperBound + length
        return received.count >= end ? end : nil
    }

    /// The header of a request, in lower case.
    struct Head {
        let text: String

        var contentLength: Int {
            let name = "content-length:"
            let line = text.split(separator: "\r\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.dropFirst(name.count).drop { $0 == " " }) } ?? 0
        }
    }

    /// The header of the next request, without its body; `nil` if the client closed instead.
    func readHead() async throws -> Head? {
        while true {
            if let range = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                let text = String(decoding: received[..<range.lowerBound], as: UTF8.self).lowercased()
                received.removeFirst(range.upperBound)
                return Head(text: text)
            }
            guard let more = await nextBytes() else { return nil }
            received += more.readableBytesView
        }
    }

    /// The next bytes, fewer only if the client closes.
    func readBody(_ count: Int) async throws -> [UInt8] {
        while received.count < count, let more = await nextBytes() {
            received += more.readableBytesView
        }
        defer { received.removeFirst(min(count, received.count)) }
        return Array(received.prefix(count))
    }

    /// Leaves what the client sends in the system's buffers.
    func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    /// - Parameter stalled: called once the write has taken longer than this.
    func write(
        _ bytes: ByteBuffer, noticing time: TimeAmount, _ stalled: @escaping @Sendable () -> Void
    ) async throws {
        let timer = channel.eventLoop.scheduleTask(in: time) { stalled() }
        defer { timer.cancel() }
        try await channel.writeAndFlush(bytes)
    }

    func write(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Writes one byte for each segment.
    func writeSliced(_ text: String) async throws {
        for byte in text.utf8 {
            try await channel.writeAndFlush(ByteBuffer(bytes: [byte]))
        }
    }

    /// Sends nothing until the client closes.
    func untilClosed() async throws {
        while await inbound.next(isolation: #isolation) != nil {}
    }

    /// Sends this in plain text and uses TLS from then on.
    func write(_ text: String, thenSecureBy tls: TLSServerContext) async throws {
        try await channel.eventLoop.submit { [channel] in
            channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
            try channel.pipeline.syncOperations.addHandler(try tls.makeHandler(), position: .first)
        }.get()
    }

    /// Ends a secure connection without `close_notify`.
    func cut() async throws {
        try await channel.eventLoop.submit { [channel] in
            try channel.pipeline.syncOperations.context(handlerType: TLSHandler.self).close(promise: nil)
        }.get()
    }

    /// Closes with RST instead of FIN.
    func reset() async throws {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }
}

/// A log of the scripts' events for the test.
final class Log: Sendable {
    private let storage = Mutex<[String]>([])

    var lines: [String] { storage.withLock { $0 } }

    func add(_ line: String) {
        storage.withLock { $0.append(line) }
    }
}

/// An event that occurs once and can be awaited by many.
final class Event: Sendable {
    private struct State {
        var happened = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func fire() {
        let waiters = state.withLock { state in
            state.happened = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let happened = state.withLock { state in
                if !state.happened { state.waiters.append(continuation) }
                return state.happened
            }
            if happened { continuation.resume() }
        }
    }
}

/// The number of connections that a server's scripts have open.
final class OpenConnections: Sendable {
    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func add(_ count: Int) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count += count
            guard state.count == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when none is open.
    func noneOpen() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.count > 0 { state.waiters.append(continuation) }
                return state.count > 0
            }
            if !isOpen { continuation.resume() }
        }
    }
}

/// The pace at which a server of these tests sends; nothing waits for it.
func pace(_ milliseconds: Int) async throws {
    let time = TimeAmount.milliseconds(Int64(milliseconds))
    try await MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: time) {}.futureResult.get()
}
