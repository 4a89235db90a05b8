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

    /// The part of the store that holds this account's items.
    func part(of sender: UserID) -> ModelStore { otherAccounts[sender] ?? self }

    /// The message or operation, of whichever account.
    func itemOfAny(_ id: OperationID, of sender: UserID) -> StoredItem? { part(of: sender).items[id] }

    /// The ids of all messages, of all accounts.
    var idsOfAll: [MessageID] { items.keys + otherAccounts.values.flatMap(\.items.keys) }

    /// True when a fence or a deletion of the message still has to reach the hub.
    func asksAbout(_ id: MessageID) -> Bool {
        controls.values.contains { $0.message == id }
            || otherAccounts.values.contains { $0.controls.values.contains { $0.message == id } }
    }
}
