/// The limits of one WebSocket connection, with their units in their names.
package struct WebSocketLimits: Sendable, Hashable {
    /// Bytes of one message, as it arrives and decompressed, and of one frame.
    package var messageBytesMax: Int
    /// Fragments of one message. Above 65,536: a peer may send every byte of a small message by itself.
    package var fragmentsMax = 128 * 1024
    /// Bytes of one frame that is sent; longer messages are fragmented, so that control frames can go in between.
    package var sentFrameBytesMax = 64 * 1024
    /// Messages that were received and not yet taken, past which nothing more is read.
    package var waitingMessagesMax = 16
    /// Bytes of these messages, past which nothing more is read.
    package var waitingBytesMax = 256 * 1024
    /// The time between two pings.
    package var pingInterval: Duration = .seconds(20)
    /// Pings in a row without a byte from the peer, past which the connection is ended.
    package var unansweredPingsMax = 2
    /// Until the peer has read the next part of what was sent to it.
    package var write: Duration = .seconds(60)
    /// From a sent close frame to the end of the connection.
    package var close: Duration = .seconds(5)

    /// Whether binary messages are accepted; they close the connection otherwise.
    package var acceptsBinary = false
    /// Whether `permessage-deflate` is offered, or accepted.
    package var compresses = true
    /// Bytes of a message below which it is sent as it is: it fits into one packet anyway.
    package var compressedBytesMin = 1024

    package init(messageBytesMax: Int) { self.messageBytesMax = messageBytesMax }
}
