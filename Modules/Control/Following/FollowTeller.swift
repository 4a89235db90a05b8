import Causeway

/// Puts the changes of a live collection into events, together with what the store does not know: why messages wait.
/// A value, for one follower.
struct FollowTeller: Sendable {
    private var snapshot = LiveSnapshot<Message>()
    private var last: LiveCollectionChange<Message>?
    /// What the follower was told last.
    private var told: [MessageID: WaitReason] = [:]

    /// The messages of the window that may wait, those of the change included.
    func waiting(after change: LiveCollectionChange<Message>?) -> [Message] {
        (change?.snapshot ?? snapshot).filter { $0.isUndelivered && $0.syncState != .error }
    }

    /// What the follower is to be told; `nil` when that is nothing.
    ///
    /// - Parameters:
    ///   - change: the collection's; `nil` when only the reasons may be others.
    ///   - reasons: of all messages that wait now.
    mutating func event(
        _ change: LiveCollectionChange<Message>?, reasons: [MessageID: WaitReason]
    ) -> FollowEvent? {
        guard let current = change ?? last else { return nil }
        var event = FollowEvent(
            version: current.version, count: current.snapshot.count, dataStatus: "\(current.dataStatus)",
            loadingStatus: "\(current.loadingStatus)", problem: current.error.map { "\($0)" })
        var named: Set<Int> = []
        if let change {
            event.deleted = change.deletions
            event.inserted = rows(change.insertions, of: change, reasons)
            event.modified = rows(change.modifications, of: change, reasons)
            named = Set(change.insertions).union(change.modifications)
        }
        // Most changes leave the reasons as they are, and the window is long.
        if reasons != told {
            for (index, message) in current.snapshot.enumerated() where !named.contains(index) {
                let reason = reasons[message.id]
                guard reason != told[message.id] else { continue }
                event.waiting.append(
                    FollowEvent.Waiting(index: index, wait: reason.map(WaitForm.init), waitText: reason?.description))
            }
        }
        snapshot = current.snapshot
        last = current
        told = reasons
        return change == nil && event.waiting.isEmpty ? nil : event
    }

    /// The same once more, as a sign of life; `nil` before the first event.
    func sign() -> FollowEvent? {
        last.map { last in
            FollowEvent(
                version: last.version, count: last.snapshot.count, dataStatus: "\(last.dataStatus)",
                loadingStatus: "\(last.loadingStatus)", problem: last.error.map { "\($0)" })
        }
    }

    private func rows(
        _ indices: [Int], of change: LiveCollectionChange<Message>, _ reasons: [MessageID: WaitReason]
    ) -> [FollowEvent.Row] {
        indices.map { index in
            let message = change.snapshot[index]
            return FollowEvent.Row(index: index, message: MessageForm(message, wait: reasons[message.id]))
        }
    }
}
