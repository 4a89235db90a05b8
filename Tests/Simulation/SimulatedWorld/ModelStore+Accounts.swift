import CausewayModels
import CausewayStorage

/// Separates the records of the accounts.
extension ModelStore {
    /// Switches from one account to another, and keeps the records of each. Numbers and epochs are shared.
    mutating func switchAccount(from old: UserID, to new: UserID) {
        if plantedFault == .accountsMixed { return }
        var left = self
        left.clearOtherAccounts()
        left.forgetWhatAVisitMustNot()
        self = returning(to: new, leaving: left, of: old)
    }

    /// The part of the store that holds this account's messages.
    func part(of sender: UserID) -> ModelStore { otherAccounts[sender] ?? self }

    /// The message, of whichever account.
    func messageOfAny(_ id: MessageID, of sender: UserID) -> Message? { part(of: sender).messages[id] }

    /// The ids of all messages, of all accounts.
    var idsOfAll: [MessageID] { messages.keys + otherAccounts.values.flatMap(\.messages.keys) }

    /// True when a fence or a deletion of the message still has to reach the hub.
    func asksAbout(_ id: MessageID) -> Bool {
        controls.values.contains { $0.message == id }
            || otherAccounts.values.contains { $0.controls.values.contains { $0.message == id } }
    }
}
