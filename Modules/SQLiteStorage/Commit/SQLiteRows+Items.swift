import CausewayModels
import CausewayStorage
import Foundation
import GRDB

extension SQLiteRows {
    func item(_ id: OperationID) throws -> ItemRow? {
        if let cached = rowCache[id] { return cached }
        if let message = try db.storedMessage(id, counters.account) { return message }
        return counters.operations > 0 ? try db.storedOperation(id, counters.account) : nil
    }

    func operations(on id: MessageID) throws -> [QueuedOperation] {
        guard counters.operations > 0 else { return [] }
        return try db.itemRows(StoreQueries.operationsOnMessage) { statement in
            statement.bind(counters.account.id)
            statement.bind(id)
        }.compactMap(\.item.operation)
    }

    func parked(for id: MessageID) throws -> [ItemRow] {
        guard counters.awaited.mayContain(id) else { return [] }
        return try db.dependants(of: id, counters.account).filter(\.item.isParked)
    }

    func mayBeReferenced(_ id: MessageID) -> Bool { counters.referenced.mayContain(id) }

    func pendingItem(at sequence: Int64) throws -> ItemRow? {
        for query in [StoreQueries.pendingMessageAtSequence, StoreQueries.pendingOperationAtSequence] {
            let found = try db.itemRows(query) { statement in
                statement.bind(counters.account.id)
                statement.bind(sequence)
            }
            if let found = found.first { return found }
        }
        return nil
    }

    func page(of part: ItemPart, after key: Int64) throws -> [ItemRow] {
        try db.itemRows(StoreQueries.page(of: part)) { statement in
            statement.bind(counters.account.id)
            statement.bind(key)
            statement.bind(SQLiteLimits.rowsReadMax)
            if case .underWay(let state) = part { statement.bind(StateCode.code(state)) }
        }
    }

    // MARK: Writing

    private static let insertion = """
        INSERT INTO message (account, \(ItemRow.ownColumns)) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let relating = "UPDATE message SET role = ?, related = ? WHERE ordinal = ?"

    /// Relies on the unique index to reject a duplicate id: SQLite rolls back the one statement, and the transaction
    /// continues. The ids of the other table are looked up.
    mutating func insert(_ item: StoredItem, content: Data) throws {
        do {
            switch item {
            case .message(let message): try insert(message, content)
            case .operation(let operation): try insert(operation, content)
            }
        } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
            throw StoreError.duplicate(item.id)
        }
        counters.count(nil, 0, item, content.count)
        rowCache.remember(ItemRow(item: item, bytes: content.count))
    }

    private func insert(_ message: Message, _ content: Data) throws {
        if counters.operations > 0, try db.storedOperation(message.id, counters.account) != nil {
            throw StoreError.duplicate(message.id)
        }
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
        if let parent = message.parent {
            try execute(Self.relating, [PayloadCode.reply, parent.blob, message.ordinal])
        }
        if let upload = message.upload {
            try execute(Self.uploading, [try StoredJSON.encode(upload), message.ordinal])
        }
        if let extras = StoredAggregates(message.displayed) {
            try execute(Self.showing, [try StoredJSON.encode(extras), nil, message.ordinal])
        }
    }

    private static let operationInsertion = """
        INSERT INTO operation (account, ordinal, id, kind, target, channel, sender, content, bytes, created_at, \
        queued_at, lane, lane_sequence, previous_sequence, sync_state, attempts, last_attempt_at, failure, in_doubt, \
        history) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private func insert(_ operation: QueuedOperation, _ content: Data) throws {
        if try rowCache[operation.id] != nil || db.storedMessage(operation.id, counters.account) != nil {
            throw StoreError.duplicate(operation.id)
        }
        try execute(
            Self.operationInsertion,
            [
                counters.account.id, operation.ordinal, operation.id.blob,
                PayloadCode.code(operation.payload),
                operation.target?.blob, operation.channel.value, operation.sender.value,
                String(decoding: content, as: UTF8.self), content.count, operation.createdAt.milliseconds,
                Self.queuedAt(.operation(operation)), operation.lane?.rawValue, operation.laneSequence,
                operation.previousSequence, StateCode.code(operation.syncState), operation.attempts,
                operation.lastAttemptAt?.milliseconds, try operation.failure.map(StoredJSON.encode),
                operation.isInDoubt, HistoryCoding.encode(operation.history),
            ])
    }

    private static func progress(in table: String) -> String {
        """
        UPDATE \(table) SET sync_state = ?, lane_sequence = ?, previous_sequence = ?, attempts = ?, \
        last_attempt_at = ?, failure = ?, in_doubt = ?, queued_at = ?, history = ? WHERE ordinal = ?
        """
    }

