import CausewayModels
import CausewayStorage

/// What belongs to one account is apart from what belongs to another.
extension ModelStore {
    /// Goes over from one account to another, and keeps what belongs to each. Numbers and epochs are common.
    mutating func switchAccount(from old: UserID, to new: UserID) {
        var left = self
        left.clearOtherAccounts()
        self = returning(to: new, leaving: left, of: old)
    }

    /// The message, whichever account it belongs to.
    func messageOfAny(_ id: MessageID, of sender: UserID?) -> Message? {
        if let sender, let other = otherAccounts[sender] { return other.messages[id] }
        return messages[id]
    }

    /// True when the message belongs to an account that is not current: nobody asks about it before that one is back.
    func isAway(_ sender: UserID?) -> Bool { sender.map { otherAccounts[$0] != nil } ?? false }

    /// Everything, whichever account it belongs to.
    var idsOfAll: [MessageID] { messages.keys + otherAccounts.values.flatMap(\.messages.keys) }

    /// A question about the message, or its deletion, still has to reach the hub.
    func asksAbout(_ id: MessageID) -> Bool {
        controls.values.contains { $0.message == id }
            || otherAccounts.values.contains { $0.controls.values.contains { $0.message == id } }
    }
}
