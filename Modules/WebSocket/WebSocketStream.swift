package import NIOCore
internal import Synchronization

/// The messages of one connection as an asynchronous sequence, for a single consumer; may be used from any thread.
///
/// It is made before the connection is one: what it is attached to later, or never, ends it.
package final class WebSocketStream: Sendable {
    private struct State {
        var messages: CircularBuffer<WebSocketMessage> = []
        var waiting: CheckedContinuation<WebSocketMessage?, Never>?
        var end: WebSocketEnd?
        var isCancelled = false
        var isStopping = false
        /// Waits for the end.
        var ending: CheckedContinuation<Void, Never>?
        var handler: NIOLoopBound<WebSocketHandler>?
        /// Set when the connection is to be closed before it is attached.
        var close: WebSocketClose?

        var isOver: Bool { isCancelled || isStopping || (end != nil && messages.isEmpty) }
    }

    private let limits: WebSocketLimits
    private let compression: PerMessageDeflate?
    private let state = Mutex(State())

    /// - Parameter compression: `nil` if it was not agreed.
    package init(_ limits: WebSocketLimits, _ compression: PerMessageDeflate?) {
        self.limits = limits
        self.compression = compression
    }

    /// The way in which the connection ended; `nil` while it is open.
    package var end: WebSocketEnd? { state.withLock { $0.end } }

    /// Makes the handlers of the server's end. Called on the connection's event loop, once.
    ///
    /// - Parameter counting: see ``InboundByteMeter``.
    package func serverPipeline(
        on loop: any EventLoop, counting: @escaping (_ bytes: Int) -> Bool
    ) -> [any ChannelHandler] {
        let handler = WebSocketHandler(
            isServer: true, limits, compression, owner: Owner(self), meter: InboundByteMeter(counting))
        let close = state.withLock { state in
            state.handler = NIOLoopBound(handler, eventLoop: loop)
            return state.close
        }
        if let close { loop.execute { [self] in self.close(close) } }
        return handler.pipeline
    }

    /// The next message; `nil` when the connection has ended, or the task was cancelled.
    package func next() async -> WebSocketMessage? {
        let message = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: WebSocketMessage?? = state.withLock { state in
                    if !state.isCancelled, !state.isStopping, let message = state.messages.popFirst() {
                        return .some(message)
                    }
                    if state.isOver { return .some(nil) }
                    state.waiting = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.isCancelled = true
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume(returning: nil)
        }
        if let message { onLoop { $0.consumed(message) } }
        return message
    }

    /// True after ``stop()``.
    package var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Ends the sequence without closing the connection: responses can still be sent.
    package func stop() {
        let waiting = state.withLock { state in
            state.isStopping = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    /// Returns when the connection has ended; one consumer waits at a time.
    package func ended() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.end == nil { state.ending = continuation }
                return state.end != nil
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Sends a text message; returns when it has been passed to the system. It is compressed on the thread of the
    /// caller, if at all.
    ///
    /// - Throws: when the connection has ended before.
    package func send(_ parts: [ByteBuffer]) async throws {
        guard let handler = state.withLock({ $0.handler }) else { throw ChannelError.ioOnClosedChannel }
        let message = OutgoingMessage(parts, compression, limits)
        let sent = handler.eventLoop.makePromise(of: Void.self)
        handler.eventLoop.execute { handler.value.send(message, sent) }
        try await sent.futureResult.get()
    }

    /// Begins to close the connection, after everything that was sent.
    package func close(_ close: WebSocketClose) {
        state.withLock { $0.close = $0.close ?? close }
        onLoop { $0.close(close) }
    }

    /// Ends the sequence if the connection ended before the stream was attached to it.
    package func connectionClosed() { finish(.cut) }

    private func onLoop(_ action: @escaping @Sendable (WebSocketHandler) -> Void) {
        guard let handler = state.withLock({ $0.handler }) else { return }
        handler.eventLoop.execute { action(handler.value) }
    }

    private func append(_ message: WebSocketMessage) {
        let waiting = state.withLock { state in
            if let waiting = state.waiting {
                state.waiting = nil
                return Optional(waiting)
            }
            state.messages.append(message)
            return nil
        }
        waiting?.resume(returning: message)
    }

    private func finish(_ end: WebSocketEnd) {
        let (waiting, ending) = state.withLock { state in
            state.end = state.end ?? end
            state.handler = nil
            defer { (state.waiting, state.ending) = (nil, nil) }
            return (state.waiting, state.ending)
        }
        waiting?.resume(returning: nil)
        ending?.resume()
    }

    /// Passes messages on; the stream's own face of the event loop.
    private final class Owner: WebSocketOwner {
        private let stream: WebSocketStream

        init(_ stream: WebSocketStream) { self.stream = stream }

        func received(_ message: WebSocketMessage, from handler: WebSocketHandler) {
            stream.append(message)
        }

        func ended(_ end: WebSocketEnd, of handler: WebSocketHandler) { stream.finish(end) }
    }
}
