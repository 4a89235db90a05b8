import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
import CausewayTransport

/// The history of the server's data.
///
/// Each response of the server names its history. While it is the stored one, its progress is stored with the next
/// commit, at the latest with the one that marks a message as `synced`. A response of another history is not trusted:
/// the server is asked for the marks of this outbox's lanes in it, and messages that it lost are queued again.
extension SyncEngine {
    /// Records the history named by a response; see ``ServerHistory/advanced(by:named:)``.
    ///
    /// - Parameter named: the history that the request named.
    /// - Returns: false if the response confirms nothing: a probe that names the stored history follows.
    func admit(_ seen: ServerHistory?, named: ServerHistory?) -> Bool {
        guard let seen else { return true }
        guard let known = history else {
            history = seen
            return true
        }
        guard let next = known.advanced(by: seen, named: named) else {
            submit(.event(.probeRequested))
            return false
        }
        history = next
        return true
    }

    /// False if another history or opening of the server has become known since this one was the last: a response to a
    /// request of that time may describe data that the server has lost. For responses that name no history.
    func isHistoryUnchanged(since then: ServerHistory?) -> Bool {
        guard let then else { return true }
        return history?.isSame(as: then) == true && history?.opening == then.opening
    }

    /// The mutation that stores the history; none if it is stored already.
    var unkeptHistory: [Mutation] {
        guard let history, history != keptHistory else { return [] }
        return [.keepHistory(history)]
    }

    /// Handles a successful probe. If the server has another history, messages that it has lost are queued again before
    /// anything is sent.
    ///
    /// - Parameter named: the history that the probe named.
    func follow(_ serverInfo: ServerInfo, named: ServerHistory?) async {
        guard let seen = serverInfo.history, let known = history, !known.isSame(as: seen) else {
            _ = admit(serverInfo.history, named: named)
            return
        }
        // Without marks the response belongs to a probe that did not name the known history.
        guard let marks = serverInfo.marks else { return submit(.event(.probeRequested)) }
        // Another copy of this store, which moved a mark after the server had lost data, passed messages of its own.
        let lineage = outbox.lineage
        let proven = marks.filter { lane, _ in serverInfo.movers[lane].map(lineage.contains) ?? true }
        await queueDeletionsAgain()
        await perform(outbox.handle(.historyChanged(seen, marks: proven), at: clock))
        tell(.reachable)
    }

    /// Commits the change of history; see ``OutboxAction/follow(_:marks:)``.
    func follow(_ new: ServerHistory, marks: [LaneID: Int64]) async {
        let isReplaced = history.map { $0.server != new.server } ?? false
        let id = OutboxID(runtime.makeUUIDv7())
        history = new
        keptHistory = new
        await commitUnderOtherID(.followHistory(new, id, marks: marks, at: clock.wall))
        forgetEventCursor()
        if isReplaced {
            note(
                .serverReplaced,
                "a different server responds at this address; messages delivered from here will be delivered again")
        } else {
            note(
                .serverRestored,
                "the server was restored to an earlier state; messages delivered from here that it lost "
                    + "will be delivered again")
        }
        await reload()
    }

    /// Queues recorded deletions again, so that a server whose data were reset shows no message that was deleted here.
    /// Bounded by the number of deletions that are kept: one that is still queued is not queued twice, however often
    /// the history changes. A deletion that the server still knows changes nothing there.
    private func queueDeletionsAgain() async {
        let queued = outbox.queuedDeletions
        var before: Int64?
        while !isClosed {
            do throws(StoreError) {
                let actions = try await store.deleteActions(before: before, limit: SyncLimits.bulkStepMax)
                guard let last = actions.last else { return }
                before = last.sequence
                let deletions = actions.reversed().filter { !queued.contains($0.message) }.map { action in
                    Mutation.appendDelete(
                        action.message, lane: ordering.deletionLane(for: action.type, in: action.channel))
                }
                if !deletions.isEmpty { await commitUntilDurable(deletions) }
            } catch {
                if error == .closed { return }
                storeProblem = error
                await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
            }
        }
    }
}
