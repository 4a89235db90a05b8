import CausewayModels

/// The columns of a message body other than its content.
struct FaceExtras: Codable {
    var editedAt: Timestamp?
    var changedAt: Timestamp?
    var reactions: [String: Int]
    var myReactions: Set<String>
    var clock: FaceClock?

    /// `nil` if there is nothing to store.
    init?(_ face: MessageFace) {
        let isPlain = face.editedAt == nil && face.changedAt == nil && face.clock.isEmpty
        if isPlain, face.reactions.isEmpty, face.myReactions.isEmpty { return nil }
        editedAt = face.editedAt
        changedAt = face.changedAt
        reactions = face.reactions
        myReactions = face.myReactions
        clock = face.clock.isEmpty ? nil : face.clock
    }
}

extension MessageFace {
    init(content: MessageContent, _ extras: FaceExtras?) {
        self.init(
            content: content, editedAt: extras?.editedAt, changedAt: extras?.changedAt,
            reactions: extras?.reactions ?? [:],
            myReactions: extras?.myReactions ?? [])
        clock = extras?.clock ?? FaceClock()
    }
}
