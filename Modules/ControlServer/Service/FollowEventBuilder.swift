import Causeway
import CausewayControlAPI

/// Builds events from the changes of a live collection and the wait reasons, which the store does not know. A value,
/// for one follower.
struct FollowEventBuilder: Sendable {
    private var snapshot = LiveSnapshot<Message>()
    private var last: LiveCollectionChange<Message>?
    /// The reasons that the follower was sent last.
    private var told: [MessageID: WaitReason] = [:]

    /// The messages of the window that may wait, including those of the change.
    func waiting(after change: LiveCollectionChange<Message>?) -> [Message] {
        (change?.snapshot ?? snapshot).filter { $0.isUndelivered && $0.syncState != .error }
    }

    /// Returns the event to send to the follower; `nil` when nothing changed.
    ///
    /// - Parameters:
    ///   - change: the collection's change; `nil` when only the reasons may have changed.
    ///   - reasons: the reasons of all messages that wait now.
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
        // Most changes leave the reasons unchanged, and the window is long.
        if reasons != told {
            for (index, message) in current.snapshot.enumerated() where !named.contains(index) {
                let reason = reasons[message.id]
                guard reason != told[message.id] else { continue }
                event.waiting.append(FollowEvent.Waiting(index: index, wait: reason))
            }
        }
        snapshot = current.snapshot
        last = current
        told = reasons
        return change == nil && event.waiting.isEmpty ? nil : event
    }

    /// Returns an event without changes, as a keep-alive; `nil` before the first event.
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
            return FollowEvent.Row(index: index, message: MessageDTO(message, wait: reasons[message.id]))
        }
    }
}
