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

    /// Without arguments, every message satisfies the filter.
    public init(type: MessageType? = nil, parent: Parent? = nil) {
        self.type = type
        self.parent = parent
    }

    /// True if every message satisfies the filter.
    public var admitsAll: Bool { type == nil && parent == nil }

    /// True for the properties of a message that satisfies the filter.
    public func admits(type: MessageType, parent: MessageID?) -> Bool {
        if let wanted = self.type, wanted != type { return false }
        return switch self.parent {
        case nil: true
        case .noParent: parent == nil
        case .parent(let id): parent == id
        }
    }

    /// True for a message that satisfies the filter.
    public func admits(_ message: Message) -> Bool { admits(type: message.type, parent: message.parent) }

    /// True if a server can be asked for the type: its name has 1 to ``Limits/messageTypeBytesMax`` visible ASCII
    /// characters.
    public var isValid: Bool {
        guard let name = type?.name.utf8 else { return true }
        return (1...Limits.messageTypeBytesMax).contains(name.count) && name.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
