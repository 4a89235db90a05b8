import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
import CausewayTransport

/// The history of the server's data.
///
/// Each answer of the server names its history. While it is the one that is kept, how far it has come is written down
/// with the next commit, at the latest with the one that calls a message `synced`. An answer of another history is not
/// believed: the server is asked where the lanes of this outbox stand in it, and what it lost is queued again.
extension SyncEngine {
    /// Takes note of what an answer says of the history.
    ///
    /// - Returns: false when the answer belongs to another history than the one that is kept: it proves nothing.
    func admit(_ seen: ServerHistory?) -> Bool {
        guard let seen else { return true }
        guard let known = history else {
            history = seen
            return true
        }
        guard known.isSame(as: seen) else {
            submit(.event(.probeRequested))
            return false
        }
        if seen.commit > known.commit { history = seen }
        return true
    }

    /// The mutation that writes the history down; none when that was done.
    var unkeptHistory: [Mutation] {
        guard let history, history != keptHistory else { return [] }
        return [.keepHistory(history)]
    }

    /// The server was reached. When it has another history, what it has lost is queued again before anything is sent.
    func follow(_ greeting: ServerGreeting) async {
        guard let seen = greeting.history, let known = history, !known.isSame(as: seen) else {
            _ = admit(greeting.history)
            return
        }
        // Without the marks it answered somebody who knew less.
        guard let marks = greeting.marks else { return submit(.event(.probeRequested)) }
        await queueDeletionsAgain()
        await perform(outbox.handle(.historyChanged(seen, marks: marks), at: moment))
        tell(.reachable)
    }

    /// Commits the change of history; see ``OutboxAction/follow(_:marks:)``.
    func follow(_ new: ServerHistory, marks: [LaneID: Int64]) async {
        let isReplaced = history.map { $0.server != new.server } ?? false
        let id = OutboxID(runtime.makeUUIDv7())
        history = new
        keptHistory = new
        await commitUntilDurable([.followHistory(new, id, marks: marks, at: moment.wall)])
        if isReplaced {
            note(
                .serverReplaced,
                "another server answers under this address; what was delivered from here is delivered again")
        } else {
            note(
                .serverRestored,
                "the server went back to an earlier state of its data; what it lacks of the messages that were "
                    + "delivered from here is delivered again")
        }
        await reload()
    }

    /// Deletes again, so that a server that went back shows no message that was deleted here. Bounded by the deletions
    /// that are kept; one that the server still knows of changes nothing there.
    private func queueDeletionsAgain() async {
        var before: Int64?
        while !isClosed {
            do throws(StoreError) {
                let actions = try await store.deleteActions(before: before, limit: SyncLimits.bulkStepMax)
                guard let last = actions.last else { return }
                before = last.sequence
                let deletions = actions.reversed().map { action in
                    Mutation.appendDelete(action.message, lane: ordering.lane(for: action.type, in: action.channel))
                }
                await commitUntilDurable(deletions)
            } catch {
                if error == .closed { return }
                storeProblem = error
                await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
            }
        }
    }
}
