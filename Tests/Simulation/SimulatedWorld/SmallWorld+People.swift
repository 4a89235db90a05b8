import CausewayModels
import CausewayOutbox
import CausewayStorage

/// The acts of users in a small world: they delete, resend, log out and in.
extension SmallWorld {
    mutating func delete(_ id: MessageID, _ cut: Cut?) -> Int {
        guard let message = store.items[id], let outbox else { return 0 }
        actsLeft = max(0, actsLeft - 1)
        var deletion = outbox.deletion(of: message, with: store.dependants(of: id), by: .api, at: clock)
        if plantedFault == .deletesOnlyLocally { deletion.mutations = [.delete(id)] }
        for gone in deletion.removedUnsent { expected.records[gone]?.isDeleted = true }
        removedCount += deletion.removedUnsent.count - 1
        commit(deletion.mutations)
        let actions = take(.deleted(deletion.removedUnsent), at: .zero, cut)
        if cut == nil { for ended in deletion.ended { completeAsStored(ended) } }
        return actions
    }

    mutating func resend(_ id: MessageID) -> Int {
        guard let message = store.items[id],
            let mutations = outbox?.mutations(toResend: message, at: clock)
        else { return 0 }
        actsLeft -= 1
        guard !mutations.isEmpty else { return 0 }
        removedCount += 1
        expected.records[id]?.failedAttempts = 0
        waiting.insert(id)
        commit(mutations)
        expected.noteTail(store.items[id]?.laneSequence ?? 0, of: id)
        let entries = store.takeFeed()
        for entry in entries { expected.noteSequence(entry.sequence, of: entry.message) }
        return take(.enqueued(entries), at: .zero) + take(.unpaused([id]), at: .zero)
    }

    // MARK: - Sessions

    /// The responses to deliveries in flight are ignored.
    mutating func logOut() {
        hasSession = false
        for parcel in wire where parcel.isAwaited { expected.noteFailedAttempt(parcel.batch) }
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
