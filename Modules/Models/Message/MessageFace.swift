/// What of a message can change after it was sent: what it says, and how people reacted to it.
public struct MessageFace: Sendable, Hashable, Codable {
    public var content: MessageContent
    /// When the server took the last edit, by the server's clock; `nil` when it was never edited.
    public var editedAt: Timestamp?
    /// When the server took the last edit or reaction, by its clock; ascends for one message, so that of two pages it
    /// tells which one is the later. `nil` when there was none.
    public var changedAt: Timestamp?
    /// How many people gave each reaction, by its name.
    public var reactions: [String: Int]
    /// The reactions that this account gave.
    public var myReactions: Set<String>
    package var clock = FaceClock()

    public init(
        content: MessageContent, editedAt: Timestamp? = nil, changedAt: Timestamp? = nil,
        reactions: [String: Int] = [:],
        myReactions: Set<String> = []
    ) {
        self.content = content
        self.editedAt = editedAt
        self.changedAt = changedAt
        self.reactions = reactions
        self.myReactions = myReactions
    }

    /// Adds or takes back a reaction of this account; a repeat changes nothing.
    public mutating func react(with name: String, isAdded: Bool) {
        if isAdded {
            guard myReactions.insert(name).inserted else { return }
            reactions[name] = min(max(reactions[name, default: 0], 0), Limits.reactionCountMax - 1) + 1
        } else if myReactions.remove(name) != nil {
            let count = min(max(reactions[name, default: 1], 1), Limits.reactionCountMax) - 1
            reactions[name] = count > 0 ? count : nil
        }
    }
}
