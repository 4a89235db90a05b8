import CausewayModels
import CausewayStorage
import Synchronization

/// A subscriber that applies every change to its own copy, which must equal the contents of the store.
final class FeedFold: Sendable {
    private struct State {
        var messages: [MessageID: Message] = [:]
        var operations: [OperationID: QueuedOperation] = [:]
        var controls: [Int64: ChainMarker] = [:]
        var session: Session?
        var deletions: [DeleteAction] = []
        var commits: [StoreCommit] = []
        var version: Int64?
        var isStale = false
        var isCalled = false
        var problem: String?
    }

    private let state = Mutex(State())

    /// The number of calls.
    var callCount: Int { state.withLock { $0.commits.count } }
    var commits: [StoreCommit] { state.withLock { $0.commits } }
    var problem: String? { state.withLock { $0.problem } }
    var deletions: [DeleteAction] { state.withLock { $0.deletions } }
    var messages: [MessageID: Message] { state.withLock { $0.messages } }
    /// True after a reset, until ``reset(_:controls:)``.
    var isStale: Bool { state.withLock { $0.isStale } }

    func receive(_ commit: StoreCommit) {
        let isConcurrent = state.withLock { state in
            defer { state.isCalled = true }
            return state.isCalled
        }
        state.withLock { state in
            if isConcurrent { state.problem = state.problem ?? "two calls at once" }
            Self.fold(commit, into: &state)
        }
        state.withLock { $0.isCalled = false }
    }

    /// Replaces the copy with data read from the store after a reset.
    func reset(_ model: ReferenceModel, controls: [ChainMarker]) {
        state.withLock { state in
            state.messages = model.messages
            state.operations = model.changes
            state.controls = Dictionary(uniqueKeysWithValues: controls.map { ($0.sequence, $0) })
            state.isStale = false
        }
    }

    /// Compares the copy with the model.
    func check(_ model: ReferenceModel) throws {
        let state = state.withLock { $0 }
        if let problem = state.problem {
            throw ConformanceFailure(detail: "the feed: \(problem)", file: #fileID, line: #line)
        }
        if let commit = state.commits.last, !commit.isReset { try Self.check(commit.appended, model) }
        if state.isStale { return }
        try requireEqual(state.messages, model.messages, "the messages as the feed told them")
        try requireEqual(state.operations, model.changes, "the operations as the feed told them")
        try requireEqual(
            state.controls.values.sorted { $0.sequence < $1.sequence },
            model.controls.sorted { $0.sequence < $1.sequence }, "the control entries as the feed told them")
    }

    /// Compares the links that the last commit added with those that the model expects.
    private static func check(_ appended: [OutboxEntry], _ model: ReferenceModel) throws {
        let unnumbered = appended.map { entry in
            var entry = entry
            entry.sequence = ReferenceModel.gap
            entry.ordinal = ReferenceModel.gap
            return entry
        }
        try requireEqual(unnumbered, model.appended, "the links that the feed reported as appended")
        try require(
            zip(appended, appended.dropFirst()).allSatisfy { $0.sequence < $1.sequence },
            "appended links do not ascend: \(appended.map(\.sequence))")
        // The last link of a message that is still queued is the one that it has.
        var last: [MessageID: OutboxEntry] = [:]
        for entry in appended where entry.kind == .send { last[entry.message] = entry }
        for message in model.items.values
        where model.isQueued(message.id) && !model.isParked(message.id) {
            guard let entry = last[message.id] else { continue }
            try requireEqual(entry.sequence, message.laneSequence, "the appended sequence of \(message.id)")
            try requireEqual(entry.ordinal, message.ordinal, "the appended ordinal of \(message.id)")
        }
        for entry in appended where entry.kind == .delete {
            let isKnown = model.controls.contains { $0.entry == entry }
            try require(isKnown, "an appended deletion that is no control entry: \(entry)")
        }
    }

    private static func fold(_ commit: StoreCommit, into state: inout State) {
        if let version = state.version, commit.version != version + 1 {
            state.problem = state.problem ?? "version \(commit.version) after \(version)"
        }
        state.version = commit.version
        state.commits.append(commit)
        if commit.isReset { state.isStale = true }
        for change in commit.changes { fold(change, of: commit, into: &state) }
    }

    private static func fold(_ change: RecordChange, of commit: StoreCommit, into state: inout State) {
        switch change {
        case .message(let before, let after, let bytes):
            guard let id = after?.id ?? before?.id else {
                state.problem = state.problem ?? "a change of no message"
                return
            }
            if !state.isStale, state.messages[id] != before {
                state.problem =
                    state.problem
                    ?? "before is \(String(describing: before)), was \(String(describing: state.messages[id]))"
            }
            if let content = (after ?? before)?.sentContent, (try? ContentCoding.encode(content).count) != bytes {
                state.problem = state.problem ?? "\(bytes) bytes for \(content)"
            }
            state.messages[id] = after
        case .operation(let before, let after, let bytes):
            guard let operation = after ?? before else {
                state.problem = state.problem ?? "a change of no operation"
                return
            }
            if !state.isStale, state.operations[operation.id] != before {
                state.problem =
                    state.problem ?? "another operation before than \(String(describing: before))"
            }
            if (try? ContentCoding.encode(operation.content).count) != bytes {
                state.problem = state.problem ?? "\(bytes) bytes for \(operation.content)"
            }
            state.operations[operation.id] = after
        case .marker(let before, let after):
            guard let sequence = after?.sequence ?? before?.sequence else { return }
            if !state.isStale, state.controls[sequence] != before {
                state.problem = state.problem ?? "another control entry before than \(String(describing: before))"
            }
            state.controls[sequence] = after
        case .record: return  // has a fold of its own: see `RecordModel`
        case .deleteAction(let action): state.deletions.append(action)
        case .session(let session): state.session = session
        }
    }
}
