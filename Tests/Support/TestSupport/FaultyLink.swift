import NIOCore

/// One connection through a ``FaultProxy``: both sides, on one event loop, to which its state is confined.
final class FaultyLink {
    private struct Side {
        let channel: any Channel
        let breaker: Breaker
    }

    private struct Piece {
        let way: FaultProxy.Way
        var bytes: ByteBuffer
    }

    private let client: Side
    private var server: Side?
    private var fault: FaultProxy.Fault
    /// Bytes carried since the fault has been in force.
    private var carried: [FaultProxy.Way: Int] = [:]
    /// Bytes that the client sent before the server was connected, and those that wait because the line is slow.
    private var waiting: CircularBuffer<Piece> = []
    private var isPausing = false
    private var isOver = false

    init(fault: FaultProxy.Fault, client: any Channel, clientBreaker: Breaker) {
        self.fault = fault
        self.client = Side(channel: client, breaker: clientBreaker)
    }

    func use(_ fault: FaultProxy.Fault) {
        self.fault = fault
        carried = [:]
    }

    func connected(_ channel: any Channel, _ breaker: Breaker) {
        server = Side(channel: channel, breaker: breaker)
        if isOver { breaker.finish() }
    }

    /// Called when the server's side is open.
    func becameActive() {
        carry()
    }

    /// Called when the client's connection is open.
    func began() {
        if case .refuse = fault { reset() }
    }

    func received(_ bytes: ByteBuffer, _ way: FaultProxy.Way) {
        guard !isOver else { return }
        switch fault {
        case .blackHole: return
        case .refuse: return reset()
        case .lostResponse where way == .toClient: return reset()
        case .mute where way == .toClient: return
        case .none, .reset, .finish, .slow, .slices, .lostResponse, .mute: break
        }
        waiting.append(Piece(way: way, bytes: bytes))
        carry()
    }

    /// Called when that side is closed: the other one is closed when everything has been carried.
    func end(_ way: FaultProxy.Way) {
        guard !isOver else { return }
        if case .blackHole = fault { return }
        for piece in waiting where piece.way == way { write(piece.bytes, way) }
        finish()
    }

    private func finish() {
        isOver = true
        waiting.removeAll()
        client.breaker.finish()
        server?.breaker.finish()
    }

    func reset() {
        guard !isOver else { return }
        isOver = true
        client.breaker.reset()
        server?.breaker.reset()
    }

    // MARK: - Carrying

    private func carry() {
        while !isOver, !isPausing, let server, server.channel.isActive, let piece = waiting.popFirst() {
            switch fault {
            case .reset(piece.way, let limit):
                if write(piece, upTo: limit) { reset() }
            case .finish(piece.way, let limit):
                if write(piece, upTo: limit) { finish() }
            case .slices:
                for byte in piece.bytes.readableBytesView { write(ByteBuffer(bytes: [byte]), piece.way) }
            case .slow(let bytes, let pause):
                writeSlowly(piece, bytes, pause)
            case .none, .refuse, .reset, .finish, .blackHole, .lostResponse, .mute:
                write(piece.bytes, piece.way)
            }
        }
    }

    /// - Returns: whether the limit is reached.
    private func write(_ piece: Piece, upTo limit: Int) -> Bool {
        let before = carried[piece.way, default: 0]
        var bytes = piece.bytes
        let allowed = min(bytes.readableBytes, max(0, limit - before))
        if allowed > 0, let part = bytes.readSlice(length: allowed) { write(part, piece.way) }
        carried[piece.way] = before + allowed
        return before + piece.bytes.readableBytes >= limit
    }

    private func writeSlowly(_ piece: Piece, _ bytes: Int, _ pause: Duration) {
        var piece = piece
        let length = min(max(1, bytes), piece.bytes.readableBytes)
        if let part = piece.bytes.readSlice(length: length) { write(part, piece.way) }
        if piece.bytes.readableBytes > 0 { waiting.prepend(piece) }
        isPausing = true
        client.channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(pause)) { [self] in
            isPausing = false
            carry()
        }
    }

    private func write(_ bytes: ByteBuffer, _ way: FaultProxy.Way) {
        let channel = way == .toServer ? server?.channel : client.channel
        channel?.writeAndFlush(bytes, promise: nil)
    }
}

/// Passes the bytes from one side to its link.
final class FaultyPump: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let link: FaultyLink
    /// The direction of the bytes read here.
    private let way: FaultProxy.Way

    init(_ link: FaultyLink, _ way: FaultProxy.Way) {
        self.link = link
        self.way = way
    }

    func channelActive(context: ChannelHandlerContext) {
        if way == .toClient { link.becameActive() } else { link.began() }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        link.received(unwrapInboundIn(data), way)
    }

    func channelInactive(context: ChannelHandlerContext) {
        link.end(way)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
