package import CausewayHubRules
package import CausewayModels

/// An outbox of an account.
package struct OutboxKey: Sendable, Hashable {
    /// The number of the account.
    package var account: Int64
    package var id: OutboxID

    package init(account: Int64, id: OutboxID) {
        self.account = account
        self.id = id
    }
}

/// A lane of an outbox.
package struct LaneKey: Sendable, Hashable {
    package var outbox: OutboxKey
    package var lane: LaneID

    package init(outbox: OutboxKey, lane: LaneID) {
        self.outbox = outbox
        self.lane = lane
    }
}

/// An opening of a client's store, as the source of an outbox's deliveries.
package struct OpeningKey: Sendable, Hashable {
    package var outbox: OutboxKey
    package var opening: OpeningID

    package init(outbox: OutboxKey, opening: OpeningID) {
        self.outbox = outbox
        self.opening = opening
    }
}

/// A message of one account.
package struct AccountMessage: Sendable, Hashable {
    /// The number of the account.
    package var account: Int64
    package var message: MessageID

    package init(account: Int64, message: MessageID) {
        self.account = account
        self.message = message
    }
}

/// The reaction of one account to a message.
package struct Reaction: Sendable, Hashable {
    package var name: String
    /// The number of the account.
    package var account: Int64

    package init(name: String, account: Int64) {
        self.name = name
        self.account = account
    }
}

/// A message, and an account whose rights in its channel are needed.
package struct MessageRights: Sendable, Hashable {
    package var message: MessageID
    package var user: UserID

    package init(message: MessageID, user: UserID) {
        self.message = message
        self.user = user
    }
}

/// Everything that a group of deliveries may need to know. Bounded by the operations of the group.
package struct DeliveryKeys: Sendable, Equatable {
    package var lanes: Set<LaneKey> = []
    /// Openings that may be barred.
    package var openings: Set<OpeningKey> = []
    package var channels: Set<ChannelID> = []
    package var messages: Set<MessageID> = []
    /// Those of `messages` whose type and attachment are needed.
    package var typed: Set<MessageID> = []
    /// Edits and reactions, by their own ids.
    package var operations: Set<MessageID> = []
    /// Writes to records, by their own ids.
    package var writes: Set<MessageID> = []
    /// Those of `messages` whose reactions are needed, for each account that reacts.
    package var reactions: Set<AccountMessage> = []
    /// Messages that may have been deleted before they arrived.
    package var earlyDeletions: Set<AccountMessage> = []
    /// Blobs that are to be attached.
    package var blobs: Set<BlobKey> = []
    package var records = RecordKeys()
    /// Rights in the channels of stored messages, which are unknown until the messages are loaded.
    package var rights: Set<MessageRights> = []

    package init() {}

    /// The keys of all records to load.
    ///
    /// - Parameter messages: the loaded messages.
    package func records(of messages: [MessageID: DeliveryState.Message]) -> RecordKeys {
        var keys = records
        for right in rights {
            guard let channel = messages[right.message]?.channel else { continue }
            keys.formUnion(.rights(of: right.user, in: channel))
        }
        return keys
    }
}
