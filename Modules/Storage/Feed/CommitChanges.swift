package import CausewayModels

/// The changes of one commit, collected while it runs: the contents of its ``StoreCommit``.
package struct CommitChanges: Sendable {
    package private(set) var listed: [RecordChange] = []
    private var added: [OutboxEntry] = []
    /// Items that were removed after a link was added.
    private var removed: Set<OperationID> = []
    /// See ``StoreCommit/pruned``.
    private var pruned: [ChannelID: Int64] = [:]
    /// See ``StoreCommit/isReset``.
    package var isReset = false

    package init() {}

    /// Adds an item that was inserted, changed or removed.
    ///
    /// - Parameter bytes: the size of the coded content.
    package mutating func add(item before: StoredItem?, _ after: StoredItem?, bytes: Int) {
        if case .message? = after ?? before {
            listed.append(.message(before: before?.message, after: after?.message, bytes: bytes))
        } else {
            listed.append(.operation(before: before?.operation, after: after?.operation, bytes: bytes))
        }
        if after == nil, let before, !added.isEmpty { removed.insert(before.id) }
        guard let after, after.syncState == .created, after.laneSequence != before?.laneSequence,
            let entry = after.entry(bytes: bytes)
        else { return }
        added.append(entry)
    }

    /// Adds a control entry that was stored, changed or removed.
    package mutating func add(marker before: ChainMarker?, _ after: ChainMarker?) {
        listed.append(.marker(before: before, after: after))
        // The outbox machine places the other kinds itself.
        if before == nil, let after, after.kind == .delete { added.append(after.entry) }
    }

    /// Adds a record other than a message that was stored, changed or removed.
    package mutating func add(record before: StoredRecord?, _ after: StoredRecord?) {
        listed.append(.record(before: before, after: after))
    }

    /// Adds a removed message that the server still has.
    package mutating func add(pruned channel: ChannelID, through position: Int64) {
        pruned[channel] = max(pruned[channel] ?? position, position)
    }

    package mutating func add(_ action: DeleteAction) { listed.append(.deleteAction(action)) }

    package mutating func add(_ session: Session) { listed.append(.session(session)) }

    /// The links that the commit leaves behind: one of a removed message would remain in the outbox machine for ever.
    private var appended: [OutboxEntry] {
        removed.isEmpty ? added : added.filter { $0.kind != .send || !removed.contains($0.message) }
    }

    /// The commit as it is published.
    package func commit(version: Int64) -> StoreCommit {
        StoreCommit(version: version, changes: listed, appended: appended, isReset: isReset, pruned: pruned)
    }
}
