package import CausewayModels

/// The parts of a message body other than its content. `tags` is absent if there are none.
package struct StoredAggregates: Codable {
    package var editedAt: Timestamp?
    package var changedAt: Timestamp?
    package var reactions: [String: Int]
    package var myReactions: Set<String>
    package var clock: VersionClock?
    package var tags: [String]?

    /// `nil` if there is nothing to store.
    package init?(_ body: MessageBody) {
        let isPlain = body.editedAt == nil && body.changedAt == nil && body.clock.isEmpty
        if isPlain, body.tags.isEmpty, body.reactions.isEmpty, body.myReactions.isEmpty { return nil }
        editedAt = body.editedAt
        changedAt = body.changedAt
        reactions = body.reactions
        myReactions = body.myReactions
        clock = body.clock.isEmpty ? nil : body.clock
        tags = body.tags.isEmpty ? nil : body.tags
    }
}

extension MessageBody {
    package init(content: MessageContent, _ extras: StoredAggregates?) {
        self.init(
            content: content, tags: MessageTags.admitted(extras?.tags), editedAt: extras?.editedAt,
            changedAt: extras?.changedAt,
            reactions: extras?.reactions ?? [:],
            myReactions: extras?.myReactions ?? [])
        clock = extras?.clock ?? VersionClock()
    }
}
