package import CausewayModels

/// The tombstone of a deleted message: everything but its content, its tags and its reactions. An item of a page that
/// lists deleted messages, and part of the event of a deletion.
package struct WireDeletedMessage: Sendable, Hashable, Codable {
    package var id: MessageID
    package var channel: ChannelID
    package var sender: UserID
    /// The name of the type that the content had; absent for a text.
    package var type: String?
    package var createdAt: Timestamp
    package var position: Int64
    package var acceptedAt: Timestamp
    /// The message that it replied to.
    package var parent: MessageID?
    /// By the hub's clock.
    package var deletedAt: Timestamp

    package init(
        id: MessageID, channel: ChannelID, sender: UserID, type: String?, createdAt: Timestamp, position: Int64,
        acceptedAt: Timestamp, parent: MessageID?, deletedAt: Timestamp
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.type = type
        self.createdAt = createdAt
        self.position = position
        self.acceptedAt = acceptedAt
        self.parent = parent
        self.deletedAt = deletedAt
    }
}

extension WireDeletedMessage {
    /// The message; `nil` if its position is outside of 1 to `Limits.positionMax`. A type that no message can have is
    /// replaced by an unknown one.
    package var placed: DeletedMessage? {
        guard (1...Limits.positionMax).contains(position) else { return nil }
        let type = type.map { MessageType(name: $0) } ?? .text
        return DeletedMessage(
            id: id, channel: channel, sender: sender, parent: parent,
            type: MessageFilter(type: type).isValid ? type : .unknown("unknown"), createdAt: createdAt,
            serverPosition: ServerPosition(position: position, acceptedAt: acceptedAt), deletedAt: deletedAt)
    }
}
