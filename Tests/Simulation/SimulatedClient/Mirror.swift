import CausewayModels
import CausewayStorage

/// A subscriber's view of a store, built only from its changes: the feed, folded over the initial content.
struct Mirror {
    private(set) var items: [OperationID: StoredItem] = [:]
    private(set) var controls: [Int64: ChainMarker] = [:]
    private(set) var version: Int64 = 0
    /// True when the feed requested a reread.
    private(set) var isStale = false
    /// The messages and operations that have to be sent, those that wait for a message that needs a user, and those
    /// whose failure pauses their lane.
    private var pending = 0
    private var parked = 0
    private(set) var pausing = 0

    /// Applies a commit, and returns what is wrong with it.
    mutating func fold(_ commit: StoreCommit) -> String? {
        guard commit.version == version + 1 else { return "commit \(commit.version) follows commit \(version)" }
        version = commit.version
        if commit.isReset { isStale = true }
        guard !isStale else { return nil }
        for change in commit.changes {
            switch change {
            case .message, .operation:
                let (before, after) = change.items
                guard let id = (after ?? before)?.id else { return "a change of nothing" }
                guard items[id] == before else { return "a change of a message that was not so" }
                items[id] = after
                if let before { count(before, -1) }
                if let after { count(after, 1) }
            case .marker(let before, let after):
                guard let sequence = (after ?? before)?.sequence else { return "a change of nothing" }
                guard controls[sequence] == before else { return "a change of a link that was not so" }
                controls[sequence] = after
            case .record, .deleteAction, .session: break  // the device tracks the session
            }
        }
        return nil
    }

    /// Rereads the content.
    mutating func take(_ contents: (items: [StoredItem], controls: [ChainMarker])) {
        items = Dictionary(uniqueKeysWithValues: contents.items.map { ($0.id, $0) })
        controls = Dictionary(uniqueKeysWithValues: contents.controls.map { ($0.sequence, $0) })
        isStale = false
        (pending, parked, pausing) = (0, 0, 0)
        for item in contents.items { count(item, 1) }
    }

    private mutating func count(_ item: StoredItem, _ change: Int) {
        if item.isPending, item.isParked { parked += change } else if item.isPending { pending += change }
        if item.syncState == .error, item.failure?.pausesLane == true { pausing += change }
    }

    /// True when the folded feed equals the content.
    func agrees(with contents: (items: [StoredItem], controls: [ChainMarker])) -> Bool {
        items.count == contents.items.count && controls.count == contents.controls.count
            && contents.items.allSatisfy { items[$0.id] == $0 }
            && contents.controls.allSatisfy { controls[$0.sequence] == $0 }
    }

    func message(_ id: MessageID) -> Message? { items[id]?.message }

    /// The messages and operations in the order in which they arrived.
    var inOrder: [StoredItem] {
        let all = Array(items.values)
        // Items are large: their places are sorted.
        return all.indices.map { (all[$0].ordinal, $0) }.sorted { $0.0 < $1.0 }.map { all[$0.1] }
    }

    /// True when nothing has to be sent to the hub any more. Parked messages wait for a message that needs a user.
    var isIdle: Bool { controls.isEmpty && pending == 0 }

    var hasParked: Bool { parked > 0 }
}

extension RecordChange {
    /// The message or operation before and after the change; `nil` for a change of another record.
    var items: (before: StoredItem?, after: StoredItem?) {
        switch self {
        case .message(let before, let after, _):
            (before.map(StoredItem.message), after.map(StoredItem.message))
        case .operation(let before, let after, _):
            (before.map(StoredItem.operation), after.map(StoredItem.operation))
        case .marker, .record, .deleteAction, .session: (nil, nil)
        }
    }
}
