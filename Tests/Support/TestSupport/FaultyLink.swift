import NIOCore

/// One connection through a ``FaultProxy``: both sides, on one event loop, to which its state is confined.
final class FaultyLink {
    private struct Side {
        let channel: any Channel
        let breaker: Breaker
    }

    private let client: Side
    private var server: Side?
    private var fault: FaultProxy.Fault
    /// Bytes carried since the fault has been in force.
    private var carried: [FaultProxy.Way: Int] = [:]
    /// Bytes that the client sent before the server was connected, and those that wait because the line is slow.
    private var waiting: [FaultProxy.Way: CircularBuffer<ByteBuffer>] = [:]
    /// The directions in which a slow line pauses.
    private var pausing: Set<FaultProxy.Way> = []
    /// The directions whose sender is not read: enough of its bytes wait.
    private var held: Set<FaultProxy.Way> = []
    private static let waitingBytesMax = 64 * 1024
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
        for way in FaultProxy.Way.allCases { carry(way) }
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
        waiting[way, default: []].append(bytes)
        carry(way)
        holdSender(way)
    }

    /// A slow line slows its sender down, as a real one does.
    private func holdSender(_ way: FaultProxy.Way) {
        let bytes = waiting[way, default: []].reduce(0) { $0 + $1.readableBytes }
        let isTooMuch = bytes > Self.waitingBytesMax
        guard isTooMuch != held.contains(way), let channel = way == .toServer ? client.channel : server?.channel else {
            return
        }
        if isTooMuch { held.insert(way) } else { held.remove(way) }
        try? channel.syncOptions?.setOption(.autoRead, value: !isTooMuch)
    }

    /// Called when that side is closed: the other one is closed when everything has been carried.
    func end(_ way: FaultProxy.Way) {
        guard !isOver else { return }
        if case .blackHole = fault { return }
        for bytes in waiting[way, default: []] { write(bytes, way) }
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

    private func carry(_ way: FaultProxy.Way) {
        while !isOver, !pausing.contains(way), let server, server.channel.isActive,
            let bytes = waiting[way]?.popFirst()
        {
            switch fault {
            case .reset(way, let limit):
                if write(bytes, way, upTo: limit) { reset() }
            case .finish(way, let limit):
                if write(bytes, way, upTo: limit) { finish() }
            case .slices:
                for byte in bytes.readableBytesView { write(ByteBuffer(bytes: [byte]), way) }
            case .slow(let count, let pause):
                writeSlowly(bytes, way, count, pause)
            case .none, .refuse, .reset, .finish, .blackHole, .lostResponse, .mute:
                write(bytes, way)
            }
        }
    }

    /// - Returns: whether the limit is reached.
    private func write(_ piece: ByteBuffer, _ way: FaultProxy.Way, upTo limit: Int) -> Bool {
        let before = carried[way, default: 0]
        var bytes = piece
        let allowed = min(bytes.readableBytes, max(0, limit - before))
        if allowed > 0, let part = bytes.readSlice(length: allowed) { write(part, way) }
        carried[way] = before + allowed
        return before + piece.readableBytes >= limit
    }

    private func writeSlowly(_ piece: ByteBuffer, _ way: FaultProxy.Way, _ count: Int, _ pause: Duration) {
        var piece = piece
        let length = min(max(1, count), piece.readableBytes)
        if let part = piece.readSlice(length: length) { write(part, way) }
        if piece.readableBytes > 0 { waiting[way, default: []].prepend(piece) }
        pausing.insert(way)
        client.channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(pause)) { [self] in
            pausing.remove(way)
            carry(way)
            if !isOver { holdSender(way) }
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
