/// A position in an ordered list of messages, between the end of one page and the start of the next.
public struct MessageCursor: Sendable, Hashable, Codable {
    /// The position on the server; `Int64.max` for undelivered messages. Constant for lists without positions.
    public var position: Int64
    /// The message's ordinal; its lane sequence in the sending order.
    public var ordinal: Int64

    public init(position: Int64, ordinal: Int64) {
        self.position = position
        self.ordinal = ordinal
    }
}

extension Message {
    /// The message's cursor in the order of its channel.
    public var cursor: MessageCursor {
        MessageCursor(position: serverPosition?.position ?? .max, ordinal: ordinal)
    }
}
