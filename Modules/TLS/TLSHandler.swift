package import NIOCore

/// Secures one connection: cipher text towards the socket, plain text towards the application, `ByteBuffer` on both
/// sides. Created by `TLSClientContext` and `TLSServerContext`.
///
/// Guarantees for its neighbours:
/// 1. `TLSHandshakeCompleted` is fired once, before the first plain text is passed up. Until then no written data is
///    sent; it is held, at most `TLSLimits.heldBytesMax` in all, beyond which the connection fails. A handler with much
///    to write should wait for the event; from then on the channel's writability is reliable.
/// 2. At most one `TLSError` is passed up by `errorCaught`, and after it no plain text. The connection then closes by
///    itself, and the promises of all unsent data fail with that error.
/// 3. The end of the peer's data is trusted only with its `close_notify`; without, `TLSError.truncated` precedes
///    `channelInactive`.
/// 4. `close` sends `close_notify` after all flushed data, and completes when the peer has ended too, or after
///    `TLSLimits.closeFlushSecondsMax` and `TLSLimits.closeLingerSecondsMax`. Data that was not flushed is not sent.
/// 5. With automatic reading off, plain text is passed up only on request.
/// 6. A peer that causes output and does not read it, by requests for key updates, ends the connection at
///    `TLSLimits.unsentMessageBytesMax`.
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
        /// The last byte is being sent or has been sent; data that still arrives is read and dropped until the peer
        /// ends too.
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
    /// Whether data held during the handshake was flushed.
    var flushHeld = false
    var isSealing = false
    /// Whether pending bytes were flushed, and are passed on without that so far.
    var isFlushDue = false
    var outputEnded = false
    /// Bytes of messages of TLS itself that the system has not taken.
    var unsentMessageBytes = 0

    // Reading.
    /// Whether a handler above requested data that has not arrived yet.
    var readOutstanding = false
    var deliveredSinceReadComplete = false
    var isDelivering = false
    var peerEnded = false

    // Ending.
    /// The one error of this connection, once it is known.
    var failure: TLSError?
    var closePromises: [EventLoopPromise<Void>] = []
    /// Whether all data to be sent has been passed to the system.
    var lastByteLeft = false
    var timer: Scheduled<Void>?

    init(_ connection: TLSConnection) {
        self.connection = connection
    }

    // MARK: Life

    package func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        // A handler that called `read` before this handler was added will not do so again.
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
        // While the connection ends, a reset contains no new information.
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
        connection.feed(Self.unwrapInboundIn(data))
        if state == .handshaking { advanceHandshake(context) }
        deliver(context)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if !completeDelivery(context), readOutstanding || state == .handshaking || state == .ending {
            // The received bytes were not yet enough to pass anything up.
            context.read()
        }
    }

    package func read(context: ChannelHandlerContext) {
        readOutstanding = true
        if state == .open, !isDelivering, connection.inputBytes > 0 {
            deliver(context)
            completeDelivery(context)
        }
        // Always passed on: with automatic reading it would not be repeated. The data that it brings waits until it is
        // requested.
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

    /// Passes up the data that can be read, if it was requested.
    private func deliver(_ context: ChannelHandlerContext) {
        guard !isDelivering, readOutstanding || state == .ending else { return }
        isDelivering = true
        defer { isDelivering = false }
        while state == .open || state == .ending, failure == nil, !peerEnded {
            var buffer = context.channel.allocator.buffer(
                capacity: min(max(connection.inputBytes, 512), TLSLimits.readChunkBytesMax))
            let step = fill(&buffer)
            // Reading may cause output: a key update, an alert.
            sendOutput(context)
            guard unsentMessageBytes <= TLSLimits.unsentMessageBytesMax else {
                return fail(context, .unreadMessages(limitBytes: TLSLimits.unsentMessageBytesMax))
            }
            if buffer.readableBytes > 0, state == .open {
                deliveredSinceReadComplete = true
                // Before the call, in which the receiver may request more.
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

    /// Notifies the handlers above that a series of reads is complete. Returns whether there was one.
    @discardableResult
    private func completeDelivery(_ context: ChannelHandlerContext) -> Bool {
        guard deliveredSinceReadComplete else { return false }
        deliveredSinceReadComplete = false
        context.fireChannelReadComplete()
        return true
    }

    /// Passes up the remaining data: nothing more will arrive, so no further read would be requested.
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

    /// Handles the proper end of the peer's side.
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

    /// Handles the end of the socket's data: after `close_notify` that is the end, before it data is missing.
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
