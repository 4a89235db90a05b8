package import NIOCore

// Closing of a connection. Closing a socket with unread bytes resets the connection, and a reset can destroy data that
// the peer has not read yet: the last response, or the alert with the reason. So the end is sent first, then the
// handler waits briefly for the peer's end, dropping data that still arrives.

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
                // Nothing was sent yet that could get lost.
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

    /// Ends the connection from this side: sends the end, waits for the peer's end, closes. May be called any number of
    /// times.
    func end(_ context: ChannelHandlerContext) {
        guard state == .handshaking || state == .open else { return }
        let wasOpen = state == .open
        state = .ending
        // A bound on the flush; replaced by the shorter one when the last byte has been sent.
        startTimer(context, seconds: TLSLimits.closeFlushSecondsMax) { $0.closeNow($1) }
        failPending(failure ?? ChannelError.ioOnClosedChannel)
        if wasOpen, !outputEnded { connection.end() }
        outputEnded = true
        let left = context.eventLoop.makePromise(of: Void.self)
        left.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.lastByteHasLeft(context) }
        // Also if there is nothing to send: it follows everything that was written before.
        let output = connection.takeOutput() ?? ByteBuffer()
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

    /// Closes the connection if both sides have ended, and the last byte has been sent.
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

    /// Ends the connection with the one error that is reported. OpenSSL has prepared the alert for the peer.
    func fail(_ context: ChannelHandlerContext, _ error: TLSError, channelIsGone: Bool = false) {
        guard failure == nil, state != .closed, state != .idle else { return }
        guard state != .ending else {
            // After the end of this side no data is expected, so none is missing.
            peerEnded = true
            closeIfDone(context)
            return
        }
        failure = error
        context.fireErrorCaught(error)
        failPending(error)
        if !channelIsGone { end(context) }
    }

    /// Releases everything after the channel was closed, or this handler removed.
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
