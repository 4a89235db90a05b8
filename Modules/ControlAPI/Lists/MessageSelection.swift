package import CausewayModels

/// The messages that a request selects.
package struct MessageSelection: Sendable, Hashable, Codable {
    package var ids: [MessageID]
    /// The origin of a deletion; `api` when absent.
    package var by: DeleteAction.Origin?

    package init(ids: [MessageID], by: DeleteAction.Origin? = nil) {
        self.ids = ids
        self.by = by
    }

    /// The ids.
    ///
    /// Throws ``ControlError/Code/badRequest`` unless there are 1 to ``ControlLimits/idsPerRequestMax``.
    package var checked: [MessageID] {
        get throws(ControlError) {
            guard (1...ControlLimits.idsPerRequestMax).contains(ids.count) else {
                throw ControlError(
                    .badRequest, "a request takes 1 to \(ControlLimits.idsPerRequestMax) message ids, not \(ids.count)")
            }
            return ids
        }
    }
}

/// The channel whose messages a request selects; all channels when absent.
package struct ChannelFilter: Sendable, Hashable, Codable {
    package var channel: ChannelID?
    /// The origin of a deletion; `api` when absent.
    package var by: DeleteAction.Origin?

    package init(channel: ChannelID?, by: DeleteAction.Origin? = nil) {
        self.channel = channel
        self.by = by
    }
}

/// The result of a resend or a deletion.
package struct ChangeReport: Sendable, Hashable, Codable {
    /// The number of messages, edits and reactions.
    package let count: Int
    /// The number of edits and reactions, included in `count`; absent from an older daemon.
    package let changes: Int?
    /// The messages, edits and reactions; absent when the request meant all of a kind.
    package let ids: [MessageID]?

    package init(_ count: OperationCount) {
        self.count = count.total
        changes = count.changes
        ids = nil
    }

    package init(ids: [MessageID], changes: Int) {
        count = ids.count
        self.changes = changes
        self.ids = ids
    }

    /// Messages apart from edits and reactions.
    package var operations: OperationCount { OperationCount(messages: count - (changes ?? 0), changes: changes ?? 0) }
}
