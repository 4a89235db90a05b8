package import NIOCore

// Plain text is collected until it is flushed or fills a record, then encrypted and passed on, so that small writes
// share a record and the channel's own water marks cover everything but the last few kilobytes.

extension TLSHandler {
    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if let failure {
            promise?.fail(failure)
            return
        }
        guard !outputEnded else {
            promise?.fail(state == .open ? ChannelError.outputClosed : ChannelError.ioOnClosedChannel)
            return
        }
        guard state != .ending, state != .closed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let bytes = Self.unwrapOutboundIn(data)
        pendingBytes += bytes.readableBytes
        pending.append(PendingWrite(bytes: bytes, promise: promise))
        if state == .open {
            if pendingBytes >= TLSLimits.recordBytesMax { seal(context, andFlush: false) }
        } else if pendingBytes > TLSLimits.heldBytesMax {
            fail(context, .heldTooMuch(limitBytes: TLSLimits.heldBytesMax))
        }
    }

    package func flush(context: ChannelHandlerContext) {
        switch state {
        case .idle, .handshaking: flushHeld = true
        case .open: seal(context, andFlush: true)
        case .ending, .closed: context.flush()
        }
    }

    /// Encrypts all pending bytes and passes them on, in order.
    func seal(_ context: ChannelHandlerContext, andFlush: Bool) {
        isFlushDue = isFlushDue || andFlush
        // A promise or a handler below may write or flush during this call: the running loop takes its bytes, and its
        // flush follows them.
        guard !isSealing else { return }
        isSealing = true
        while state == .open, !outputEnded, !pending.isEmpty, sealSome(context) {}
        isSealing = false
        guard isFlushDue, state == .open else { return }
        isFlushDue = false
        context.flush()
    }

    /// Encrypts up to `sealBytesMax` and passes it on. Returns whether to continue.
    private func sealSome(_ context: ChannelHandlerContext) -> Bool {
        var done: [EventLoopPromise<Void>] = []
        var sealed = 0
        var record = ByteBuffer()
        while !pending.isEmpty, sealed < TLSLimits.sealBytesMax {
            let room = TLSLimits.recordBytesMax - record.readableBytes
            let size = pending[pending.startIndex].bytes.readableBytes
            let isLarge = record.readableBytes == 0 && size >= TLSLimits.recordBytesMax
            let count = min(size, isLarge ? TLSLimits.sealBytesMax - sealed : room)
            guard let part = pending[pending.startIndex].bytes.readSlice(length: count) else { break }
            pendingBytes -= count
            sealed += count
            var error: TLSError?
            if isLarge {
                error = sealRecord(part)
            } else {
                record.writeImmutableBuffer(part)
                if record.readableBytes == TLSLimits.recordBytesMax || !hasMoreAfterFirst {
                    error = sealRecord(record)
                    record.clear()
                }
            }
            if pending[pending.startIndex].bytes.readableBytes == 0 {
                if let promise = pending.removeFirst().promise { done.append(promise) }
            }
            if let error {
                for promise in done { promise.fail(error) }
                fail(context, error)
                return false
            }
        }
        if record.readableBytes > 0, let error = sealRecord(record) {
            for promise in done { promise.fail(error) }
            fail(context, error)
            return false
        }
        let output = connection.takeOutput() ?? ByteBuffer()
        context.write(Self.wrapOutboundOut(output), promise: Self.joined(done))
        return true
    }

    private var hasMoreAfterFirst: Bool {
        pending.count > 1 || pending[pending.startIndex].bytes.readableBytes > 0
    }

    private func sealRecord(_ bytes: ByteBuffer) -> TLSError? {
        guard bytes.readableBytes > 0 else { return nil }
        return unsafe bytes.withUnsafeReadableBytes { unsafe connection.write($0) }
    }

    /// One promise that completes all of them, in the order of their writes.
    private static func joined(_ promises: [EventLoopPromise<Void>]) -> EventLoopPromise<Void>? {
        guard let first = promises.first else { return nil }
        for promise in promises.dropFirst() { first.futureResult.cascade(to: promise) }
        return first
    }

    /// Sends the output of OpenSSL itself: handshake, alerts, responses.
    func sendOutput(_ context: ChannelHandlerContext) {
        guard let output = connection.takeOutput() else { return }
        let bytes = output.readableBytes
        unsentMessageBytes += bytes
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.unsentMessageBytes -= bytes }
        context.writeAndFlush(Self.wrapOutboundOut(output), promise: sent)
    }

    /// Fails all pending writes, which will not be sent.
    func failPending(_ error: any Error) {
        pendingBytes = 0
        while let write = pending.popFirst() { write.promise?.fail(error) }
    }
}
