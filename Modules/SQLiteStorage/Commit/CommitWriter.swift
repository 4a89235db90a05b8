import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// Writes the calls of one group within one transaction, and collects the changes of each of them.
///
/// Lives for one transaction on the writer's thread. `counters` runs ahead of the disk; the owner of the transaction
/// adopts it after the commit, and it is reset when a call fails.
final class CommitWriter {
    let db: Database
    let bounds: OutboxBounds
    var counters: CommitCounters
    /// The changes of the current call so far.
    var changes = CommitChanges()
    /// Cached rows of the most recently written messages.
    var rowCache = RowCache()

    init(_ db: Database, _ counters: CommitCounters, _ bounds: OutboxBounds) {
        self.db = db
        self.counters = counters
        self.bounds = bounds
    }

    func execute(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The stored row of the message.
    func row(_ id: MessageID) throws -> MessageRow? { try rowCache[id] ?? db.storedMessage(id, counters.account) }

    /// Stores the upper limit of assigned numbers, some ahead of use, so that most transactions write one page less. A
    /// run starts above the reserved numbers of the one before; unused ones are skipped.
    func reserveSequences() throws {
        guard counters.nextSequence > counters.reservedSequence else { return }
        counters.reservedSequence = counters.nextSequence + SQLiteLimits.sequencesReservedMax
        try execute("UPDATE store SET next_sequence = ? WHERE id = 1", [counters.reservedSequence])
    }

    // MARK: Enqueue

    func enqueue(_ draft: MessageDraft, content: Data) throws -> Message {
        if !counters.hasStarted { throw StoreError.notStarted }
        if let wanted = draft.account, let account = counters.accountName, wanted != account {
            throw StoreError.otherAccount(wanted)
        }
        do {
            try bounds.admit(bytes: content.count, to: counters.counts)
        } catch {
            throw try row(draft.id) == nil ? error : StoreError.duplicate(draft.id)
        }
        let related = try draft.role.related.flatMap { try row($0)?.message }
        let ordinal = counters.takeSequence()
        let mayGo = Message.mayGo(draft.role, in: draft.lane, with: related)
        let message = Message(draft, ordinal: ordinal, laneSequence: mayGo ? ordinal : 0)
        try insert(message, content: content)
        if let target = message.role.target { try overlay(target) }
        return message
    }

    private static let insertion = """
        INSERT INTO message (account, \(MessageRow.ownColumns)) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let relating = "UPDATE message SET role = ?, related = ? WHERE ordinal = ?"

    /// Relies on the unique index to reject a duplicate id: SQLite rolls back the one statement, and the transaction
    /// continues.
    private func insert(_ message: Message, content: Data) throws {
        do {
            try execute(Self.insertion) { row in
                row.bind(counters.account.id)
                row.bind(message.ordinal)
                row.bind(message.id)
                row.bind(message.channel.value)
                row.bind(message.sender.value)
                row.bind(text: content)
                row.bind(content.count)
                row.bind(message.createdAt.milliseconds)
                row.bind(message.lane?.rawValue)
                row.bind(message.laneSequence)
                row.bind(message.previousSequence)
                row.bind(StateCode.code(message.syncState))
                row.bind(message.attempts)
                row.bind(message.lastAttemptAt?.milliseconds)
                row.bind(try message.failure.map(StoredJSON.encode))
                row.bind(message.isInDoubt)
                row.bind(message.cursor.position)
                row.bind(message.serverPosition?.acceptedAt.milliseconds)
            }
        } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
            throw StoreError.duplicate(message.id)
        }
        if let related = message.role.related {
            try execute(Self.relating, [RoleCode.code(message.role), related.blob, message.ordinal])
        }
        if let extras = StoredAggregates(message.displayed) {
            try execute(Self.showing, [try StoredJSON.encode(extras), nil, message.ordinal])
        }
        counters.count(nil, 0, message, content.count)
        rowCache.remember(MessageRow(message: message, bytes: content.count))
        changes.add(message: nil, message, bytes: content.count)
    }

    // MARK: Messages

    /// - Parameter content: the coded content, if the step may change it.
    func change(_ id: MessageID, content: Data? = nil, _ step: (Message) -> Message) throws {
        guard let old = try row(id) else { return }
        try save(step(old.message), over: old, content: content)
    }

    func merge(_ placed: RemoteMessage, content: Data, at time: Timestamp) throws {
        if let old = try row(placed.id) {
            // Merged and overlaid in one step: a message that was merely read again is not written.
            try save(try overlaid(old.message.merged(with: placed, at: time)), over: old, content: content)
        } else {
            let deleted = try db.cachedStatement(sql: StoreQueries.deletionOfMessage)
            guard try Row.fetchOne(deleted, arguments: [counters.account.id, placed.id.blob]) == nil else { return }
            try insert(Message(placed, ordinal: counters.takeSequence()), content: content)
            try overlay(placed.id)
        }
        try release(placed.id, at: time)
    }

    func delete(_ id: MessageID) throws {
        guard let old = try row(id) else { return }
        try execute("DELETE FROM message WHERE ordinal = ?", [old.message.ordinal])
        counters.count(old.message, old.bytes, nil, 0)
        rowCache.forget(id)
        changes.add(message: old.message, nil, bytes: old.bytes)
        if let target = old.message.role.target { try overlay(target) }
    }

    private static let progress = """
        UPDATE message SET sync_state = ?, lane_sequence = ?, previous_sequence = ?, attempts = ?, \
        last_attempt_at = ?, failure = ?, in_doubt = ?, queued_at = ?, history = ? WHERE ordinal = ?
        """
    private static let placing = """
        UPDATE message SET sync_state = ?, failure = NULL, in_doubt = 0, position = ?, accepted_at = ?, history = ? \
        WHERE ordinal = ?
        """
    private static let showing = "UPDATE message SET extras = ?, shown = ? WHERE ordinal = ?"
    private static let rewriting = "UPDATE message SET content = ?, bytes = ? WHERE ordinal = ?"

    /// Writes the changed columns. Only a change of the position updates the index of positions.
    func save(_ message: Message, over old: MessageRow, content: Data? = nil) throws {
        guard message != old.message else { return }
        if message.serverPosition != old.message.serverPosition, let serverPosition = message.serverPosition {
            try execute(Self.placing) { row in
                row.bind(StateCode.code(message.syncState))
                row.bind(serverPosition.position)
                row.bind(serverPosition.acceptedAt.milliseconds)
                row.bind(HistoryCoding.encode(message.history))
                row.bind(message.ordinal)
            }
        } else {
            try execute(Self.progress) { row in
                row.bind(StateCode.code(message.syncState))
                row.bind(message.laneSequence)
                row.bind(message.previousSequence)
                row.bind(message.attempts)
                row.bind(message.lastAttemptAt?.milliseconds)
                row.bind(try message.failure.map(StoredJSON.encode))
                row.bind(message.isInDoubt)
                row.bind(message.queuedAt == message.createdAt ? nil : message.queuedAt.milliseconds)
                row.bind(HistoryCoding.encode(message.history))
                row.bind(message.ordinal)
            }
        }
        if message.displayed != old.message.displayed || message.confirmed != old.message.confirmed {
            let extras = try StoredAggregates(message.confirmed ?? message.displayed).map(StoredJSON.encode)
            let shown = message.confirmed == nil ? nil : try StoredJSON.encode(message.displayed)
            try execute(Self.showing, [extras, shown, message.ordinal])
        }
        var bytes = old.bytes
        if let content, message.sentContent != old.message.sentContent {
            bytes = content.count
            try execute(Self.rewriting, [String(decoding: content, as: UTF8.self), bytes, message.ordinal])
        }
        counters.count(old.message, old.bytes, message, bytes)
        rowCache.remember(MessageRow(message: message, bytes: bytes))
        changes.add(message: old.message, message, bytes: bytes)
        if let target = message.role.target { try overlay(target) }
    }
}
