import CausewayModels
import CausewayTestSupport
import CausewayWire
import NIOCore
import NIOPosix
import Synchronization

/// A WebSocket client that writes its frames byte by byte, so that it can break every rule.
final class RawSocket: Sendable {
    struct Frame: Sendable, Equatable {
        var opcode: UInt8
        var isFinal = true
        var isMasked = true
        var reservedBits: UInt8 = 0
        var payload: [UInt8] = []

        static func text(_ text: String) -> Frame { Frame(opcode: 1, payload: Array(text.utf8)) }
        static func ping(_ text: String) -> Frame { Frame(opcode: 9, payload: Array(text.utf8)) }
        static let pong = Frame(opcode: 10)
        static func close(_ code: UInt16, _ reason: String = "") -> Frame {
            Frame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + reason.utf8)
        }

        var bytes: [UInt8] {
            var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | reservedBits | opcode]
            let mask: UInt8 = isMasked ? 0x80 : 0
            switch payload.count {
            case 0...125: bytes.append(mask | UInt8(payload.count))
            case 126...0xFFFF: bytes += [mask | 126] + Self.bigEndian(payload.count, 2)
            default: bytes += [mask | 127] + Self.bigEndian(payload.count, 8)
            }
            guard isMasked else { return bytes + payload }
            let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
            return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
        }

        private static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) }
        }
    }

    /// The connection ended.
    struct Ended: Error {}

    private struct State {
        var received: [UInt8] = []
        var isOver = false
        /// Bytes to send for each frame that arrives, and how many times more.
        var echo: (bytes: [UInt8], times: Int)?
    }

    private let channel: any Channel
    private let state = Mutex(State())

    private init(_ channel: any Channel) { self.channel = channel }

    /// Connects without a handshake.
    ///
    /// - Parameter buffer: bytes that the system keeps for this end while they are not read.
    static func connect(port: Int, buffer: Int? = nil) async throws -> RawSocket {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if let buffer { bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(buffer)) }
        // The hub may close the connection at once, and its end is to be seen.
        return try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let socket = RawSocket(channel)
                try channel.pipeline.syncOperations.addHandler(Reader(socket))
                return socket
            }
        }
    }

    /// Connects and opens a socket.
    static func open(_ hub: HubFixture, token: String? = nil, buffer: Int? = nil) async throws -> RawSocket {
        try await open(port: hub.port, token: token ?? hub.client.token ?? "", buffer: buffer)
    }

    static func open(port: Int, token: String, buffer: Int? = nil) async throws -> RawSocket {
        let socket = try await connect(port: port, buffer: buffer)
        let head = try await socket.handshake(token: token)
        guard head.hasPrefix("HTTP/1.1 101 ") else { throw HubClient.Unexpected(status: 0, text: head) }
        return socket
    }

    static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    /// Sends the opening request.
    ///
    /// - Parameter change: changes its header fields.
    /// - Returns: the header of the response.
    func handshake(token: String, change: (inout [String: String]) -> Void = { _ in }) async throws -> String {
        var fields = [
            "Host": "127.0.0.1", "Authorization": "Bearer \(token)", "Upgrade": "websocket", "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": Self.key,
            "Sec-WebSocket-Protocol": WireSocket.subprotocol,
        ]
        change(&fields)
        let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        try await write(Array("GET \(WireSocket.path) HTTP/1.1\r\n\(lines)\r\n".utf8))
        return try await header()
    }

    /// The header of the next response, also of an interim one.
    func header() async throws -> String {
        let end = Array("\r\n\r\n".utf8)
        return try await eventually("the header of the response") { state in
            guard let range = state.received.firstRange(of: end) else { return nil }
            let head = String(decoding: state.received[..<range.upperBound], as: UTF8.self)
            state.received.removeSubrange(..<range.upperBound)
            return head
        }
    }

    /// Returns when the system has taken them; a cancelled caller closes the socket.
    func write(_ bytes: [UInt8]) async throws {
        try await withTaskCancellationHandler {
            try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    func send(_ frames: Frame...) async throws { try await write(frames.flatMap(\.bytes)) }

    func request(_ request: WireSocket.Request) async throws {
        try await send(Frame(opcode: 1, payload: request.text))
    }

    /// The next frame of the hub.
    func frame() async throws -> Frame {
        try await eventually("a frame") { state in Self.parse(&state.received) }
    }

    /// The next message of the hub; answers no pings.
    func response() async throws -> WireSocket.Response {
        var text: [UInt8] = []
        while true {
            let frame = try await frame()
            guard frame.opcode <= 1 else {
                if frame.opcode == 8 { throw Ended() }
                continue
            }
            text += frame.payload
            if frame.isFinal { return try WireSocket.Response(text) }
        }
    }

    /// Sends a request and returns its response, the next message.
    func get(_ path: String, id: Int64 = 1) async throws -> WireSocket.Response {
        try await request(WireSocket.Request(id: id, method: "GET", path: path))
        return try await response()
    }

    /// Sends a request again as soon as its response has arrived, on the thread that reads.
    func echo(_ request: WireSocket.Request, times: Int) async throws {
        let bytes = Frame(opcode: 1, payload: request.text).bytes
        state.withLock { $0.echo = (bytes, times) }
        try await write(bytes)
        // However slow the machine is, as long as responses come.
        var rest: Int? = times
        while let last = rest {
            try await Eventually.holds("another of \(last) requests has its response") {
                try self.state.withLock { state in
                    if state.isOver || state.received.first == 0x88 { throw Ended() }
                    rest = state.echo?.times
                    return rest != last
                }
            }
        }
    }

    /// The code of the close frame that the hub sends, after anything else.
    func closeCode() async throws -> UInt16 {
        while true {
            let frame = try await frame()
            guard frame.opcode == 8 else { continue }
            guard frame.payload.count >= 2 else { return 0 }
            return UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1])
        }
    }

    /// Responds to a close frame of the hub, which waits for that a few seconds only: a slow test may be too late.
    func respondToClose(_ code: UInt16) async { try? await send(.close(code)) }

    /// Returns when the hub has ended the connection.
    func ended() async throws {
        try await Eventually.holds("the connection has ended") { self.state.withLock { $0.isOver } }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    func close() async { try? await channel.close() }

    /// Reads nothing any more.
    func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    func readOn() async throws { try await channel.setOption(.autoRead, value: true).get() }

    private func eventually<Value: Sendable>(
        _ what: String, _ find: @escaping @Sendable (inout State) -> Value?
    ) async throws -> Value {
        let found = Mutex(Value?.none)
        try await Eventually.holds(what) {
            self.state.withLock { state in
                let value = find(&state)
                found.withLock { $0 = value }
                return value != nil || state.isOver
            }
        }
        guard let value = found.withLock({ $0 }) else { throw Ended() }
        return value
    }

    /// Takes messages that are answered by an echo, in one or more frames.
    private static func takeEchoes(_ state: inout State) -> [[UInt8]] {
        var echoes: [[UInt8]] = []
        while let (bytes, times) = state.echo, state.received.first != 0x88, let frame = parse(&state.received) {
            guard frame.isFinal else { continue }
            state.echo = times > 1 ? (bytes, times - 1) : nil
            if times > 1 { echoes.append(bytes) }
        }
        return echoes
    }

    private static func parse(_ bytes: inout [UInt8]) -> Frame? {
        guard bytes.count >= 2 else { return nil }
        var length = Int(bytes[1] & 0x7F)
        var start = 2
        let extra = length == 126 ? 2 : length == 127 ? 8 : 0
        guard bytes.count >= 2 + extra else { return nil }
        if extra > 0 { length = bytes[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) } }
        start += extra
        guard bytes.count >= start + length else { return nil }
        let frame = Frame(
            opcode: bytes[0] & 0x0F, isFinal: bytes[0] & 0x80 != 0, isMasked: bytes[1] & 0x80 != 0,
            reservedBits: bytes[0] & 0x70, payload: Array(bytes[start..<(start + length)]))
        bytes.removeSubrange(..<(start + length))
        return frame
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let socket: RawSocket

        init(_ socket: RawSocket) { self.socket = socket }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(unwrapInboundIn(data).readableBytesView)
            let echoes = socket.state.withLock { state in
                state.received += bytes
                return RawSocket.takeEchoes(&state)
            }
            for bytes in echoes { context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            socket.state.withLock { $0.isOver = true }
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
