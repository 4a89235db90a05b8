import CausewayModels

/// The numbers that stand for roles in the table. They are never given another meaning.
enum RoleCode {
    static func code(_ role: MessageRole) -> Int64 {
        switch role {
        case .message: 0
        case .reply: 1
        case .edit: 2
        case .addReaction: 3
        case .removeReaction: 4
        }
    }

    /// `nil` for a code that is none, and for a role that lacks the message that it is about.
    static func role(_ code: Int64, _ related: MessageID?) -> MessageRole? {
        switch (code, related) {
        case (0, _): .message
        case (1, let id?): .reply(to: id)
        case (2, let id?): .edit(of: id)
        case (3, let id?): .addReaction(to: id)
        case (4, let id?): .removeReaction(from: id)
        default: nil
        }
    }
}
