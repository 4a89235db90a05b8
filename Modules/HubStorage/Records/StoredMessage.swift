package import CausewayModels

/// A message as it is stored and shown. A deleted one has neither content, tags nor reactions.
package struct StoredMessage: Sendable, Equatable {
    /// The reactions of one name.
    package struct Reactions: Sendable, Equatable {
        package var name: String
        /// The number of accounts that reacted.
        package var count: Int
        /// Whether the reader is one of them.
        package var isOwn: Bool

        package init(name: String, count: Int, isOwn: Bool) {
            self.name = name
            self.count = count
            self.isOwn = isOwn
        }
    }

    /// The end of a message.
    package struct Deletion: Sendable, Equatable {
        package var at: Timestamp
        /// The name of the type that the content had; `nil` for a text.
        package var type: String?

        package init(at time: Timestamp, type: String?) {
            at = time
            self.type = type
        }
    }

    package var id: MessageID
    package var channel: ChannelID
    package var sender: UserID
    package var position: Int64
    package var createdAt: Timestamp
    package var acceptedAt: Timestamp
    /// The message to which it replies.
    package var parent: MessageID?
    package var tags: [String]
    package var editedAt: Timestamp?
    /// The time of the last edit or reaction; ascends with each.
    package var changedAt: Timestamp?
    /// JSON, as it was delivered.
    package var content: String
    /// By name.
    package var reactions: [Reactions]
    /// `nil` unless the message is deleted.
    package var deletion: Deletion?

    package init(
        id: MessageID, channel: ChannelID, sender: UserID, position: Int64, createdAt: Timestamp, acceptedAt: Timestamp,
        parent: MessageID?, tags: [String] = [], editedAt: Timestamp?, changedAt: Timestamp?, content: String,
        reactions: [Reactions], deletion: Deletion? = nil
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.position = position
        self.createdAt = createdAt
        self.acceptedAt = acceptedAt
        self.parent = parent
        self.tags = tags
        self.editedAt = editedAt
        self.changedAt = changedAt
        self.content = content
        self.reactions = reactions
        self.deletion = deletion
    }
}

/// The result of looking up a message id.
package enum MessageLookUp: Sendable, Equatable {
    case unknown
    case deleted(in: ChannelID)
    case found(StoredMessage)

    package var channel: ChannelID? {
        switch self {
        case .unknown: nil
        case .deleted(let channel): channel
        case .found(let message): message.channel
        }
    }
}
