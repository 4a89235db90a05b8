import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// Reading the tables; see ``StoreQueries``.
extension Database {
    func storedMessage(_ id: MessageID, _ account: AccountRow) throws -> ItemRow? {
        try row(id, account, byID: StoreQueries.messageByID, byOrdinal: StoreQueries.messageByOrdinal)
    }

    /// An operation that creates no message.
    func storedOperation(_ id: OperationID, _ account: AccountRow) throws -> ItemRow? {
        try row(
            id, account, byID: StoreQueries.operationByID, byOrdinal: StoreQueries.operationByOrdinal)
    }

    func storedItem(_ id: OperationID, _ account: AccountRow) throws -> ItemRow? {
        try storedMessage(id, account) ?? storedOperation(id, account)
    }

    private func row(
        _ id: OperationID, _ account: AccountRow, byID: String, byOrdinal: String
    ) throws -> ItemRow? {
        let found = try itemRows(byID) { statement in
            statement.bind(account.id)
            statement.bind(id)
        }
        if let found = found.first { return found }
        guard let ordinal = id.ordinal else { return nil }
        return try itemRows(byOrdinal) { statement in
            statement.bind(account.id)
            statement.bind(ordinal)
        }.first
    }

    func dependants(of id: MessageID, _ account: AccountRow) throws -> [ItemRow] {
        try itemRows(StoreQueries.dependants) { statement in
            statement.bind(account.id)
            statement.bind(id)
        }
    }

    /// The items that a statement selects, with ``ItemRow/columns``.
    func itemRows(
        _ sql: String, binding bind: (inout StatementBinder) throws -> Void
    ) throws -> [ItemRow] {
        var found: [ItemRow] = []
        var names = ItemRow.Names()
        try run(sql, binding: bind) { row in
            found.append(ItemRow(row, &names))
            return true
        }
        return found
    }

    func blockedCount(_ account: AccountRow) throws -> Int {
        try Int.fetchOne(cachedStatement(sql: StoreQueries.blocked), arguments: [account.id]) ?? 0
    }

    func page(_ query: MessageQuery, _ account: AccountRow) throws -> MessagePage {
        // One more message than requested shows whether there is another page.
        let limit = query.limit + 1
        var messages: [Message] = []
        var names = ItemRow.Names()
        for (sql, arguments) in StoreQueries.page(query, account) where messages.count < limit {
            try run(sql, arguments + [limit - messages.count]) { row in
                if let message = ItemRow(row, &names).message { messages.append(message) }
                return true
            }
        }
        guard messages.count > query.limit else { return MessagePage(messages: messages, next: nil) }
        let following = messages.removeLast()
        return MessagePage(messages: messages, next: messages.last?.cursor, following: following)
    }

    /// See ``Store/nextChannel(after:keeping:)``.
    func nextChannel(after channel: ChannelID?, keeping count: Int, _ account: AccountRow) throws -> RetainedPart? {
        var name = channel?.value ?? ""
        while let next = try String.fetchOne(
            cachedStatement(sql: StoreQueries.nextChannel), arguments: [account.id, name])
        {
            if let found = ChannelID(next) {
                let start = try Int64.fetchOne(
                    cachedStatement(sql: StoreQueries.retainedStart), arguments: [account.id, next, max(1, count) - 1])
                return RetainedPart(channel: found, start: start)
            }
            // A name that cannot be read hides no other.
            name = next
        }
        return nil
    }

    func page(_ query: OperationQuery, _ account: AccountRow) throws -> OperationPage {
        let limit = query.limit + 1
        var operations: [QueuedOperation] = []
        var names = ItemRow.Names()
        guard let (sql, arguments) = StoreQueries.page(query, account, limit: limit) else {
            return OperationPage(operations: [], next: nil)
        }
        try run(sql, arguments) { row in
            if let operation = ItemRow(row, &names).item.queued { operations.append(operation) }
            return true
        }
        guard operations.count > query.limit else {
            return OperationPage(operations: operations, next: nil)
        }
        operations.removeLast()
        return OperationPage(operations: operations, next: operations.last.map(query.cursor))
    }

    func deleteActions(before: Int64?, limit: Int, _ account: AccountRow) throws -> [DeleteAction] {
        var actions: [DeleteAction] = []
        try run(StoreQueries.deleteActions, [account.id, before ?? .max, limit]) { row in
            let sequence = row.int64(0)
            // An unreadable row does not hide the others.
            let action = try? StoredJSON.decode(DeleteAction.self, row.data(1), table: "delete_action", key: sequence)
            guard var action else { return true }
            action.sequence = sequence
            actions.append(action)
            return true
        }
        return actions
    }

