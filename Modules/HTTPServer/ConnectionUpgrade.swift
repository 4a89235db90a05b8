package import NIOCore

/// Hands a connection over to another protocol when the response being written has the status 101.
///
/// Triggered as an outbound event on the connection's channel, before that response. To the server the connection is
/// closed then; the shares of connections count it until it really is.
package struct ConnectionUpgrade: Sendable {
    let makeHandlers: @Sendable (any EventLoop) -> [any ChannelHandler]

    /// - Parameter makeHandlers: the handlers of the other protocol, which take the place of those of HTTP; called on
    ///   the connection's event loop, right after the response's header was written. They read by themselves: nothing
    ///   behind them asks for more bytes.
    package init(_ makeHandlers: @escaping @Sendable (any EventLoop) -> [any ChannelHandler]) {
        self.makeHandlers = makeHandlers
    }
}
