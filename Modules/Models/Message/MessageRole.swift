/// The relation of a message to others: independent, a reply, or an operation on another message.
///
/// An operation is an entry of the outbox like a message: it has an id of its own, which is its idempotency key; it is
/// durable once created, waits, is sent, and may fail. It is never part of a conversation: its effect shows at once in
/// the message that it targets. After the server has confirmed it, it is removed.
public enum MessageRole: Sendable, Hashable {
    /// An independent message.
    case message
    /// A reply to another message.
    case reply(to: MessageID)
    /// Replaces the content of another message with its own.
    case edit(of: MessageID)
    /// Adds a reaction of its sender; the content is the reaction's name as text.
    case addReaction(to: MessageID)
    /// Removes a reaction of its sender; the content is the reaction's name as text.
    case removeReaction(from: MessageID)

    /// The message that this one depends on.
    public var related: MessageID? {
        switch self {
        case .message: nil
        case .reply(let id), .edit(let id), .addReaction(let id), .removeReaction(let id): id
        }
    }

    /// The message that an operation changes; `nil` for messages of a conversation.
    public var target: MessageID? { isOperation ? related : nil }

    /// The message that a reply refers to.
    public var parent: MessageID? {
        if case .reply(let id) = self { id } else { nil }
    }

    public var isOperation: Bool {
        switch self {
        case .message, .reply: false
        case .edit, .addReaction, .removeReaction: true
        }
    }

    /// The machine-readable name of the role.
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
