import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage

extension SyncEngine {
    /// Another copy of the store has delivered: this one continues under a new outbox id.
    func fork() async {
        let id = OutboxID(runtime.makeUUIDv7())
        await commitUntilDurable([.forkOutbox(id, at: clock.wall)])
        note(.storeCopied, "another copy of this store has delivered messages; it was restored or copied")
        await reload()
    }

    /// Reads the outbox from the store, retrying as long as necessary, and continues with it.
    func reload() async {
        while !isClosed {
            feed.clear()
            do throws(StoreError) {
                let snapshot = try await store.outbox()
                storeProblem = nil
                followStored(snapshot.eventCursor)
                return await perform(outbox.handle(.forked(snapshot), at: clock))
            } catch {
                storeProblem = error
                if error == .closed { return }
            }
            await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
        }
    }

    /// Adds a notice to the status for an event that requires no action.
    func note(_ kind: SyncNotice.Kind, _ detail: String) {
        if notices.count >= SyncLimits.noticesKeptMax { notices.removeFirst() }
        notices.append(SyncNotice(kind: kind, at: clock.wall, detail: detail))
    }
}
