import CausewayModels

/// Switching from one account to another.
extension MemoryState {
    /// Saves the session and makes its account the current one.
    mutating func save(_ session: Session, _ changes: inout CommitChanges) {
        let next = session.account
        if let account, account != next {
            switchAccount(from: account, to: next, firstSession: session.id)
            changes.isReset = true
        }
        account = next
        self.session = session
        changes.add(session)
    }

    /// Numbers, epochs and the opening continue; everything else belongs to the account.
    private mutating func switchAccount(from old: Account, to new: Account, firstSession: SessionID) {
        var left = self
        left.otherAccounts = [:]
        var found = otherAccounts.removeValue(forKey: new) ?? MemoryState(outboxID: OutboxID(firstSession.value))
        found.epoch = epoch
        found.nextSequence = nextSequence
        found.lineage.takeOver(from: lineage)
        found.otherAccounts = otherAccounts
        found.otherAccounts[old] = left
        self = found
    }

    /// Refuses a draft of another account.
    func admit(_ draft: MessageDraft, as account: Account?) throws(StoreError) {
        if let wanted = draft.account, let account, wanted != account { throw .otherAccount(wanted) }
    }
}
