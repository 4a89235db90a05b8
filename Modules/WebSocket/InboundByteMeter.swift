package import NIOCore

/// Counts the bytes of a connection from their arrival until the message that contains them has been taken.
///
/// The first handler of a WebSocket pipeline: the codec holds the bytes of incomplete frames, where nobody else could
/// count them. Bytes that have no room end the connection.
package final class InboundByteMeter: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer

    /// The bytes have no room.
    struct NoRoom: Error {}

    /// Called when bytes arrive.
    var onBytes: (() -> Void)?

    private let change: (_ bytes: Int) -> Bool
    private var counted = 0

    /// - Parameter change: counts more bytes, or fewer if negative; false if more have no room. Called on the
    ///   connection's event loop.
    package init(_ change: @escaping (_ bytes: Int) -> Bool) { self.change = change }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytes
        guard change(bytes) else { return context.fireErrorCaught(NoRoom()) }
        counted += bytes
        onBytes?()
        context.fireChannelRead(data)
    }

    /// Stops counting these bytes.
    func released(_ bytes: Int) {
        let bytes = min(bytes, counted)
        counted -= bytes
        _ = change(-bytes)
    }

    func releaseAll() { released(counted) }
}
