import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import Synchronization

/// The contents of a store after each of its commits, recorded in the simplest way.
final class StoreTimeline: Sendable {
    struct StoredState: Sendable {
        var messages: [MessageID: Message] = [:]
        var deleteActions: [DeleteAction] = []
        /// Tombstones of deleted messages.
        var deleted: [MessageID: DeletedMessage] = [:]
    }

    private struct State {
        var moments: [Int64: StoredState] = [0: StoredState()]
        var latest = StoredState()
        var version: Int64 = 0
        /// True after commits whose changes are not listed, until the store has been read.
        var isUnknown = false
        var subscription: StoreSubscription?
    }

    private let state = Mutex(State())

    /// - Parameter store: an empty store, started or not.
    init(_ store: any Store) {
        let subscription = store.subscribe { [weak self] in self?.record($0) }
        state.withLock { $0.subscription = subscription }
    }

    var version: Int64 { state.withLock { $0.version } }
    var latest: StoredState { state.withLock { $0.latest } }

    /// The contents of the store after this commit; `nil` if there was none with this number.
    func moment(_ version: Int64) -> StoredState? { state.withLock { $0.moments[version] } }

    private func record(_ commit: StoreCommit) {
        state.withLock { state in
            for change in commit.changes {
                switch change {
                case .message(let before, let after, _):
                    if let id = after?.id ?? before?.id { state.latest.messages[id] = after }
                case .deleteAction(let action): state.latest.deleteActions.append(action)
                case .record(let before, let after):
                    guard let id = (after ?? before).flatMap({ MessageID($0.id) }) else { continue }
                    state.latest.deleted[id] = after.flatMap(DeletedMessage.init)
                case .operation, .marker, .session: continue
                }
            }
            state.version = commit.version
            state.isUnknown = state.isUnknown || commit.isReset
            state.moments[commit.version] = state.latest
        }
    }

    /// Called after each write, before the next: reads the changes that a reset did not list.
    func complete(_ store: any Store, _ ids: [MessageID]) async throws(StoreError) {
        guard state.withLock({ $0.isUnknown }) else { return }
        let found = try await store.messages(ids)
        state.withLock { state in
            state.latest.messages = [:]
            for message in found { state.latest.messages[message.id] = message }
            state.moments[state.version] = state.latest
            state.isUnknown = false
        }
    }
}

extension LiveQuery {
    /// The complete result of the query for these records.
    func result(of records: some Sequence<Record>) -> [Record] {
        let ascending = records.filter(matches).sorted { key(of: $0) < key(of: $1) }
        return direction == .ascending ? ascending : ascending.reversed()
    }
}

extension StoreTimeline.StoredState {
    func records<Query: LiveQuery>(of query: Query) -> [Query.Record] {
        if let query = query as? MessagesQuery {
            let left = query.includesDeleted ? deleted.values.map(Message.init) : []
            return query.result(of: messages.values + left) as? [Query.Record] ?? []
        }
        if let query = query as? OneMessageQuery { return query.result(of: messages.values) as? [Query.Record] ?? [] }
        if let query = query as? DeleteActionsQuery { return query.result(of: deleteActions) as? [Query.Record] ?? [] }
        return []
    }
}
