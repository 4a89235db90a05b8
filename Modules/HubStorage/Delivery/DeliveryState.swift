package import CausewayHubRules
package import CausewayModels

/// The stored state that the keys of a group of deliveries name; absent keys are not stored.
package struct DeliveryState: Sendable, Equatable {
    package struct Outbox: Sendable, Equatable {
        /// The highest epoch seen.
        package var epoch: Int64
        /// The opening that delivered last; `nil` when it named none.
        package var opening: OpeningID?

        package init(epoch: Int64, opening: OpeningID?) {
            self.epoch = epoch
            self.opening = opening
        }
    }

    package struct Lane: Sendable, Equatable {
        /// The sequence of the last operation that was applied, refused or fenced.
        package var mark: Int64
        /// The opening that moved the mark last; `nil` when unknown.
        package var mover: OpeningID?
        /// The operation that moved it last; `nil` when unknown.
        package var operation: OperationID?
        /// The commit that changed the lane last.
        package var commit: Int64

        package init(mark: Int64, mover: OpeningID?, operation: OperationID? = nil, commit: Int64) {
            self.mark = mark
            self.mover = mover
            self.operation = operation
            self.commit = commit
        }
    }

    package struct Message: Sendable, Equatable {
        package var channel: ChannelID
        /// The number of the account that sent it.
        package var sender: Int64
        package var position: Int64
        package var acceptedAt: Timestamp
        /// The time of the last edit or reaction.
        package var changedAt: Timestamp?
        package var isDeleted: Bool
        /// The type of the content; `nil` unless it was requested.
        package var type: String?
        /// The blob that it is attached to; `nil` unless the type was requested.
        package var attachment: BlobName?

        package init(
            channel: ChannelID, sender: Int64, position: Int64, acceptedAt: Timestamp, changedAt: Timestamp? = nil,
            isDeleted: Bool = false,
            type: String? = nil, attachment: BlobName? = nil
        ) {
            self.channel = channel
            self.sender = sender
            self.position = position
            self.acceptedAt = acceptedAt
            self.changedAt = changedAt
            self.isDeleted = isDeleted
            self.type = type
            self.attachment = attachment
        }
    }

    /// An accepted edit, reaction or write.
    package struct Operation: Sendable, Equatable {
        /// The number of the account that sent it.
        package var sender: Int64
        /// The position of the message that it refers to, or the version that it gave the record.
        package var position: Int64
        package var acceptedAt: Timestamp

        package init(sender: Int64, position: Int64, acceptedAt: Timestamp) {
            self.sender = sender
            self.position = position
            self.acceptedAt = acceptedAt
        }
    }

    /// The reactions to a message.
    package struct Reactions: Sendable, Equatable {
        /// The number of accounts that reacted, by name.
        package var counts: [String: Int] = [:]
        /// The reactions of the accounts that were asked for.
        package var own: Set<Reaction> = []

        package init(counts: [String: Int] = [:], own: Set<Reaction> = []) {
            self.counts = counts
            self.own = own
        }
    }

    /// The id of the present history.
    package var history: [UInt8]
    /// The id of the present opening.
    package var opening: [UInt8]
    /// The number of the last commit.
    package var lastCommit: Int64
    package var outboxes: [OutboxKey: Outbox] = [:]
    package var lanes: [LaneKey: Lane] = [:]
    /// Openings that must never deliver again.
    package var barred: Set<OpeningKey> = []
    /// The last position of each channel that has had a message; the others begin above the floor of the history.
    package var channels: [ChannelID: Int64] = [:]
    package var messages: [MessageID: Message] = [:]
    package var operations: [MessageID: Operation] = [:]
    package var writes: [MessageID: Operation] = [:]
    package var reactions: [MessageID: Reactions] = [:]
    package var earlyDeletions: Set<AccountMessage> = []
    /// The sizes in bytes of the blobs that their accounts may read.
    package var blobs: [BlobKey: Int64] = [:]
    package var records: RecordState

    /// - Parameter floor: the floor of the present history.
    package init(history: [UInt8], opening: [UInt8], floor: Int64, lastCommit: Int64) {
        self.history = history
        self.opening = opening
        self.lastCommit = lastCommit
        records = RecordState(floor: floor)
    }
}