    /// An unreadable session counts as none: the user logs in again, and all other data is kept.
    func storedSession() throws -> Session? {
        let text = try Row.fetchOne(self, sql: "SELECT session FROM store WHERE id = 1")?[0] as Data?
        return text.flatMap { try? StoredJSON.decode(Session.self, $0, table: "store", key: 1) }
    }

    // MARK: The outbox

    /// The current outbox.
    ///
    /// - Parameter counters: supplies the account, its lineage, its history and its event cursor.
    func outbox(_ outboxID: OutboxID, _ counters: CommitCounters) throws -> OutboxSnapshot {
        let account = counters.account
        let row = try Row.fetchOne(self, sql: "SELECT epoch FROM store WHERE id = 1")
        var lanes: [LaneID: Int64] = [:]
        try run(StoreQueries.lanes, [account.id]) { row in
            lanes[LaneID(rawValue: row.text(0))] = row.int64(1)
            return true
        }
        var snapshot = OutboxSnapshot(
            outboxID: outboxID, epoch: row?[0] ?? 0, lastTransmitted: lanes, entries: try outboxEntries(account),
            pauses: try lanePauses(account), lineage: counters.outbox.lineage)
        snapshot.history = counters.outbox.history
        snapshot.eventCursor = counters.outbox.eventCursor
        return snapshot
    }

    /// Messages and control entries, merged by their sequences.
    func outboxEntries(_ account: AccountRow) throws -> [OutboxEntry] {
        var markers: [OutboxEntry] = []
        try run(StoreQueries.controlEntries, [account.id]) { row in
            if let marker = ChainMarker(row) { markers.append(marker.entry) }
            return true
        }
        return Self.merged(try pendingEntries(account), markers)
    }

    private func lanePauses(_ account: AccountRow) throws -> [OutboxSnapshot.LanePause] {
        var pauses: [OutboxSnapshot.LanePause] = []
        try run(StoreQueries.lanePauses, [account.id]) { row in
            guard let lane = row.textIfPresent(1) else { return true }
            let id = row.messageID(2) ?? MessageID(ordinal: row.int64(0))
            pauses.append(OutboxSnapshot.LanePause(lane: LaneID(rawValue: lane), message: id))
            return true
        }
        return pauses
    }

    private func pendingEntries(_ account: AccountRow) throws -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        // One `LaneID` for all messages of a lane.
        var laneIDs: [String: LaneID] = [:]
        try run(StoreQueries.pendingEntries, [account.id]) { row in
            let name = row.text(1)
            let lane = laneIDs[name] ?? LaneID(rawValue: name)
            laneIDs[name] = lane
            let id = row.messageID(0) ?? MessageID(ordinal: row.int64(7))
            // An unreadable upload fails with its message, which is unreadable, too.
            let upload = row.dataIfPresent(9).flatMap {
                try? StoredJSON.decode(AttachmentUpload.self, $0, table: "message", key: row.int64(7))
            }
            entries.append(
                OutboxEntry(
                    kind: .send, lane: lane, sequence: row.int64(2), ordinal: row.int64(7),
                    previous: row.int64IfPresent(3), message: id, attempts: Int(row.int64(4)), bytes: Int(row.int64(5)),
                    queuedAt: Timestamp(milliseconds: row.int64(6)),
                    isOperation: row.int64(8) != 0, upload: upload))
            return true
        }
        return entries
    }

    private static func merged(_ messages: [OutboxEntry], _ markers: [OutboxEntry]) -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        entries.reserveCapacity(messages.count + markers.count)
        var markers = markers[...]
        for message in messages {
            while let marker = markers.first, marker.sequence < message.sequence {
                entries.append(markers.removeFirst())
            }
            entries.append(message)
        }
        return entries + markers
    }

    /// Calls `body` for the rows of a statement, with arguments of any types; see ``run(_:binding:forEachRow:)``.
    private func run(
        _ sql: String, _ arguments: StatementArguments, forEachRow body: (borrowing StatementRow) throws -> Bool
    ) throws {
        try cachedStatement(sql: sql).setArguments(arguments)
        try run(sql, binding: { _ in }, forEachRow: body)
    }
}
