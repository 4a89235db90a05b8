package import CausewayModels

/// The changes of one commit, collected while it runs: the contents of its ``StoreCommit``.
package struct CommitChanges: Sendable {
    package private(set) var listed: [RecordChange] = []
    /// See ``StoreCommit/appended``.
    package private(set) var appended: [OutboxEntry] = []
    /// See ``StoreCommit/isReset``.
    package var isReset = false

    package init() {}

    /// Adds a message that was inserted, changed or removed.
    ///
    /// - Parameter bytes: the size of the coded content.
    package mutating func add(message before: Message?, _ after: Message?, bytes: Int) {
        listed.append(.message(before: before, after: after, bytes: bytes))
        guard let after, after.syncState == .created, after.laneSequence != before?.laneSequence,
            let entry = after.entry(bytes: bytes)
        else { return }
        appended.append(entry)
    }

    /// Adds a control entry that was stored, changed or removed.
    package mutating func add(marker before: ChainMarker?, _ after: ChainMarker?) {
        listed.append(.marker(before: before, after: after))
        // The outbox machine places the other kinds itself.
        if before == nil, let after, after.kind == .delete { appended.append(after.entry) }
    }

    package mutating func add(_ action: DeleteAction) { listed.append(.deleteAction(action)) }

    package mutating func add(_ session: Session) { listed.append(.session(session)) }

    /// The commit as it is published.
    package func commit(version: Int64) -> StoreCommit {
        StoreCommit(version: version, changes: listed, appended: appended, isReset: isReset)
    }
}
