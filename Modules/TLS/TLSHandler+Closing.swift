package import NIOCore

// How a connection ends. A socket that is closed while bytes wait in it resets the connection, and a reset can destroy
// what the peer has not read yet: our last answer, or the alert that says why. So the end is said first, then the peer's
// end is awaited for a short while, what still arrives being dropped.

extension TLSHandler {
    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .input:
            context.close(mode: .input, promise: promise)
        case .output:
            closeOutput(context, promise)
        case .all:
            switch state {
            case .idle, .closed:
                state = .closed
                failPending(ChannelError.ioOnClosedChannel)
                context.close(mode: .all, promise: promise)
            case .handshaking where failure == nil:
                // Nothing was said yet that could get lost.
                if let promise { closePromises.append(promise) }
                closeNow(context)
            case .handshaking, .open, .ending:
                if let promise { closePromises.append(promise) }
                end(context)
            }
        }
    }

    private func closeOutput(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        guard state == .open, !outputEnded else {
            promise?.fail(state == .open ? ChannelError.outputClosed : ChannelError.operationUnsupported)
            return
        }
        if peerEnded {
            // Both sides have ended now.
            if let promise { closePromises.append(promise) }
            end(context)
            return
        }
        outputEnded = true
        failPending(ChannelError.outputClosed)
        connection.end()
        sendOutput(context)
        context.close(mode: .output, promise: promise)
    }

    /// Ends the connection from this side: says so, waits for the peer's end, closes. Any number of times.
    func end(_ context: ChannelHandlerContext) {
        guard state == .handshaking || state == .open else { return }
        let wasOpen = state == .open
        state = .ending
        // A bound on the flush; replaced by the shorter one when the last byte has left.
        startTimer(context, seconds: TLSLimits.closeFlushSecondsMax) { $0.closeNow($1) }
        failPending(failure ?? ChannelError.ioOnClosedChannel)
        if wasOpen, !outputEnded { connection.end() }
        outputEnded = true
        let left = context.eventLoop.makePromise(of: Void.self)
        left.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.lastByteHasLeft(context) }
        // Also when there is nothing to say: it comes behind all that was written before.
        let output = connection.takeOutput(context.channel.allocator) ?? ByteBuffer()
        context.writeAndFlush(Self.wrapOutboundOut(output), promise: left)
    }

    private func lastByteHasLeft(_ context: ChannelHandlerContext) {
        guard state == .ending else { return }
        lastByteLeft = true
        if peerEnded {
            closeNow(context)
            return
        }
        startTimer(context, seconds: TLSLimits.closeLingerSecondsMax) { $0.closeNow($1) }
        context.read()
    }

    /// Both sides have ended, and what we said is out.
    func closeIfDone(_ context: ChannelHandlerContext) {
        guard state == .ending, peerEnded, lastByteLeft else { return }
        closeNow(context)
    }

    private func closeNow(_ context: ChannelHandlerContext) {
        guard state != .closed else { return }
        state = .closed
        stopTimer()
        let promise = context.eventLoop.makePromise(of: Void.self)
        for waiting in closePromises { promise.futureResult.cascade(to: waiting) }
        closePromises.removeAll()
        failPending(failure ?? ChannelError.ioOnClosedChannel)
        context.close(mode: .all, promise: promise)
    }

    /// Ends the connection with the one error that goes up. OpenSSL has prepared the alert for the peer.
    func fail(_ context: ChannelHandlerContext, _ error: TLSError, channelIsGone: Bool = false) {
        guard failure == nil, state != .closed, state != .idle else { return }
        guard state != .ending else {
            // After our own end nobody waits for data, so nothing is missing to anybody.
            peerEnded = true
            closeIfDone(context)
            return
        }
        failure = error
        context.fireErrorCaught(error)
        failPending(error)
        if !channelIsGone { end(context) }
    }

    /// The channel is gone, or this handler is.
    func finish(_ error: any Error) {
        state = .closed
        stopTimer()
        failPending(error)
        let promises = closePromises
        closePromises.removeAll()
        for promise in promises { promise.succeed() }
    }

    func stopTimer() {
        timer?.cancel()
        timer = nil
    }
}
