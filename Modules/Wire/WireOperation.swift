package import CausewayModels

/// One operation: `send` carries channel, content and createdAt; `fence` and `delete` only the message's id.
package struct WireOperation: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable { case send, fence, delete }

    package var kind: Kind
    package var sequence: Int64
    package var previous: Int64
    package var id: MessageID
    package var channel: ChannelID?
    package var content: MessageContent?
    package var createdAt: Timestamp?

    package init(
        kind: Kind, sequence: Int64, previous: Int64, id: MessageID, channel: ChannelID? = nil,
        content: MessageContent? = nil, createdAt: Timestamp? = nil
    ) {
        self.kind = kind
        self.sequence = sequence
        self.previous = previous
        self.id = id
        self.channel = channel
        self.content = content
        self.createdAt = createdAt
    }
}
