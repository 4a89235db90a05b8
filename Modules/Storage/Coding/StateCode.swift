package import CausewayModels

/// The numeric codes of states on disk. They must never change: partial indexes contain them.
package enum StateCode {
    package static let synced: Int64 = 3

    package static func code(_ state: SyncState) -> Int64 {
        switch state {
        case .created: 0
        case .uploading: 1
        case .syncing: 2
        case .synced: synced
        case .error: 4
        }
    }

    package static func state(_ code: Int64) -> SyncState? {
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

/// The numeric codes of operations in the table: 0 for the creation of a message, 1 for that of a reply. The meaning of
/// a code never changes.
package enum PayloadCode {
    package static let reply: Int64 = 1

    package static func code(_ payload: OperationPayload) -> Int64 {
        switch payload {
        case .create(_, parent: nil, _): 0
        case .create: reply
        case .edit: 2
        case .addReaction: 3
        case .removeReaction: 4
        }
    }

    /// `nil` for an unknown code, and for an operation that lacks the message that it refers to.
    package static func payload(_ code: Int64, _ related: MessageID?, _ content: MessageContent)
        -> OperationPayload?
    {
        switch (code, related, content) {
        case (0, _, _): .create(content, parent: nil)
        case (1, let id?, _): .create(content, parent: id)
        case (2, let id?, _): .edit(id, content)
        case (3, let id?, .text(let name)): .addReaction(id, name: name)
        case (4, let id?, .text(let name)): .removeReaction(id, name: name)
        default: nil
        }
    }
}
