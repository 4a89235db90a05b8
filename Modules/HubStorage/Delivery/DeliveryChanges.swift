package import CausewayHubRules
package import CausewayModels

/// The changes of a group of deliveries, each record at most once in each list, in its final state.
///
/// They refer only to channels, messages, records, outboxes and lanes that were among the keys of the transaction, or
/// are new in the same changes. Each commit changes a lane, which names it: a storage may derive its last commit from
/// the lanes.
package struct DeliveryChanges: Sendable, Equatable {
    package struct AcceptedMessage: Sendable, Equatable {
        package var id: MessageID
        package var channel: ChannelID
        package var position: Int64
        /// The number of the account that sent it.
        package var sender: Int64
        /// JSON; `nil` exactly if the message is deleted.
        package var content: String?
        /// The name of the content's type, for a message that is deleted in the same changes; `nil` if the content
        /// names it.
        package var type: String?
        package var createdAt: Timestamp
        package var acceptedAt: Timestamp
        package var parent: MessageID?
        /// Empty for a deleted message.
        package var tags: [String]
        package var editedAt: Timestamp?
        package var changedAt: Timestamp?
        package var deletedAt: Timestamp?
        /// The commit of its last edit, reaction or deletion; `nil` when there was none.
        package var changeCommit: Int64?
        /// The blob that it is attached to, one of those that were loaded; none for a deleted message.
        package var attachment: BlobName?

        package init(
            id: MessageID, channel: ChannelID, position: Int64, sender: Int64, content: String?, createdAt: Timestamp,
            acceptedAt: Timestamp, parent: MessageID?, tags: [String] = [], attachment: BlobName? = nil,
            type: String? = nil
        ) {
            self.id = id
            self.channel = channel
            self.position = position
            self.sender = sender
            self.content = content
            self.createdAt = createdAt
            self.acceptedAt = acceptedAt
            self.parent = parent
            self.tags = tags
            self.attachment = attachment
            self.type = type
        }

        /// Removes everything but the proof that there was a message, and of which type.
        package mutating func delete(at time: Timestamp, in commit: Int64) {
            content = nil
            tags = []
            attachment = nil
            deletedAt = time
            changeCommit = commit
        }
    }

    /// The change of a message that was stored before.
    package enum MessageChange: Sendable, Equatable {
        case reacted(at: Timestamp, commit: Int64)
        case edited(content: String, editedAt: Timestamp, changedAt: Timestamp, commit: Int64)
        /// The content, the tags, all reactions and the attachment are removed.
        case deleted(at: Timestamp, commit: Int64)
    }

    package struct AcceptedOperation: Sendable, Equatable {
        package var id: MessageID
        /// The number of the account that sent it.
        package var sender: Int64
        package var message: MessageID
        package var acceptedAt: Timestamp

        package init(id: MessageID, sender: Int64, message: MessageID, acceptedAt: Timestamp) {
            self.id = id
            self.sender = sender
            self.message = message
            self.acceptedAt = acceptedAt
        }
    }

    package struct AcceptedWrite: Sendable, Equatable {
        package var id: MessageID
        /// The number of the account that sent it.
        package var sender: Int64
        /// The version that it gave the record.
        package var version: Int64
        package var acceptedAt: Timestamp

        package init(id: MessageID, sender: Int64, version: Int64, acceptedAt: Timestamp) {
            self.id = id
            self.sender = sender
            self.version = version
            self.acceptedAt = acceptedAt
        }
    }

    /// The number of the last commit of the group: one for each delivery that changed anything.
    package var lastCommit: Int64
    package var outboxes: [OutboxKey: DeliveryState.Outbox] = [:]
    /// Lanes; their outboxes are stored, or in `outboxes`.
    package var lanes: [LaneKey: DeliveryState.Lane] = [:]
    /// Openings to bar; their outboxes are stored, or in `outboxes`.
    package var barred: Set<OpeningKey> = []
    /// The last positions of channels, also of those that have their first message.
    package var channels: [ChannelID: Int64] = [:]
    /// In the order of acceptance.
    package var newMessages: [AcceptedMessage] = []
    package var messages: [MessageID: MessageChange] = [:]
    /// In the order of acceptance; each refers to a stored or a new message.
    package var newOperations: [AcceptedOperation] = []
    /// In the order of acceptance.
    package var newWrites: [AcceptedWrite] = []
    package var records: [RecordKey: RecordChange] = [:]
    /// Reactions that were added (`true`, also if it is stored already) or removed (`false`, also if it is not stored),
    /// by their message, which is stored or new and not deleted.
    package var reactions: [MessageID: [Reaction: Bool]] = [:]
    /// Deletions of messages that have not arrived, in their order; one that is remembered already stays as it is. The
    /// oldest of an account above ``HubStorageLimits/earlyDeletionsPerAccountMax`` are dropped.
    package var notedDeletions: [AccountMessage] = []
    /// Remembered deletions whose message has arrived; some may also be in `notedDeletions`, which come first.
    package var takenDeletions: Set<AccountMessage> = []

    /// - Parameter lastCommit: the last commit before the group.
    package init(lastCommit: Int64) { self.lastCommit = lastCommit }

    /// True when nothing is to be stored.
    package var isEmpty: Bool {
        outboxes.isEmpty && lanes.isEmpty && barred.isEmpty && channels.isEmpty && newMessages.isEmpty
            && messages.isEmpty && newOperations.isEmpty && newWrites.isEmpty && records.isEmpty && reactions.isEmpty
            && notedDeletions.isEmpty
            && takenDeletions.isEmpty
    }
}
