package import CausewayModels

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Applies mutations to the rows of a store: the only place that knows what a ``Mutation`` does, for all stores.
///
/// The effect on a single message is in `Message+Transitions`, the effect of operations on their target in
/// `Message+Operations`. This type adds what involves several rows: numbers, dependencies, chains, accounts. It
/// collects the changes for the feed.
///
/// It belongs to one commit. An error is one of the rows; the commit must then be discarded.
package struct MutationApplier<Rows: StoreRows> {
    package var rows: Rows
    /// The changes so far.
    package var changes = CommitChanges()

    package init(rows: Rows) { self.rows = rows }

    /// Applies one mutation.
    ///
    /// - Parameter content: ``Mutation/content``, coded.
    /// - Precondition: for ``Mutation/enqueue(_:)``, ``refusal(of:bytes:_:)`` returned `nil`.
    package mutating func apply(_ mutation: Mutation, content: Data?) throws(Rows.Failure) {
        switch mutation {
        case .attempt(let id, let previous, let attempts, let time):
            try change(id) { $0.attempted(previous: previous, attempts: attempts, at: time) }
        case .requeue(let id, let attempts, let time):
            try change(id) { $0.requeued(attempts: attempts, at: time) }
        case .deliver(let id, let serverPosition, let time):
            try deliver(id, serverPosition, at: time)
        case .fail(let id, let failure, let inDoubt):
            try fail(id, failure, inDoubt: inDoubt)
        case .settle(let id):
            try change(id) { $0.settled() }
        case .resend(let id, let time):
            try resend(id, at: time)
        case .park(let id, let failure):
            try park(id, failure)
        case .enqueue(let draft):
            _ = try enqueue(draft, content: Self.coded(content))
        case .upload(let id, .startAgain, let time):
            try startUploadAgain(id, at: time)
        case .upload(let id, let step, let time):
            try change(id) { $0.uploaded(step, at: time) }
        case .rewrite(let id, let text):
            try change(id, content: content) { $0.rewritten(text) }
            try overlay(id)
        case .delete(let id):
            try delete(id)
        case .prune(let ids, let account):
            try prune(ids, of: account)
        case .merge(let placed, let time):
            try merge(placed, content: Self.coded(content), at: time)
        case .putMarker, .appendDelete, .attemptMarker, .removeMarker, .rebase, .setLastTransmitted:
            try applyToChain(mutation)
        case .forkOutbox(let id, let time):
            try forkOutbox(id, try rows.entries(), at: time)
        case .keepHistory(let history):
            try keepHistory(history)
        case .followHistory(let history, let id, let marks, let time):
            try followHistory(history, id, marks: marks, at: time)
        case .recordDelete(var action):
            action.sequence = rows.takeSequence()
            try rows.insert(action, keeping: Limits.deleteActionsKeptMax)
            changes.add(action)
        case .saveSession(let session):
            try save(session)
        case .endSession(let failure):
            try endSession(failure, releasesLanes: true)
        case .eraseAccount(let id):
            try eraseAccount(id)
        case .mergeRecords(let records):
            try merge(records)
        case .removeRecord(let kind, let id):
            try removeRecord(kind, id)
        case .setEventCursor(let cursor):
            try setEventCursor(cursor)
        }
    }

    private static func coded(_ content: Data?) -> Data {
        guard let content else { preconditionFailure("a mutation with content comes with its coded form") }
        return content
    }

    // MARK: Creation

    /// The reason to refuse a draft; `nil` if it may be enqueued, unless its id exists already.
    ///
    /// A draft that exists already is recognised here only if the outbox is full: rows report it by themselves.
    ///
    /// - Parameter bytes: the size of the coded content.
    package func refusal(
        of draft: OperationDraft, bytes: Int, _ counts: StoreCounts, _ bounds: OutboxBounds
    ) throws(Rows.Failure) -> StoreError? {
        if let wanted = draft.account, let account = rows.account, wanted != account { return .otherAccount(wanted) }
        guard let full = bounds.refusal(bytes: bytes, counts) else { return nil }
        return try rows.item(draft.id) == nil ? full : .duplicate(draft.id)
    }

    /// The reason to refuse the first of several drafts that may not be enqueued, before anything is changed.
    ///
    /// - Parameters:
    ///   - drafts: with the sizes of their coded contents.
    ///   - counts: those of the rows.
    ///   - bounds: the capacity of the outbox.
    func refusal(
        of drafts: [(draft: OperationDraft, bytes: Int)], _ counts: StoreCounts, _ bounds: OutboxBounds
    ) throws(Rows.Failure) -> StoreError? {
        var counts = counts
        for (draft, bytes) in drafts {
            if let refusal = try refusal(of: draft, bytes: bytes, counts, bounds) { return refusal }
            if try rows.item(draft.id) != nil { return .duplicate(draft.id) }
            counts.count(.created, createsMessage: true, bytes: bytes)
        }
        return nil
    }

    /// Enqueues a draft that was not refused; returns the item as stored.
    package mutating func enqueue(_ draft: OperationDraft, content: Data) throws(Rows.Failure)
        -> StoredItem
    {
        let related = try message(draft.payload.related)
        let ordinal = rows.takeSequence()
        let mayGo = draft.payload.mayGo(in: draft.lane, with: related)
        let item = StoredItem(draft, ordinal: ordinal, laneSequence: mayGo ? ordinal : 0)
        try insert(item, content: content)
        return item
    }

    // MARK: Rows

    /// The message with this id; `nil` if there is none, or no id.
    func message(_ id: MessageID?) throws(Rows.Failure) -> Message? {
        guard let id else { return nil }
        return try rows.item(id)?.message
    }

    mutating func insert(_ item: StoredItem, content: Data) throws(Rows.Failure) {
        try rows.insert(item, content: content)
        changes.add(item: nil, item, bytes: content.count)
        if let target = item.target { try overlay(target) }
    }

    /// - Parameter content: the coded content, if the step may change it and it is at hand.
    mutating func change(
        _ id: OperationID, content: Data? = nil, _ step: (StoredItem) -> StoredItem
    ) throws(Rows.Failure) {
        guard let old = try rows.item(id) else { return }
        try save(step(old.item), over: old, content: content)
    }

    /// Saves an item if it changed; the target of an operation is updated with it.
    mutating func save(_ item: StoredItem, over old: ItemRow, content: Data? = nil) throws(Rows
        .Failure)
    {
        guard item != old.item else { return }
        let bytes = try rows.update(old, to: item, content: content)
        changes.add(item: old.item, item, bytes: bytes)
        if let target = item.target { try overlay(target) }
    }

    mutating func remove(_ old: ItemRow) throws(Rows.Failure) {
        try rows.remove(old)
        changes.add(item: old.item, nil, bytes: old.bytes)
        if let target = old.item.target { try overlay(target) }
    }

    /// Calls `body` for each item of a part of the store. `body` may change the item that it is called for, so that it
    /// leaves the part, and no other one of the part.
    mutating func forEach(
        _ part: ItemPart, _ body: (inout Self, ItemRow) throws(Rows.Failure) -> Void
    ) throws(Rows.Failure) {
        var page = try rows.page(of: part, after: .min)
        while let last = page.last {
            for row in page { try body(&self, row) }
            page = try rows.page(of: part, after: part.key(of: last.item))
        }
    }

    /// Writes an item if it changed, in a commit whose changes are not listed.
    mutating func write(_ item: StoredItem, over old: ItemRow) throws(Rows.Failure) {
        if item != old.item { _ = try rows.update(old, to: item, content: nil) }
    }
}
