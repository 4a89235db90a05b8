/// What a message is to others: one of its own, an answer, or an operation on another one.
///
/// An operation is an entry of the outbox like a message: it has an id of its own, which is its idempotency key, it is
/// durable when it is made, waits, is sent, and may fail. It is never part of a conversation: what it does shows in the
/// message that it is about, at once. When the server has taken it, it is gone.
public enum MessageRole: Sendable, Hashable {
    /// Stands for itself.
    case message
    /// Answers another message.
    case reply(to: MessageID)
    /// Replaces the content of another message by its own.
    case edit(of: MessageID)
    /// Adds a reaction of its sender; the content is the reaction's name as text.
    case addReaction(to: MessageID)
    /// Takes back a reaction of its sender; the content is the reaction's name as text.
    case removeReaction(from: MessageID)

    /// The message that it cannot go without.
    public var related: MessageID? {
        switch self {
        case .message: nil
        case .reply(let id), .edit(let id), .addReaction(let id), .removeReaction(let id): id
        }
    }

    /// The message that an operation changes; `nil` for what people read as messages.
    public var target: MessageID? { isOperation ? related : nil }

    /// The message that a reply answers.
    public var parent: MessageID? {
        if case .reply(let id) = self { id } else { nil }
    }

    public var isOperation: Bool {
        switch self {
        case .message, .reply: false
        case .edit, .addReaction, .removeReaction: true
        }
    }

    /// The role's name for programs.
    public var name: String {
        switch self {
        case .message: "message"
        case .reply: "reply"
        case .edit: "edit"
        case .addReaction: "addReaction"
        case .removeReaction: "removeReaction"
        }
    }
}
