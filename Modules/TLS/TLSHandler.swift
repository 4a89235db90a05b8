package import NIOCore

/// Secures one connection: cipher text towards the socket, plain text towards the application, `ByteBuffer` on both
/// sides. `TLSClientContext` and `TLSServerContext` make it.
///
/// What its neighbours can count on:
/// 1. `TLSHandshakeCompleted` is fired once, before the first plain text goes up. Until then nothing that was written
///    leaves; it is held, at most `TLSLimits.heldBytesMax` in all, past which the connection fails. Whoever has much to
///    write waits for the event; from then on the channel's writability tells the truth.
/// 2. At most one `TLSError` goes up by `errorCaught`, and after it no plain text. The connection then closes by itself,
///    and the promises of all that could not be sent fail with that error.
/// 3. The end of the peer's data is believed only with its `close_notify`; without, `TLSError.truncated` comes before
///    `channelInactive`.
/// 4. `close` sends `close_notify` behind all that was flushed, and ends when the peer did too, or after
///    `TLSLimits.closeFlushSecondsMax` and `TLSLimits.closeLingerSecondsMax`. What was not flushed is not sent.
/// 5. With automatic reading off, plain text goes up only when it was asked for.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// ```
    /// idle ──▶ handshaking ──▶ open ──▶ ending ──▶ closed
    ///   │           │            │         ▲         ▲
    ///   └───────────┴── failure ─┴─────────┘         │
    ///   └───────────┴───── end of the channel ───────┘
    /// ```
    enum State {
        /// The channel is not active yet.
        case idle
        case handshaking
        case open
        /// Our last byte is on its way or has left; what still arrives is read and dropped until the peer ends too.
        case ending
        case closed
    }

    struct PendingWrite {
        var bytes: ByteBuffer
        var promise: EventLoopPromise<Void>?
    }

    let connection: TLSConnection
    var state = State.idle

    // Writing. `pending` holds plain text in order.
    var pending = CircularBuffer<PendingWrite>()
    var pendingBytes = 0
    /// Whether something held during the handshake was flushed.
    var flushHeld = false
    var isSealing = false
    var outputEnded = false

    // Reading.
    /// Whether someone above asked for data that did not come yet.
    var readOutstanding = false
    var deliveredSinceReadComplete = false
    var isDelivering = false
    var peerEnded = false

    // Ending.
    /// The one error of this connection, once it is known.
    var failure: TLSError?
    var closePromises: [EventLoopPromise<Void>] = []
    /// Whether all we had to send is with the system.
    var lastByteLeft = false
    var timer: Scheduled<Void>?

    init(_ connection: TLSConnection) {
        self.connection = connection
    }

    // MARK: Life

    package func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        // Whoever read before this handler came will not ask again.
        readOutstanding = true
        start(context)
    }

    package func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        finish(failure ?? ChannelError.ioOnClosedChannel)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        deliverRest(context)
        switch state {
        case .handshaking: fail(context, .closedDuringHandshake, channelIsGone: true)
        case .open where !peerEnded: fail(context, .truncated, channelIsGone: true)
        case .idle, .open, .ending, .closed: break
        }
        finish(failure ?? ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // While the connection ends, a reset tells nobody anything new.
        guard failure == nil, state != .ending, state != .closed else { return }
        context.fireErrorCaught(error)
    }

    private func start(_ context: ChannelHandlerContext) {
        guard state == .idle else { return }
        state = .handshaking
        let seconds = TLSLimits.handshakeSecondsMax
        startTimer(context, seconds: seconds) { handler, context in
            handler.fail(context, .handshakeTimedOut(seconds: seconds))
        }
        advanceHandshake(context)
    }

    func startTimer(
        _ context: ChannelHandlerContext, seconds: Int64, _ body: @escaping (TLSHandler, ChannelHandlerContext) -> Void
    ) {
        stopTimer()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(seconds)) { [weak self] in
            guard let self, self.state != .closed else { return }
            body(self, context)
        }
    }

    // MARK: Inbound

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state != .closed, failure == nil, !peerEnded else { return }
        guard connection.feed(Self.unwrapInboundIn(data)) else {
            fail(context, .brokenRecord("a read was too large"))
            return
        }
        if state == .handshaking { advanceHandshake(context) }
        deliver(context)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if !completeDelivery(context), readOutstanding || state == .handshaking || state == .ending {
            // What arrived was not yet enough to give anything up.
            context.read()
        }
    }

    package func read(context: ChannelHandlerContext) {
        readOutstanding = true
        if state == .open, !isDelivering, connection.inputBytes > 0 {
            deliver(context)
            completeDelivery(context)
        }
        // Always passed on: with automatic reading nobody would repeat it. What it brings waits until asked for.
        context.read()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            inputClosed(context)
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func advanceHandshake(_ context: ChannelHandlerContext) {
        let step = connection.handshake()
        if case .failed(let error) = step {
            fail(context, error)
            return
        }
        sendOutput(context)
        guard state == .handshaking else { return }
        guard case .complete = step else {
            context.read()
            return
        }
        state = .open
        stopTimer()
        context.fireUserInboundEventTriggered(connection.completed)
        // The event's receivers may have closed the channel, and may have written.
        guard state == .open else { return }
        seal(context, andFlush: flushHeld)
    }

    /// Gives up what can be read, when it was asked for.
    private func deliver(_ context: ChannelHandlerContext) {
        guard !isDelivering, readOutstanding || state == .ending else { return }
        isDelivering = true
        defer { isDelivering = false }
        while state == .open || state == .ending, failure == nil, !peerEnded {
            var buffer = context.channel.allocator.buffer(
                capacity: min(max(connection.inputBytes, 512), TLSLimits.readChunkBytesMax))
            let step = fill(&buffer)
            // Reading may answer: a key update, an alert.
            sendOutput(context)
            if buffer.readableBytes > 0, state == .open {
                deliveredSinceReadComplete = true
                // Before the call, in which the receiver may ask for more.
                readOutstanding = false
                context.fireChannelRead(Self.wrapInboundOut(buffer))
            }
            switch step {
            case .bytes: continue
            case .needsInput: return
            case .ended: peerSaidEnd(context)
            case .failed(let error): fail(context, error)
            }
        }
    }

    /// Tells those above that a round of reads is over. Returns whether there was one.
    @discardableResult
    private func completeDelivery(_ context: ChannelHandlerContext) -> Bool {
        guard deliveredSinceReadComplete else { return false }
        deliveredSinceReadComplete = false
        context.fireChannelReadComplete()
        return true
    }

    /// Nothing more will arrive, so nobody will ask again: what is here goes up now.
    private func deliverRest(_ context: ChannelHandlerContext) {
        guard state == .open else { return }
        readOutstanding = true
        deliver(context)
        completeDelivery(context)
    }

    /// Reads until the buffer is full or there is a reason to stop.
    private func fill(_ buffer: inout ByteBuffer) -> TLSConnection.ReadStep {
        while buffer.writableBytes > 0 {
            let step = connection.read(into: &buffer, limit: buffer.writableBytes)
            guard case .bytes = step else { return step }
        }
        return .bytes(buffer.readableBytes)
    }

    /// The peer ended its side properly.
    private func peerSaidEnd(_ context: ChannelHandlerContext) {
        guard !peerEnded else { return }
        peerEnded = true
        let keepsHalf = (try? context.channel.syncOptions?.getOption(.allowRemoteHalfClosure)) ?? false
        if state == .ending {
            closeIfDone(context)
        } else if keepsHalf, !outputEnded {
            completeDelivery(context)
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        } else {
            end(context)
        }
    }

    /// The socket has no more bytes for us: behind `close_notify` that is the end, before it something is missing.
    private func inputClosed(_ context: ChannelHandlerContext) {
        deliverRest(context)
        switch state {
        case .idle, .closed: return
        case .handshaking: fail(context, .closedDuringHandshake)
        case .open where !peerEnded: fail(context, .truncated)
        case .open: return
        case .ending: break
        }
        peerEnded = true
        closeIfDone(context)
    }
}

@available(*, unavailable)
extension TLSHandler: Sendable {}
