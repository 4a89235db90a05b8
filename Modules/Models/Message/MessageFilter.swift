/// A choice among the messages of a channel, by properties that no edit changes.
public struct MessageFilter: Sendable, Hashable {
    /// A choice by the message that a message replies to.
    public enum Parent: Sendable, Hashable {
        /// Messages that are no replies.
        case noParent
        /// The replies to this message.
        case parent(MessageID)
    }

    /// The type of the messages; `nil` for every type.
    public var type: MessageType?
    /// The parent of the messages; `nil` for messages and replies.
    public var parent: Parent?
    /// Tags of which a message has at least one; if empty, messages with any tags, and without.
    public var includingTags: Set<String>
    /// Tags of which a message has none.
    public var excludingTags: Set<String>

    /// Without arguments, every message satisfies the filter.
    public init(
        type: MessageType? = nil, parent: Parent? = nil, includingTags: Set<String> = [],
        excludingTags: Set<String> = []
    ) {
        self.type = type
        self.parent = parent
        self.includingTags = includingTags
        self.excludingTags = excludingTags
    }

    /// True if every message satisfies the filter.
    public var admitsAll: Bool { type == nil && parent == nil && !choosesByTags }

    /// True if the tags of a message decide whether it satisfies the filter.
    public var choosesByTags: Bool { !includingTags.isEmpty || !excludingTags.isEmpty }

    /// True for the properties of a message that satisfies the filter.
    public func admits(type: MessageType, parent: MessageID?, tags: [String] = []) -> Bool {
        if let wanted = self.type, wanted != type { return false }
        if !includingTags.isEmpty, !tags.contains(where: includingTags.contains) { return false }
        if !excludingTags.isEmpty, tags.contains(where: excludingTags.contains) { return false }
        return switch self.parent {
        case nil: true
        case .noParent: parent == nil
        case .parent(let id): parent == id
        }
    }

    /// True for a message that satisfies the filter.
    public func admits(_ message: Message) -> Bool {
        admits(type: message.type, parent: message.parent, tags: message.tags)
    }

    /// True if a server can be asked for these messages: the name of the type has 1 to
    /// ``Limits/messageTypeBytesMax`` visible ASCII characters, and at most ``Limits/tagsMax`` valid tags are included,
    /// and excluded.
    public var isValid: Bool {
        for tags in [includingTags, excludingTags] {
            guard tags.count <= Limits.tagsMax, tags.allSatisfy(MessageTags.isTag) else { return false }
        }
        guard let name = type?.name.utf8 else { return true }
        return (1...Limits.messageTypeBytesMax).contains(name.count) && name.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
