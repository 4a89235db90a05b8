import CausewayModels
import CausewayStorage
import Foundation
import GRDB

extension SQLiteRows {
    func message(_ id: MessageID) throws -> MessageRow? {
        try rowCache[id] ?? db.storedMessage(id, counters.account)
    }

    func operations(on id: MessageID) throws -> [Message] {
        try db.dependants(of: id, counters.account).map(\.message).filter(\.role.isOperation)
    }

    func parked(for id: MessageID) throws -> [MessageRow] {
        guard counters.awaited.mayContain(id) else { return [] }
        return try db.dependants(of: id, counters.account).filter(\.message.isParked)
    }

    func pendingMessage(at sequence: Int64) throws -> MessageRow? {
        try db.messageRows(StoreQueries.pendingAtSequence) { statement in
            statement.bind(counters.account.id)
            statement.bind(sequence)
        }.first
    }

    func page(of part: MessagePart, after key: Int64) throws -> [MessageRow] {
        try db.messageRows(StoreQueries.page(of: part)) { statement in
            statement.bind(counters.account.id)
            if case .underWay(let state) = part { statement.bind(StateCode.code(state)) }
            statement.bind(key)
            statement.bind(SQLiteLimits.rowsReadMax)
        }
    }

    // MARK: Writing

    private static let insertion = """
        INSERT INTO message (account, \(MessageRow.ownColumns)) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let relating = "UPDATE message SET role = ?, related = ? WHERE ordinal = ?"

    /// Relies on the unique index to reject a duplicate id: SQLite rolls back the one statement, and the transaction
    /// continues.
    mutating func insert(_ message: Message, content: Data) throws {
        do {
            try db.execute(Self.insertion) { row in
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
    }

    private static let progress = """
        UPDATE message SET sync_state = ?, lane_sequence = ?, previous_sequence = ?, attempts = ?, \
        last_attempt_at = ?, failure = ?, in_doubt = ?, queued_at = ?, history = ? WHERE ordinal = ?
        """
    private static let placing = """
        UPDATE message SET sync_state = ?, failure = NULL, in_doubt = 0, position = ?, accepted_at = ?, history = ? \
        WHERE ordinal = ?
        """
    private static let displacing = "UPDATE message SET position = \(Int64.max), accepted_at = NULL WHERE ordinal = ?"
    private static let showing = "UPDATE message SET extras = ?, shown = ? WHERE ordinal = ?"
    private static let rewriting = "UPDATE message SET content = ?, bytes = ? WHERE ordinal = ?"

    /// Writes the changed columns. Only a change of the position updates the index of positions.
    mutating func update(_ old: MessageRow, to message: Message, content: Data?) throws -> Int {
        if message.serverPosition != old.message.serverPosition, let serverPosition = message.serverPosition {
            try db.execute(Self.placing) { row in
                row.bind(StateCode.code(message.syncState))
                row.bind(serverPosition.position)
                row.bind(serverPosition.acceptedAt.milliseconds)
                row.bind(HistoryCoding.encode(message.history))
                row.bind(message.ordinal)
            }
        } else {
            try writeProgress(message)
            if message.serverPosition == nil, old.message.serverPosition != nil {
                try execute(Self.displacing, [message.ordinal])
            }
        }
        var bytes = old.bytes
        if message.displayed != old.message.displayed || message.confirmed != old.message.confirmed {
            bytes = try writeBody(message, over: old, content)
        }
        counters.count(old.message, old.bytes, message, bytes)
        rowCache.remember(MessageRow(message: message, bytes: bytes))
        return bytes
    }

    private mutating func writeProgress(_ message: Message) throws {
        let failure = try coded(message.failure)
        try db.execute(Self.progress) { row in
            row.bind(StateCode.code(message.syncState))
            row.bind(message.laneSequence)
            row.bind(message.previousSequence)
            row.bind(message.attempts)
            row.bind(message.lastAttemptAt?.milliseconds)
            row.bind(failure)
            row.bind(message.isInDoubt)
            row.bind(message.queuedAt == message.createdAt ? nil : message.queuedAt.milliseconds)
            row.bind(HistoryCoding.encode(message.history))
            row.bind(message.ordinal)
        }
    }

    /// Returns the size of the coded content.
    private func writeBody(_ message: Message, over old: MessageRow, _ content: Data?) throws -> Int {
        let extras = try StoredAggregates(message.confirmed ?? message.displayed).map(StoredJSON.encode)
        let shown = message.confirmed == nil ? nil : try StoredJSON.encode(message.displayed)
        try execute(Self.showing, [extras, shown, message.ordinal])
        guard message.sentContent != old.message.sentContent else { return old.bytes }
        let content = try content ?? ContentCoding.encode(message.sentContent)
        try db.execute(Self.rewriting) { row in
            row.bind(text: content)
            row.bind(content.count)
            row.bind(message.ordinal)
        }
        return content.count
    }

    mutating func remove(_ old: MessageRow) throws {
        try db.execute("DELETE FROM message WHERE ordinal = ?") { row in row.bind(old.message.ordinal) }
        counters.count(old.message, old.bytes, nil, 0)
        rowCache.forget(old.message.id)
    }
}
