/// The change that an operation makes.
public enum OperationPayload: Sendable, Hashable {
    /// Creates the message whose id is that of the operation.
    case create(MessageContent, parent: MessageID?, tags: [String] = [])
    /// Replaces the content of a message.
    case edit(MessageID, MessageContent)
    /// Adds a reaction of the sender to a message.
    case addReaction(MessageID, name: String)
    /// Removes a reaction of the sender from a message.
    case removeReaction(MessageID, name: String)
}

extension OperationPayload {
    /// The message that it depends on: the parent of a reply, the message that it changes.
    public var related: MessageID? {
        switch self {
        case .create(_, let parent, _): parent
        case .edit(let target, _), .addReaction(let target, _), .removeReaction(let target, _): target
        }
    }

    /// The message that it changes; `nil` for the creation of one.
    public var target: MessageID? { createsMessage ? nil : related }

    /// True for the creation of a message; false for every change of one.
    public var createsMessage: Bool {
        if case .create = self { true } else { false }
    }

    /// The tags of the message that it creates.
    public var tags: [String] {
        if case .create(_, _, let tags) = self { tags } else { [] }
    }

    /// The reaction that it adds or removes; `nil` for any other change.
    public var reaction: String? {
        switch self {
        case .create, .edit: nil
        case .addReaction(_, let name), .removeReaction(_, let name): name
        }
    }

    /// The content that stores keep and count: for a reaction, its name as text.
    public var content: MessageContent {
        get {
            switch self {
            case .create(let content, _, _), .edit(_, let content): content
            case .addReaction(_, let name), .removeReaction(_, let name): .text(name)
            }
        }
        set {
            switch self {
            case .create(_, let parent, let tags): self = .create(newValue, parent: parent, tags: tags)
            case .edit(let target, _): self = .edit(target, newValue)
            case .addReaction, .removeReaction: break
            }
        }
    }

    /// The machine-readable name of the change: `create`, `edit`, `addReaction`, `removeReaction`.
    public var name: String {
        switch self {
        case .create: "create"
        case .edit: "edit"
        case .addReaction: "addReaction"
        case .removeReaction: "removeReaction"
        }
    }
}
