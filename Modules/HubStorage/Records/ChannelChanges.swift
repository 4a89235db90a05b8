package import CausewayModels

/// The state of the hub up to which a client knows it: a commit, and the opening in which it was named.
///
/// A commit alone would be ambiguous after a backup was restored. The opening that was lost with the newer data is
/// either unknown, or ended before the commit.
package struct ChangesCursor: Sendable, Hashable {
    /// The id of an opening of the hub; 16 bytes.
    package let opening: [UInt8]
    package let commit: Int64

    package init(opening: [UInt8], commit: Int64) {
        self.opening = opening
        self.commit = commit
    }
}

/// A request for the changes of a part of a channel.
package struct ChangesQuery: Sendable {
    package var since: ChangesCursor
    package var from: Int64
    package var through: Int64
    /// True when the part also includes every position after `through`.
    package var isOpen: Bool

    package init(since: ChangesCursor, from: Int64, through: Int64, isOpen: Bool) {
        self.since = since
        self.from = from
        self.through = through
        self.isOpen = isOpen
    }
}

/// The changes of a part of a channel.
package struct ChannelChanges: Sendable, Equatable {
    /// Messages that were changed or added, and those that were deleted.
    package struct Changed: Sendable, Equatable {
        /// By ascending position.
        package var messages: [StoredMessage]
        package var gone: [MessageID]

        package init(messages: [StoredMessage], gone: [MessageID]) {
            self.messages = messages
            self.gone = gone
        }
    }

    /// All changes; `nil` when there are more than the limit, or more than ``HubStorageLimits/changesScannedMax`` in
    /// the channel, or when the earlier state is not one of these data.
    package var changed: Changed?
    /// The channel's newest position.
    package var lastPosition: Int64
    /// A state that the changes lead to.
    package var cursor: ChangesCursor

    package init(changed: Changed?, lastPosition: Int64, cursor: ChangesCursor) {
        self.changed = changed
        self.lastPosition = lastPosition
        self.cursor = cursor
    }
}
