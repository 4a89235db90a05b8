package import NIOCore
internal import Synchronization

/// The messages of one connection, for a single consumer, which is called when there is one; may be used from any
/// thread.
///
/// A consumer that waited in a task would cost a connection at rest several kilobytes.
///
/// It is made before the connection is one: what it is attached to later, or never, ends it.
package final class WebSocketStream: Sendable {
    private struct State {
        var messages: CircularBuffer<WebSocketMessage> = []
        var changed: (@Sendable () -> Void)?
        var end: WebSocketEnd?
        var isStopping = false
        var handler: NIOLoopBound<WebSocketHandler>?
        /// Set when the connection is to be closed before it is attached.
        var close: WebSocketClose?
        var isAborted = false
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
        let (close, isAborted) = state.withLock { state in
            state.handler = NIOLoopBound(handler, eventLoop: loop)
            return (state.close, state.isAborted)
        }
        if let close { loop.execute { [self] in self.close(close) } }
        if isAborted { loop.execute { [self] in abort() } }
        return handler.pipeline
    }

    /// Calls `changed` now, and whenever a message has arrived, the stream was told to stop, or the connection has
    /// ended; not any more after the end. On any thread; must return quickly.
    package func watch(_ changed: @escaping @Sendable () -> Void) {
        state.withLock { $0.changed = $0.end == nil ? changed : nil }
        changed()
    }

    /// Takes the next message; `nil` if none is there, or the stream was told to stop.
    package func take() -> WebSocketMessage? {
        let message = state.withLock { $0.isStopping ? nil : $0.messages.popFirst() }
        if let message { onLoop { $0.consumed(message) } }
        return message
    }

    /// Takes the next message if its content is at hand: it has few bytes, and none of them are compressed.
    package func takeShort(bytesMax: Int) -> WebSocketMessage? {
        let message = state.withLock { state -> WebSocketMessage? in
            guard !state.isStopping, let first = state.messages.first, !first.isCompressed,
                first.payloadBytes <= bytesMax
            else { return nil }
            return state.messages.popFirst()
        }
        if let message { onLoop { $0.consumed(message) } }
        return message
    }

    /// Whether ``take()`` returns a message.
    package var hasMessage: Bool { state.withLock { !$0.isStopping && !$0.messages.isEmpty } }

    /// True after ``stop()``.
    package var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Lets no further message be taken, without closing the connection: responses can still be sent.
    package func stop() {
        let changed = state.withLock { state in
            state.isStopping = true
            return state.changed
        }
        changed?()
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

    /// Ends the connection at once, without a close frame.
    package func abort() {
        state.withLock { $0.isAborted = true }
        onLoop { $0.abort() }
    }

    /// Ends the stream if the connection ended before the stream was attached to it.
    package func connectionClosed() { finish(.cut) }

    private func onLoop(_ action: @escaping @Sendable (WebSocketHandler) -> Void) {
        guard let handler = state.withLock({ $0.handler }) else { return }
        handler.eventLoop.execute { action(handler.value) }
    }

    private func append(_ message: WebSocketMessage) {
        let changed = state.withLock { state in
            state.messages.append(message)
            return state.changed
        }
        changed?()
    }

    private func finish(_ end: WebSocketEnd) {
        let changed = state.withLock { state in
            state.end = state.end ?? end
            state.handler = nil
            defer { state.changed = nil }
            return state.changed
        }
        changed?()
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
