package import NIOCore
package import NIOWebSocket

/// The owner of a connection, which is notified of its messages. All calls are made on the connection's event loop.
package protocol WebSocketOwner: AnyObject {
    /// A complete message: a text, unless ``WebSocketLimits/acceptsBinary`` is set. It counts as waiting until
    /// ``WebSocketHandler/consumed(_:)`` is called.
    func received(_ message: WebSocketMessage, from handler: WebSocketHandler)

    /// Bytes arrived, whether they complete a message or not.
    func heard(from handler: WebSocketHandler)

    /// The connection has ended; nothing follows.
    func ended(_ end: WebSocketEnd, of handler: WebSocketHandler)
}

extension WebSocketOwner {
    package func heard(from handler: WebSocketHandler) {}
}

/// One end of a WebSocket connection (RFC 6455), behind SwiftNIO's frame codec: messages, compressed if that was agreed
/// (``PerMessageDeflate``).
///
/// ```
///  open ──close(), a violation──▶ closing ──close frame, time-out──▶ ended
///    │                                                                ▲
///    └────────── close frame (returned), cut, silence ────────────────┘
/// ```
///
/// - Control frames are answered at once; of several pings that arrive while a pong cannot leave, the last one is.
/// - A peer that is silent for ``WebSocketLimits/unansweredPingsMax`` pings, or does not read for
///   ``WebSocketLimits/write``, is gone.
/// - While received messages wait for their consumer beyond their limits, nothing more is read.
/// - What handlers behind this one write is discarded: on a server they served HTTP until the upgrade.
///
/// Not `Sendable`: all code runs on the channel's event loop.
package final class WebSocketHandler: ChannelDuplexHandler {
    package typealias InboundIn = WebSocketFrame
    package typealias OutboundIn = Any
    package typealias OutboundOut = WebSocketFrame

    private enum State {
        case open
        /// A close frame was sent.
        case closing(WebSocketClose)
        case ended
    }

    private let isServer: Bool
    private let limits: WebSocketLimits
    private let compression: PerMessageDeflate?
    /// Kept until the end.
    private var owner: (any WebSocketOwner)?
    private let meter: InboundByteMeter
    private let decoder: ByteToMessageHandler<WebSocketFrameDecoder>
    private var assembler: MessageAssembler
    private var state = State.open
    /// True once the peer has violated the protocol: nothing of it but a close frame is read any more.
    private var isBroken = false
    private var context: ChannelHandlerContext?
    private var waitingMessages = 0
    private var waitingBytes = 0
    private var unansweredPings = 0
    private var pingTimer: Scheduled<Void>?
    private var closeTimer: Scheduled<Void>?
    private var writeTimer: Scheduled<Void>?
    /// Writes that have not been passed to the system.
    private var unsent = 0
    private var isPongUnsent = false
    private var owedPong: ByteBuffer?

    /// - Parameters:
    ///   - compression: `nil` if it was not agreed.
    ///   - meter: counts received bytes until their message has been taken.
    package init(
        isServer: Bool, _ limits: WebSocketLimits, _ compression: PerMessageDeflate?, owner: any WebSocketOwner,
        meter: InboundByteMeter? = nil
    ) {
        self.isServer = isServer
        self.limits = limits
        self.compression = compression
        self.owner = owner
        self.meter = meter ?? InboundByteMeter { _ in true }
        decoder = ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limits.messageBytesMax))
        assembler = MessageAssembler(isServer: isServer, limits, permitsCompression: compression != nil)
        self.meter.onBytes = { [weak self] in self?.heard() }
    }

    /// A large frame may take long: its bytes show that the peer is there.
    private func heard() {
        unansweredPings = 0
        owner?.heard(from: self)
    }

    /// The handlers of the connection, in the order of the pipeline.
    package var pipeline: [any ChannelHandler] {
        [meter, WebSocketFrameEncoder(), decoder, self]
    }

    /// Whether messages can be sent.
    package var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Processes bytes that arrived before the handlers were in place.
    package func receive(_ bytes: ByteBuffer) {
        guard let context = try? context?.pipeline.syncOperations.context(handler: decoder) else { return }
        decoder.channelRead(context: context, data: NIOAny(bytes))
        decoder.channelReadComplete(context: context)
    }

    /// Completes when the connection is closed; `nil` if it is not in a pipeline.
    package var closed: EventLoopFuture<Void>? { context?.channel.closeFuture }

    // MARK: - Sending

    /// Sends a message; longer ones in several frames. It is compressed here, if at all.
    ///
    /// - Parameters:
    ///   - parts: the data; of a text, UTF-8.
    ///   - sent: completed when the message has been passed to the system, or failed if it has not.
    package func send(
        _ parts: [ByteBuffer], as kind: WebSocketMessageKind = .text, _ sent: EventLoopPromise<Void>?
    ) {
        send(OutgoingMessage(parts, compression, limits), as: kind, sent)
    }

    /// Sends a message that was made with the connection's compression.
    func send(
        _ message: OutgoingMessage, as kind: WebSocketMessageKind = .text, _ sent: EventLoopPromise<Void>?
    ) {
        guard case .open = state, let context else {
            sent?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        var frames = message.parts.filter { $0.readableBytes > 0 }.flatMap(slices)
        let last = frames.popLast() ?? ByteBuffer()
        let opcode: WebSocketOpcode = kind == .text ? .text : .binary
        for (index, frame) in frames.enumerated() {
            write(
                frame, index == 0 ? opcode : .continuation, fin: false,
                isCompressed: message.isCompressed && index == 0, context, nil)
        }
        write(
            last, frames.isEmpty ? opcode : .continuation, fin: true,
            isCompressed: message.isCompressed && frames.isEmpty, context, sent)
        context.flush()
    }

    private func slices(_ part: ByteBuffer) -> [ByteBuffer] {
        var part = part
        var slices: [ByteBuffer] = []
        while let slice = part.readSlice(length: min(part.readableBytes, limits.sentFrameBytesMax)),
            slice.readableBytes > 0
        {
            slices.append(slice)
        }
        return slices
    }

    /// Begins the closing handshake, after everything that was sent. Later calls have no effect.
    package func close(_ close: WebSocketClose) {
        guard case .open = state, let context else { return }
        state = .closing(close)
        write(close.payload, .connectionClose, fin: true, context, nil)
        context.flush()
        startCloseTimer(close, limits.close)
        readOn()
    }

    private func startCloseTimer(_ close: WebSocketClose, _ limit: Duration) {
        closeTimer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { [self] in
            end(.closedHere(close))
        }
    }

    /// Ends the connection at once, without a close frame.
    package func abort() { end(.cut) }

    private func write(
        _ data: ByteBuffer, _ opcode: WebSocketOpcode, fin: Bool, isCompressed: Bool = false,
        _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        unsent += 1
        if writeTimer == nil { startWriteTimer(context) }
        let isPong = opcode == .pong
        promise.futureResult.assumeIsolated().whenComplete { [self] _ in written(isPong: isPong) }
        let frame = WebSocketFrame(
            fin: fin, rsv1: isCompressed, opcode: opcode, maskKey: isServer ? nil : .random(), data: data)
        context.write(wrapOutboundOut(frame), promise: promise)
    }

    private func written(isPong: Bool) {
        unsent -= 1
        writeTimer?.cancel()
        writeTimer = nil
        guard let context else { return }
        if unsent > 0 { startWriteTimer(context) }
        guard isPong else { return }
        isPongUnsent = false
        if let owedPong { pong(owedPong, context) }
    }

    private func startWriteTimer(_ context: ChannelHandlerContext) {
        writeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.write)) { [self] in
            end(.silent)
        }
    }

    private func pong(_ payload: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .open = state else { return }
        guard !isPongUnsent else {
            owedPong = payload
            return
        }
        owedPong = nil
        isPongUnsent = true
        write(payload, .pong, fin: true, context, nil)
        context.flush()
    }

    /// Discards what the handlers behind this one write.
    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.succeed()
    }

    // MARK: - Receiving

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .ended = state { return }
        let frame = unwrapInboundIn(data)
        if isBroken {
            if frame.opcode == .connectionClose { end(.cut) }
            return
        }
        meter.released(Self.uncountedBytes(of: frame))
        do throws(WebSocketClose) {
            switch try assembler.receive(frame) {
            case nil, .pong: break
            case .ping(let payload): pong(payload, context)
            case .close(let close): receivedClose(close, context)
            case .message(let message):
                // What arrives after a sent close frame is not processed.
                guard case .open = state else { return }
                waitingMessages += 1
                waitingBytes += message.payload.readableBytes
                owner?.received(message, from: self)
            }
        } catch {
            violated(error)
            // Nothing follows a close frame, not even a malformed one.
            if frame.opcode == .connectionClose { end(.closedHere(error)) }
        }
    }

    /// Closes with the code of the violation. The peer's bytes are still read and discarded, because closing a
    /// connection with unread bytes could make the peer lose the close frame.
    ///
    /// Later ones change nothing: a peer that goes on could put off the end otherwise.
    private func violated(_ violation: WebSocketClose) {
        guard !isBroken else { return }
        isBroken = true
        close(violation)
        closeTimer?.cancel()
        startCloseTimer(violation, min(limits.close, .seconds(1)))
    }

    /// The bytes of a frame that are no part of a message.
    private static func uncountedBytes(of frame: WebSocketFrame) -> Int {
        let length = frame.length
        let header = 2 + (length > 125 ? 2 : 0) + (length > 0xFFFF ? 6 : 0) + (frame.maskKey == nil ? 0 : 4)
        return frame.opcode.isControlOpcode ? header + length : header
    }

    private func receivedClose(_ received: WebSocketClose?, _ context: ChannelHandlerContext) {
        switch state {
        case .open:
            let answer = WebSocketClose(received?.code ?? .normal)
            state = .closing(answer)
            write(received == nil ? ByteBuffer() : answer.payload, .connectionClose, fin: true, context, nil)
            context.flush()
            end(.closed(received))
        case .closing(let sent): end(.closedHere(sent))
        case .ended: break
        }
    }

    /// To be called when a received message has been taken, so that further ones may be read.
    package func consumed(_ message: WebSocketMessage) {
        waitingMessages -= 1
        waitingBytes -= message.payload.readableBytes
        meter.released(message.payload.readableBytes)
        readOn()
    }

    /// The content of a received message, decompressed here.
    ///
    /// - Returns: `nil` if it violates a rule; the connection is closed for that.
    package func content(of message: WebSocketMessage) -> ByteBuffer? {
        do {
            return ByteBuffer(bytes: try message.content())
        } catch {
            violated(error as? WebSocketClose ?? WebSocketClose(.internalError))
            return nil
        }
    }

    private var isReadHeld: Bool {
        guard case .open = state else { return false }
        return waitingMessages >= limits.waitingMessagesMax || waitingBytes >= limits.waitingBytesMax
    }

    private func readOn() {
        if let context, !isReadHeld { context.read() }
    }

    package func read(context: ChannelHandlerContext) {
        if !isReadHeld { context.read() }
    }

    package func channelReadComplete(context: ChannelHandlerContext) { readOn() }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: violated(MessageAssembler.tooLarge(limits.messageBytesMax))
        case is NIOWebSocketError: violated(WebSocketClose(.protocolError, "an invalid control frame"))
        case is InboundByteMeter.NoRoom: violated(WebSocketClose(.tryLater, "too many bytes are being received"))
        default: end(.cut)
        }
    }

    // MARK: - Life

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        pingTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.pingInterval)) { [self] in
            ping()
        }
        context.read()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        end(.cut)
        self.context = nil
    }

    package func channelInactive(context: ChannelHandlerContext) {
        end(.cut)
        context.fireChannelInactive()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { end(.cut) }
        context.fireUserInboundEventTriggered(event)
    }

    private func ping() {
        guard case .open = state, let context else { return }
        // A peer that is not read cannot be heard.
        if !isReadHeld {
            guard unansweredPings < limits.unansweredPingsMax else { return end(.silent) }
            unansweredPings += 1
            write(ByteBuffer(), .ping, fin: true, context, nil)
            context.flush()
        }
        pingTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.pingInterval)) { [self] in
            ping()
        }
    }

    private func end(_ end: WebSocketEnd) {
        if case .ended = state { return }
        // A close frame that was sent is the reason, whatever the peer did after it.
        var end = end
        if case .closing(let sent) = state, end == .cut { end = .closedHere(sent) }
        state = .ended
        for timer in [pingTimer, closeTimer, writeTimer] { timer?.cancel() }
        meter.releaseAll()
        let owner = owner
        self.owner = nil
        owner?.ended(end, of: self)
        context?.close(promise: nil)
    }
}

extension TimeAmount {
    /// Saturates: a duration of centuries is a time-out that never fires.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(min(max(seconds, 0), Int64(Int32.max)) * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
