/// The content of a message, its tags and its reactions.
public struct MessageBody: Sendable, Hashable {
    /// The content as of the last edit.
    public var content: MessageContent
    /// The tags that the message was created with, each once; see ``MessageTags``. No edit changes them.
    public var tags: [String]
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

    /// Creates a body; with the content alone, that of a message that was never edited and has no tags and no
    /// reactions.
    public init(
        content: MessageContent, tags: [String] = [], editedAt: Timestamp? = nil, changedAt: Timestamp? = nil,
        reactions: [String: Int] = [:],
        myReactions: Set<String> = []
    ) {
        self.content = content
        self.tags = tags
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

/// `tags` is absent if there are none, as in what versions without tags stored.
extension MessageBody: Codable {
    private enum CodingKeys: String, CodingKey {
        case content, tags, editedAt, changedAt, reactions, myReactions, clock
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            content: try values.decode(MessageContent.self, forKey: .content),
            tags: MessageTags.admitted(try values.decodeIfPresent([String].self, forKey: .tags)),
            editedAt: try values.decodeIfPresent(Timestamp.self, forKey: .editedAt),
            changedAt: try values.decodeIfPresent(Timestamp.self, forKey: .changedAt),
            reactions: try values.decode([String: Int].self, forKey: .reactions),
            myReactions: try values.decode(Set<String>.self, forKey: .myReactions))
        clock = try values.decode(VersionClock.self, forKey: .clock)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(content, forKey: .content)
        if !tags.isEmpty { try values.encode(tags, forKey: .tags) }
        try values.encodeIfPresent(editedAt, forKey: .editedAt)
        try values.encodeIfPresent(changedAt, forKey: .changedAt)
        try values.encode(reactions, forKey: .reactions)
        try values.encode(myReactions, forKey: .myReactions)
        try values.encode(clock, forKey: .clock)
    }
}
