package import CausewayModels

/// A message as the hub shows it: an item of `GET /v1/channels/{channel}/messages`, and `GET /v1/messages/{id}`.
package struct WireMessage: Sendable, Hashable, Codable {
    package var id: MessageID
    package var channel: ChannelID
    package var sender: UserID
    package var content: MessageContent
    package var createdAt: Timestamp
    package var position: Int64
    package var acceptedAt: Timestamp

    package init(
        id: MessageID, channel: ChannelID, sender: UserID, content: MessageContent, createdAt: Timestamp,
        position: Int64, acceptedAt: Timestamp
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.content = content
        self.createdAt = createdAt
        self.position = position
        self.acceptedAt = acceptedAt
    }
}

extension WireMessage {
    package init(_ message: PlacedMessage) {
        self.init(
            id: message.id, channel: message.channel, sender: message.sender, content: message.content,
            createdAt: message.createdAt, position: message.placement.position,
            acceptedAt: message.placement.acceptedAt)
    }

    package var placed: PlacedMessage {
        PlacedMessage(
            id: id, channel: channel, sender: sender, content: content, createdAt: createdAt,
            placement: Placement(position: position, acceptedAt: acceptedAt))
    }
}
