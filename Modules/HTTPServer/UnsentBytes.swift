internal import CausewaySystem
package import NIOCore

/// The bytes that the system accepts from a connection beyond those in transit. More of them make a fast reader no
/// faster, and are memory that a slow one holds.
package enum UnsentBytes {
    /// Sets the limit; ignores a connection that has already ended, and a system without such a limit.
    package static func limit(_ bytesMax: Int, of channel: any Channel) async {
        try? await set(bytesMax, of: channel).get()
    }

    static func set(_ bytesMax: Int, of channel: any Channel) -> EventLoopFuture<Void> {
        guard let option = SocketOptionNumber.unsentBytes else { return channel.eventLoop.makeSucceededVoidFuture() }
        return channel.setOption(
            .tcpOption(NIOBSDSocket.Option(rawValue: option)), value: SocketOptionValue(bytesMax)
        ).recover { _ in }
    }
}