    private static let messageProgress = progress(in: "message")
    private static let operationProgress = progress(in: "operation")
    private static let placing = """
        UPDATE message SET sync_state = ?, lane_sequence = ?, failure = NULL, in_doubt = 0, position = ?, \
        accepted_at = ?, history = ? WHERE ordinal = ?
        """
    private static let displacing = "UPDATE message SET position = \(Int64.max), accepted_at = NULL WHERE ordinal = ?"
    private static let showing = "UPDATE message SET extras = ?, shown = ? WHERE ordinal = ?"
    private static let uploading = "UPDATE message SET upload = ? WHERE ordinal = ?"
    private static let messageRewriting =
        "UPDATE message SET content = ?, bytes = ? WHERE ordinal = ?"
    private static let operationRewriting =
        "UPDATE operation SET content = ?, bytes = ? WHERE ordinal = ?"

    /// `nil` while it equals the time of creation.
    private static func queuedAt(_ item: StoredItem) -> Int64? {
        item.queuedAt == item.createdAt ? nil : item.queuedAt.milliseconds
    }

    /// Writes the changed columns. Only a change of the position updates the index of positions.
    mutating func update(_ old: ItemRow, to item: StoredItem, content: Data?) throws -> Int {
        if let message = item.message, let serverPosition = message.serverPosition,
            serverPosition != old.message?.serverPosition
        {
            try db.execute(Self.placing) { row in
                row.bind(StateCode.code(message.syncState))
                row.bind(message.laneSequence)
                row.bind(serverPosition.position)
                row.bind(serverPosition.acceptedAt.milliseconds)
                row.bind(HistoryCoding.encode(message.history))
                row.bind(message.ordinal)
            }
        } else {
            try writeProgress(item)
            if let message = item.message, message.serverPosition == nil,
                old.message?.serverPosition != nil
            {
                try execute(Self.displacing, [message.ordinal])
            }
        }
        if let message = item.message, message.upload != old.item.upload {
            try execute(Self.uploading, [try message.upload.map(StoredJSON.encode), message.ordinal])
        }
        if let message = item.message, let before = old.message,
            message.displayed != before.displayed || message.confirmed != before.confirmed
        {
            let extras = try StoredAggregates(message.confirmed ?? message.displayed).map(
                StoredJSON.encode)
            let shown = message.confirmed == nil ? nil : try StoredJSON.encode(message.displayed)
            try execute(Self.showing, [extras, shown, message.ordinal])
        }
        let bytes = try writeContent(item, over: old, content)
        counters.count(old.item, old.bytes, item, bytes)
        rowCache.remember(ItemRow(item: item, bytes: bytes))
        return bytes
    }

    private mutating func writeProgress(_ item: StoredItem) throws {
        let failure = try coded(item.failure)
        try db.execute(item.createsMessage ? Self.messageProgress : Self.operationProgress) { row in
            row.bind(StateCode.code(item.syncState))
            row.bind(item.laneSequence)
            row.bind(item.previousSequence)
            row.bind(item.attempts)
            row.bind(item.lastAttemptAt?.milliseconds)
            row.bind(failure)
            row.bind(item.isInDoubt)
            row.bind(Self.queuedAt(item))
            row.bind(HistoryCoding.encode(item.history))
            row.bind(item.ordinal)
        }
    }

    /// Returns the size of the coded content.
    private func writeContent(_ item: StoredItem, over old: ItemRow, _ content: Data?) throws -> Int {
        guard item.sentContent != old.item.sentContent else { return old.bytes }
        let content = try content ?? ContentCoding.encode(item.sentContent)
        try db.execute(item.createsMessage ? Self.messageRewriting : Self.operationRewriting) { row in
            row.bind(text: content)
            row.bind(content.count)
            row.bind(item.ordinal)
        }
        return content.count
    }

    mutating func remove(_ old: ItemRow) throws {
        let table = old.item.createsMessage ? "message" : "operation"
        try db.execute("DELETE FROM \(table) WHERE ordinal = ?") { row in row.bind(old.item.ordinal) }
        counters.count(old.item, old.bytes, nil, 0)
        rowCache.forget(old.item.id)
    }

    /// Moves pages from the end of the file into free ones; a checkpoint of the log then shortens the file. Does
    /// nothing in a database of an earlier version, until it was compacted: its free pages serve new messages.
    func releaseRoom() throws {
        _ = try Row.fetchAll(db.cachedStatement(sql: "PRAGMA incremental_vacuum(\(SQLiteLimits.releasedPagesMax))"))
    }
}
