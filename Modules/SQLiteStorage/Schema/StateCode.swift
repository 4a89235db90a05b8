import CausewayModels

/// The numeric codes of states on disk. They must never change: partial indexes contain them.
enum StateCode {
    static let synced: Int64 = 3

    static func code(_ state: SyncState) -> Int64 {
        switch state {
        case .created: 0
        case .uploading: 1
        case .syncing: 2
        case .synced: synced
        case .error: 4
        }
    }

    static func state(_ code: Int64) -> SyncState? {
        switch code {
        case 0: .created
        case 1: .uploading
        case 2: .syncing
        case synced: .synced
        case 4: .error
        default: nil
        }
    }
}

/// The numeric codes of roles in the table. The meaning of a code never changes.
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

    /// `nil` for an unknown code, and for a role that lacks the message that it refers to.
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
