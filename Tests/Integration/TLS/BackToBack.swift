import CausewayTLS
import CausewayTestSupport
import NIOCore
import NIOEmbedded
import Testing

/// A client's and a server's handler without a network: the bytes are carried between them by hand.
final class BackToBack {
    let client = EmbeddedChannel()
    let server = EmbeddedChannel()
    let clientLog = Watched(ConnectionLog())
    let serverLog = Watched(ConnectionLog())

    /// - Parameters:
    ///   - below: a handler between the client's handler and its socket.
    ///   - above: a handler between the client's handler and its recorder.
    init(
        _ certificates: TestCertificates, client context: TLSClientContext? = nil,
        server serverContext: TLSServerContext? = nil,
        serverName: String = "localhost", below: (any ChannelHandler)? = nil, above: (any ChannelHandler)? = nil
    ) throws {
        let pipeline = client.pipeline.syncOperations
        if let below { try pipeline.addHandler(below) }
        try pipeline.addHandler((context ?? certificates.client()).makeHandler(serverName: serverName))
        if let above { try pipeline.addHandler(above) }
        try pipeline.addHandler(Recorder(clientLog))
        try server.pipeline.syncOperations.addHandlers([
            (serverContext ?? certificates.serverContext()).makeHandler(), Recorder(serverLog),
        ])
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        server.connect(to: address, promise: nil)
        client.connect(to: address, promise: nil)
    }

    deinit {
        client.end()
        server.end()
    }

    var isSecured: Bool { clientLog.value.completed != nil && serverLog.value.completed != nil }

    /// Carries bytes both ways, in slices of that size, until neither side sends any more.
    func exchange(slice: Int = .max, change: ((inout ByteBuffer) -> Void)? = nil) throws {
        while true {
            let up = try carry(from: client, to: server, slice: slice, change: change)
            let down = try carry(from: server, to: client, slice: slice, change: change)
            if !up, !down { return }
        }
    }

    @discardableResult
    func carry(
        from source: EmbeddedChannel, to sink: EmbeddedChannel, slice: Int = .max,
        change: ((inout ByteBuffer) -> Void)? = nil
    ) throws -> Bool {
        var carried = false
        while var bytes = try source.readOutbound(as: ByteBuffer.self) {
            carried = carried || bytes.readableBytes > 0
            change?(&bytes)
            while let part = bytes.readSlice(length: min(slice, bytes.readableBytes)), part.readableBytes > 0 {
                guard sink.isActive else { break }
                // Like a socket with automatic reading.
                sink.read()
                try sink.writeInbound(part)
            }
            (sink.embeddedEventLoop).run()
        }
        return carried
    }

    func secure() throws {
        try exchange()
        try #require(isSecured)
    }
}

extension EmbeddedChannel {
    /// Closes, and advances the time that a close may wait for its peer.
    func end() {
        close(promise: nil)
        embeddedEventLoop.advanceTime(by: .seconds(TLSLimits.closeFlushSecondsMax + TLSLimits.closeLingerSecondsMax))
    }

    func send(_ text: String, flush: Bool = true) -> EventLoopFuture<Void> {
        let written = write(ByteBuffer(string: text))
        if flush { self.flush() }
        return written
    }
}

/// The result of a promise, for later inspection.
final class Outcome {
    private(set) var result: Result<Void, any Error>?

    init(_ future: EventLoopFuture<Void>) {
        future.assumeIsolated().whenComplete { self.result = $0 }
    }

    var isDone: Bool { if case .success = result { true } else { false } }
    var error: (any Error)? { if case .failure(let error) = result { error } else { nil } }
}

/// A number generator that is reproducible by its seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
