/// The mutable part of a message: its content and its reactions.
public struct MessageBody: Sendable, Hashable, Codable {
    /// The content as of the last edit.
    public var content: MessageContent
    /// The time when the server accepted the last edit, by the server's clock; `nil` if it was never edited.
    public var editedAt: Timestamp?
    /// The time when the server accepted the last edit or reaction, by its clock. Ascends for one message, so that it
    /// orders two pages. `nil` if there was none.
    public var changedAt: Timestamp?
    /// The number of users who gave each reaction, by the reaction's name.
    public var reactions: [String: Int]
    /// The reactions of this account.
    public var myReactions: Set<String>
    package var clock = VersionClock()

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

    /// Adds or removes a reaction of this account; a repeat changes nothing.
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
