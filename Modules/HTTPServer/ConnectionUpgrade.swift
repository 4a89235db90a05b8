package import NIOCore

/// Hands a connection over to another protocol when the response being written has the status 101.
///
/// Triggered as an outbound event on the connection's channel, before that response. Its body then lasts as long as the
/// other protocol: to the server the connection has a request in progress.
package struct ConnectionUpgrade: Sendable {
    let makeHandlers: @Sendable (any EventLoop) -> [any ChannelHandler]

    /// - Parameter makeHandlers: the handlers of the other protocol, which get the connection's bytes before HTTP does;
    ///   called on the connection's event loop, right after the response's header was written.
    package init(_ makeHandlers: @escaping @Sendable (any EventLoop) -> [any ChannelHandler]) {
        self.makeHandlers = makeHandlers
    }
}
