import CausewayModels
import CausewayOutbox
import CausewayStorage

/// The acts of users in a small world: they delete, resend, log out and in.
extension SmallWorld {
    mutating func delete(_ id: MessageID, _ cut: Cut?) -> Int {
        guard let message = store.messages[id], let outbox else { return 0 }
        actsLeft = max(0, actsLeft - 1)
        var deletion = outbox.deletion(of: message, with: store.dependants(of: id), by: .api, at: moment)
        if sabotage == .deletesOnlyLocally { deletion.mutations = [.delete(id)] }
        for gone in deletion.vanished { ledger.records[gone]?.isDeleted = true }
        vanishedCount += deletion.vanished.count - 1
        commit(deletion.mutations)
        let actions = take(.deleted(deletion.vanished), at: .zero, cut)
        if cut == nil { for ended in deletion.ended { completeAsStored(ended) } }
        return actions
    }

    mutating func resend(_ id: MessageID) -> Int {
        guard let message = store.messages[id], let mutations = outbox?.mutations(toResend: message, at: moment)
        else { return 0 }
        actsLeft -= 1
        guard !mutations.isEmpty else { return 0 }
        vanishedCount += 1
        ledger.records[id]?.failedAttempts = 0
        waiting.insert(id)
        commit(mutations)
        ledger.noteTail(store.messages[id]?.laneSequence ?? 0, of: id)
        let entries = store.takeFeed()
        for entry in entries { ledger.noteSequence(entry.sequence, of: entry.message) }
        return take(.enqueued(entries), at: .zero) + take(.unpaused([id]), at: .zero)
    }

    // MARK: - Sessions

    /// The responses to deliveries in flight are ignored.
    mutating func logOut() {
        hasSession = false
        for parcel in wire where parcel.isAwaited { ledger.noteFailedAttempt(parcel.round) }
        wire = wire.filter { $0.stage == .request }
        for index in wire.indices { (wire[index].isAwaited, wire[index].isOfThisProcess) = (false, false) }
        endSession()
    }

    mutating func logIn() -> Int {
        hasSession = true
        endSession()
        return take(.sessionBegan, at: .zero)
    }

    private mutating func endSession() {
        store.commit([.endSession(Failure(reason: .sessionEnded, code: "loggedOut", detail: "", at: Self.wall))])
        _ = store.takeFeed()
        load(store.snapshot)
    }
}
