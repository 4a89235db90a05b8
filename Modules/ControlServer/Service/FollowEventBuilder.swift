import Causeway
import CausewayControlAPI

/// Builds events from the changes of a live collection and the wait reasons, which the store does not know. A value,
/// for one follower.
struct FollowEventBuilder: Sendable {
    private var snapshot = LiveSnapshot<Message>()
    private var last: LiveCollectionChange<Message>?
    /// The reasons that the follower was sent last.
    private var told: [MessageID: WaitReason] = [:]
    /// The users who are typing, and those that the follower was sent last.
    private var typing: [UserID] = []
    private var typingSent: [UserID] = []

    /// The messages of the window that may wait, including those of the change.
    func waiting(after change: LiveCollectionChange<Message>?) -> [Message] {
        (change?.snapshot ?? snapshot).filter { $0.isUndelivered && $0.syncState != .error }
    }

    /// Other users are typing now.
    mutating func note(typing users: [UserID]) { typing = users }

    /// Returns the event to send to the follower; `nil` when nothing changed.
    ///
    /// - Parameters:
    ///   - change: the collection's change; `nil` when only the reasons may have changed.
    ///   - reasons: the reasons of all messages that wait now.
    mutating func event(
        _ change: LiveCollectionChange<Message>?, reasons: [MessageID: WaitReason]
    ) -> FollowEvent? {
        guard let current = change ?? last else { return nil }
        var event = unchanged(current)
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
        let isTypingNew = typing != typingSent
        typingSent = typing
        return change == nil && event.waiting.isEmpty && !isTypingNew ? nil : event
    }

    /// Returns an event without changes, as a keep-alive; `nil` before the first event.
    func sign() -> FollowEvent? {
        last.map(unchanged)
    }

    /// An event without changes of the list.
    private func unchanged(_ current: LiveCollectionChange<Message>) -> FollowEvent {
        var event = FollowEvent(
            version: current.version, count: current.snapshot.count, dataStatus: "\(current.dataStatus)",
            loadingStatus: "\(current.loadingStatus)", problem: current.error.map { "\($0)" })
        event.typing = typing.isEmpty ? nil : typing
        return event
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
