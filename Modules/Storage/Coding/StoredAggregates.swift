package import CausewayModels

/// The columns of a message body other than its content.
package struct StoredAggregates: Codable {
    package var editedAt: Timestamp?
    package var changedAt: Timestamp?
    package var reactions: [String: Int]
    package var myReactions: Set<String>
    package var clock: VersionClock?

    /// `nil` if there is nothing to store.
    package init?(_ body: MessageBody) {
        let isPlain = body.editedAt == nil && body.changedAt == nil && body.clock.isEmpty
        if isPlain, body.reactions.isEmpty, body.myReactions.isEmpty { return nil }
        editedAt = body.editedAt
        changedAt = body.changedAt
        reactions = body.reactions
        myReactions = body.myReactions
        clock = body.clock.isEmpty ? nil : body.clock
    }
}

extension MessageBody {
    package init(content: MessageContent, _ extras: StoredAggregates?) {
        self.init(
            content: content, editedAt: extras?.editedAt, changedAt: extras?.changedAt,
            reactions: extras?.reactions ?? [:],
            myReactions: extras?.myReactions ?? [])
        clock = extras?.clock ?? VersionClock()
    }
}
