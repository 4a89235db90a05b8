import CausewayModels

/// The columns of a message body other than its content.
struct StoredAggregates: Codable {
    var editedAt: Timestamp?
    var changedAt: Timestamp?
    var reactions: [String: Int]
    var myReactions: Set<String>
    var clock: VersionClock?

    /// `nil` if there is nothing to store.
    init?(_ body: MessageBody) {
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
    init(content: MessageContent, _ extras: StoredAggregates?) {
        self.init(
            content: content, editedAt: extras?.editedAt, changedAt: extras?.changedAt,
            reactions: extras?.reactions ?? [:],
            myReactions: extras?.myReactions ?? [])
        clock = extras?.clock ?? VersionClock()
    }
}
