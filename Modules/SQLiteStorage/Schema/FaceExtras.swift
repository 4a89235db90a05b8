import CausewayModels

/// What the table keeps of a face beside its content.
struct FaceExtras: Codable {
    var editedAt: Timestamp?
    var changedAt: Timestamp?
    var reactions: [String: Int]
    var myReactions: Set<String>

    /// `nil` when there is nothing to keep.
    init?(_ face: MessageFace) {
        guard face.editedAt != nil || face.changedAt != nil || !face.reactions.isEmpty || !face.myReactions.isEmpty
        else { return nil }
        editedAt = face.editedAt
        changedAt = face.changedAt
        reactions = face.reactions
        myReactions = face.myReactions
    }
}

extension MessageFace {
    init(content: MessageContent, _ extras: FaceExtras?) {
        self.init(
            content: content, editedAt: extras?.editedAt, changedAt: extras?.changedAt,
            reactions: extras?.reactions ?? [:],
            myReactions: extras?.myReactions ?? [])
    }
}
