import CausewayModels
import CausewayStorage

/// What a subscriber knows of a store that only ever hears of its changes: the feed, folded over the beginning.
struct Mirror {
    private(set) var messages: [MessageID: Message] = [:]
    private(set) var controls: [Int64: ControlEntry] = [:]
    private(set) var version: Int64 = 0
    /// The feed said to read again.
    private(set) var isStale = false

    /// Takes a commit in, and says what is wrong with it.
    mutating func fold(_ commit: StoreCommit) -> String? {
        guard commit.version == version + 1 else { return "commit \(commit.version) follows commit \(version)" }
        version = commit.version
        if commit.isReset { isStale = true }
        guard !isStale else { return nil }
        for change in commit.changes {
            switch change {
            case .message(let before, let after, _):
                guard let id = (after ?? before)?.id else { return "a change of nothing" }
                guard messages[id] == before else { return "a change of a message that was not so" }
                messages[id] = after
            case .control(let before, let after):
                guard let sequence = (after ?? before)?.sequence else { return "a change of nothing" }
                guard controls[sequence] == before else { return "a change of a link that was not so" }
                controls[sequence] = after
            case .deleteAction, .session: break  // the session is the device's to know
            }
        }
        return nil
    }

    /// Reads again.
    mutating func take(_ contents: (messages: [Message], controls: [ControlEntry])) {
        messages = Dictionary(uniqueKeysWithValues: contents.messages.map { ($0.id, $0) })
        controls = Dictionary(uniqueKeysWithValues: contents.controls.map { ($0.sequence, $0) })
        isStale = false
    }

    /// What the feed told is what there is.
    func agrees(with contents: (messages: [Message], controls: [ControlEntry])) -> Bool {
        messages.count == contents.messages.count && controls.count == contents.controls.count
            && contents.messages.allSatisfy { messages[$0.id] == $0 }
            && contents.controls.allSatisfy { controls[$0.sequence] == $0 }
    }

    /// In the order in which they came.
    var inOrder: [Message] { messages.values.sorted { $0.ordinal < $1.ordinal } }

    /// Nothing has to be said to the hub any more. What is parked waits for a message that waits for a person.
    var isIdle: Bool { controls.isEmpty && !messages.values.contains { $0.isPending && !$0.isParked } }

    var hasParked: Bool { messages.values.contains { $0.isPending && $0.isParked } }
}
