import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage

extension SyncEngine {
    /// Another copy of the store has delivered: this one continues under a new outbox id.
    func fork() async {
        let id = OutboxID(runtime.makeUUIDv7())
        await commitUnderOtherID(.forkOutbox(id, at: clock.wall))
        note(.storeCopied, "another copy of this store has delivered messages; it was restored or copied")
        await reload()
    }

    /// Commits the change to another outbox id, without operations that end with it: see
    /// ``Outbox/endsUnderOtherID(_:on:)``.
    func commitUnderOtherID(_ change: Mutation) async {
        let ended = await operationsThatEnd()
        await commitUntilDurable(ended.map { .delete($0) } + [change])
        for id in ended { waiters.complete(id, .deleted) }
    }

    private func operationsThatEnd() async -> [OperationID] {
        let unresolved = outbox.unresolvedOperations
        while !isClosed, !unresolved.isEmpty {
            do throws(StoreError) {
                var ended: [OperationID] = []
                for operation in try await store.operations(unresolved) {
                    guard let target = operation.target else { continue }
                    if outbox.endsUnderOtherID(operation, on: try await store.message(target)) {
                        ended.append(operation.id)
                    }
                }
                return ended
            } catch {
                if error == .closed { break }
                storeProblem = error
                await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
            }
        }
        return []
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
