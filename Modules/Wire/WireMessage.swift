package import CausewayModels

/// A message in the hub's responses: an item of `GET /v1/channels/{channel}/messages`, and `GET /v1/messages/{id}`.
package struct WireMessage: Sendable, Hashable, Codable {
    package var id: MessageID
    package var channel: ChannelID
    package var sender: UserID
    package var content: MessageContent
    package var createdAt: Timestamp
    package var position: Int64
    package var acceptedAt: Timestamp
    /// The message that this one replies to.
    package var parent: MessageID?
    /// Absent if there are none.
    package var tags: [String]?
    package var editedAt: Timestamp?
    /// The time when the last edit or reaction was accepted; ascends. Absent if there was none.
    package var changedAt: Timestamp?
    /// The number of accounts that gave each reaction; absent if there are none.
    package var reactions: [String: Int]?
    /// The reactions of the requesting account; absent if there are none.
    package var myReactions: [String]?

    package init(
        id: MessageID, channel: ChannelID, sender: UserID, content: MessageContent, createdAt: Timestamp,
        position: Int64, acceptedAt: Timestamp, parent: MessageID? = nil, tags: [String]? = nil,
        editedAt: Timestamp? = nil, changedAt: Timestamp? = nil, reactions: [String: Int]? = nil,
        myReactions: [String]? = nil
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.content = content
        self.createdAt = createdAt
        self.position = position
        self.acceptedAt = acceptedAt
        self.parent = parent
        self.tags = tags
        self.editedAt = editedAt
        self.changedAt = changedAt
        self.reactions = reactions
        self.myReactions = myReactions
    }
}

extension WireMessage {
    package init(_ message: RemoteMessage) {
        self.init(
            id: message.id, channel: message.channel, sender: message.sender, content: message.content,
            createdAt: message.createdAt, position: message.serverPosition.position,
            acceptedAt: message.serverPosition.acceptedAt, parent: message.parent,
            tags: message.body.tags.isEmpty ? nil : message.body.tags, editedAt: message.body.editedAt,
            changedAt: message.body.changedAt, reactions: message.body.reactions.isEmpty ? nil : message.body.reactions,
            myReactions: message.body.myReactions.isEmpty ? nil : message.body.myReactions.sorted())
    }

    /// The message; `nil` if its position is outside of 1 to `Limits.positionMax`. Counts of reactions are clamped to
    /// their limits, and tags that no message can have are left out.
    package var placed: RemoteMessage? {
        guard (1...Limits.positionMax).contains(position) else { return nil }
        let counts = (reactions ?? [:]).compactMapValues { $0 > 0 ? min($0, Limits.reactionCountMax) : nil }
        return RemoteMessage(
            id: id, channel: channel, sender: sender, parent: parent,
            body: MessageBody(
                content: content, tags: MessageTags.admitted(tags), editedAt: editedAt, changedAt: changedAt,
                reactions: counts,
                myReactions: Set(myReactions ?? [])),
            createdAt: createdAt, serverPosition: ServerPosition(position: position, acceptedAt: acceptedAt))
    }
}
