import CausewayModels
import CausewayStorage

/// What belongs to one account is apart from what belongs to another.
extension ModelStore {
    /// Goes over from one account to another, and keeps what belongs to each. Numbers and epochs are common.
    mutating func switchAccount(from old: UserID, to new: UserID) {
        if sabotage == .accountsMixed { return }
        var left = self
        left.clearOtherAccounts()
        left.forgetWhatAVisitMustNot()
        self = returning(to: new, leaving: left, of: old)
    }

    /// The part of the store in which what this account sends belongs.
    func part(of sender: UserID) -> ModelStore { otherAccounts[sender] ?? self }

    /// The message, whichever account it belongs to.
    func messageOfAny(_ id: MessageID, of sender: UserID) -> Message? { part(of: sender).messages[id] }

    /// Everything, whichever account it belongs to.
    var idsOfAll: [MessageID] { messages.keys + otherAccounts.values.flatMap(\.messages.keys) }

    /// A question about the message, or its deletion, still has to reach the hub.
    func asksAbout(_ id: MessageID) -> Bool {
        controls.values.contains { $0.message == id }
            || otherAccounts.values.contains { $0.controls.values.contains { $0.message == id } }
    }
}
