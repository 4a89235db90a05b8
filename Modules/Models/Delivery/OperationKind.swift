/// The kinds of operations that a server may or may not have.
public enum OperationKind: String, Sendable, Hashable, CaseIterable {
    /// Creations of messages, replies included.
    case create
    /// Edits of a message's content.
    case edit
    /// Reactions, added or removed.
    case react
    /// Deletions of messages on the server.
    case delete
}

extension OperationKind: CustomStringConvertible {
    /// The kind as an activity, for error texts.
    public var description: String {
        switch self {
        case .create: "creating messages"
        case .edit: "editing messages"
        case .react: "reactions"
        case .delete: "deleting messages"
        }
    }
}
