import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// All queries of the tables. Each names the index that it uses, so that a plan cannot change unnoticed, and is limited
/// to one account, its first argument.
enum StoreQueries {
    static let storeColumns = "account, epoch, next_sequence, shared_below"
    static let accountColumns = "server, user, outbox_id, opening, ancestors, server_history"
    static let messageByID =
        "SELECT \(MessageRow.columns) FROM message INDEXED BY message_id WHERE account = ? AND id = ?"
    /// Only for a row whose id cannot be read.
    static let messageByOrdinal =
        "SELECT \(MessageRow.columns) FROM message WHERE account = ? AND ordinal = ? AND length(id) <> 16"
    static let undelivered = "message INDEXED BY message_undelivered WHERE sync_state <> 3 AND account = ?"
    /// Undelivered messages have no position; in a channel's order they come last. Operations are not part of a
    /// channel's order.
    static let undeliveredInChannel = """
        message INDEXED BY message_place WHERE role < 2 AND account = ? AND channel = ? \
        AND position = \(Int64.max) AND sync_state <> 3
        """
    static let operationsInChannel = """
        message INDEXED BY message_operation WHERE sync_state <> 3 AND role > 1 AND account = ? AND channel = ?
        """
    static let created = "message INDEXED BY message_pending WHERE sync_state < 3 AND account = ? AND sync_state = 0"
    static let underWay = """
        message INDEXED BY message_under_way WHERE sync_state IN (1, 2) AND account = ? AND sync_state = ?
        """
    static let failed = "message INDEXED BY message_failed WHERE sync_state = 4 AND account = ?"
    static let failedInChannel = """
        message INDEXED BY message_failed_in_channel WHERE sync_state = 4 AND account = ? AND channel = ?
        """
    /// All messages that wait without a lane sequence.
    static let parked = "message INDEXED BY message_pending WHERE sync_state < 3 AND account = ? AND lane_sequence = 0"
    /// Parked messages that wait directly or indirectly for a failed one.
    static let blocked = """
        WITH RECURSIVE blocked (account, id) AS ( \
        SELECT message.account, message.id FROM \(parked) AND EXISTS ( \
        SELECT 1 FROM message AS awaited INDEXED BY message_id \
        WHERE awaited.account = message.account AND awaited.id = message.related AND awaited.sync_state = 4) \
        UNION SELECT message.account, message.id FROM blocked JOIN message INDEXED BY message_dependant \
        ON message.account = blocked.account AND message.related = blocked.id AND message.related IS NOT NULL \
        AND (message.role > 1 OR (message.sync_state = 0 AND message.lane_sequence = 0)) \
        WHERE message.sync_state = 0 AND message.lane_sequence = 0) SELECT count(*) FROM blocked
        """
    static let pendingEntries = """
        SELECT id, lane, lane_sequence, previous_sequence, attempts, bytes, coalesce(queued_at, created_at), ordinal, \
        role, related FROM message INDEXED BY message_pending \
        WHERE sync_state < 3 AND account = ? AND lane_sequence > 0 ORDER BY lane_sequence
        """
    /// The messages for which ``Message/dependence`` is set, in the terms of the index, so that SQLite uses it.
    static let dependants = """
        SELECT \(MessageRow.columns) FROM message INDEXED BY message_dependant WHERE account = ? AND related = ? \
        AND related IS NOT NULL AND (role > 1 OR (sync_state = 0 AND lane_sequence = 0)) ORDER BY ordinal
        """
    static let targets = """
        SELECT DISTINCT related FROM message INDEXED BY message_dependant WHERE account = ? AND related IS NOT NULL \
        AND (role > 1 OR (sync_state = 0 AND lane_sequence = 0))
        """
    /// Failed messages whose failure pauses their lane: a few at most, so they have no index.
    static let pausing = "\(failed) AND json_valid(failure) AND json_extract(failure, '$.pausesLane')"
    static let lanePauses = "SELECT ordinal, lane, id FROM \(pausing) ORDER BY ordinal"
    static let controlEntries = """
        SELECT \(ChainMarker.columns) FROM control INDEXED BY control_sequence WHERE account = ? ORDER BY sequence
        """
    static let deletionOfMessage =
        "SELECT 1 FROM delete_action INDEXED BY delete_action_message WHERE account = ? AND message = ?"
    static let deletionCount =
        "SELECT count(*) FROM delete_action INDEXED BY delete_action_account WHERE account = ?"
    static let oldestDeletion =
        "SELECT min(sequence) FROM delete_action INDEXED BY delete_action_account WHERE account = ?"
    static let control =
        "SELECT \(ChainMarker.columns) FROM control INDEXED BY control_sequence WHERE account = ? AND sequence = ?"
    static let lanes = "SELECT name, last_transmitted FROM lane INDEXED BY lane_name WHERE account = ?"
    static let deleteActions = """
        SELECT sequence, action FROM delete_action INDEXED BY delete_action_account WHERE account = ? AND sequence < ? \
        ORDER BY sequence DESC LIMIT ?
        """

    /// The statements that together produce a page, in the order in which they are run; each continues where the one
    /// before ended.
    ///
    /// A cursor in a channel is followed first by the messages that share its position, then by those beyond it. With a
    /// single condition on the pair, SQLite would scan every message of that position: all undelivered ones.
    static func page(_ query: MessageQuery, _ account: AccountRow) -> [(sql: String, arguments: StatementArguments)] {
        let isAscending = query.direction == .ascending
        let order = isAscending ? "ASC" : "DESC"
        let beyond = isAscending ? ">" : "<"
        let start: Int64 = isAscending ? .min : .max
        let select = "SELECT \(MessageRow.columns) FROM "
        let ordinals = " AND ordinal \(beyond) ? ORDER BY ordinal \(order) LIMIT ?"
        switch query.scope {
        case .channel(let channel):
            let inChannel = "message INDEXED BY message_place WHERE role < 2 AND account = ? AND channel = ?"
            let places = " ORDER BY position \(order), ordinal \(order) LIMIT ?"
            guard let after = query.after else { return [(select + inChannel + places, [account.id, channel.value])] }
            return [
                (
                    select + inChannel + " AND position = ?" + ordinals,
                    [account.id, channel.value, after.position, after.ordinal]
                ),
                (
                    select + inChannel + " AND position \(beyond) ?" + places,
                    [account.id, channel.value, after.position]
                ),
            ]
        case .undelivered:
            return [(select + undelivered + ordinals, [account.id, query.after?.ordinal ?? start])]
        case .undeliveredIn(let channel):
            let after = query.after?.ordinal ?? start
            let beyondIt = " AND ordinal \(beyond) ?"
            // Both parts are in this order already, so they are merged while they are read.
            let messages = select + undeliveredInChannel + beyondIt + " UNION ALL "
            let operations = select + operationsInChannel + beyondIt + " ORDER BY ordinal \(order) LIMIT ?"
            let arguments: StatementArguments = [account.id, channel.value, after, account.id, channel.value, after]
            return [(messages + operations, arguments)]
        case .pending(let state):
            // Parked messages have no lane sequence.
            let sequences =
                " AND lane_sequence > 0 AND lane_sequence \(beyond) ? ORDER BY lane_sequence \(order) LIMIT ?"
            let after = query.after?.ordinal ?? start
            switch state {
            case .created: return [(select + created + sequences, [account.id, after])]
            case .uploading, .syncing:
                return [(select + underWay + sequences, [account.id, StateCode.code(state), after])]
            case .synced, .error: return []
            }
        case .failed(in: nil):
            return [(select + failed + ordinals, [account.id, query.after?.ordinal ?? start])]
        case .failed(in: let channel?):
            return [
                (select + failedInChannel + ordinals, [account.id, channel.value, query.after?.ordinal ?? start])
            ]
        }
    }
}

extension Database {
    /// Reads the row within the statement: copying it, with the names of its columns, costs more than the lookup.
    func storedMessage(_ id: MessageID, _ account: AccountRow) throws -> MessageRow? {
        let rows = try Row.fetchCursor(
            cachedStatement(sql: StoreQueries.messageByID), arguments: [account.id, id.blob])
        if let row = try rows.next() { return MessageRow(row) }
        guard let ordinal = id.ordinal else { return nil }
        let statement = try cachedStatement(sql: StoreQueries.messageByOrdinal)
        return try Row.fetchOne(statement, arguments: [account.id, ordinal]).map { MessageRow($0) }
    }

    func dependants(of id: MessageID, _ account: AccountRow) throws -> [Message] {
        try Row.fetchAll(cachedStatement(sql: StoreQueries.dependants), arguments: [account.id, id.blob])
            .map { MessageRow($0).message }
    }

    func blockedCount(_ account: AccountRow) throws -> Int {
        try Int.fetchOne(cachedStatement(sql: StoreQueries.blocked), arguments: [account.id]) ?? 0
    }

    func page(_ query: MessageQuery, _ account: AccountRow) throws -> MessagePage {
        // One more message than requested shows whether there is another page.
        let limit = query.limit + 1
        var messages: [Message] = []
        var names = MessageRow.Names()
        for (sql, arguments) in StoreQueries.page(query, account) where messages.count < limit {
            let rows = try Row.fetchCursor(
                cachedStatement(sql: sql), arguments: arguments + [limit - messages.count])
            while let row = try rows.next() { messages.append(MessageRow(row, &names).message) }
        }
        guard messages.count > query.limit else { return MessagePage(messages: messages, next: nil) }
        let following = messages.removeLast()
        return MessagePage(messages: messages, next: messages.last.map(query.cursor), following: following)
    }

    func deleteActions(before: Int64?, limit: Int, _ account: AccountRow) throws -> [DeleteAction] {
        let rows = try Row.fetchCursor(
            cachedStatement(sql: StoreQueries.deleteActions), arguments: [account.id, before ?? .max, limit])
        var actions: [DeleteAction] = []
        while let row = try rows.next() {
            let sequence: Int64 = row[0]
            // An unreadable row does not hide the others.
            guard
                var action = try? StoredJSON.decode(
                    DeleteAction.self, row[1], table: "delete_action", key: sequence)
            else { continue }
            action.sequence = sequence
            actions.append(action)
        }
        return actions
    }

    /// An unreadable session counts as none: the user logs in again, and all other data is kept.
    func storedSession() throws -> Session? {
        let text = try Row.fetchOne(self, sql: "SELECT session FROM store WHERE id = 1")?[0] as Data?
        return text.flatMap { try? StoredJSON.decode(Session.self, $0, table: "store", key: 1) }
    }

    /// The current outbox: messages and control entries merged by their sequences.
    ///
    /// - Parameter counters: supplies the account, its lineage and its history.
    func outbox(_ outboxID: OutboxID, _ counters: CommitCounters) throws -> OutboxSnapshot {
        let account = counters.account
        let row = try Row.fetchOne(self, sql: "SELECT epoch FROM store WHERE id = 1")
        var lanes: [LaneID: Int64] = [:]
        let laneRows = try Row.fetchCursor(self, sql: StoreQueries.lanes, arguments: [account.id])
        while let row = try laneRows.next() { lanes[LaneID(rawValue: row[0])] = row[1] }
        let controls = try Row.fetchAll(self, sql: StoreQueries.controlEntries, arguments: [account.id])
            .compactMap { try? ChainMarker($0) }.map(\.entry)
        var snapshot = OutboxSnapshot(
            outboxID: outboxID, epoch: row?[0] ?? 0, lastTransmitted: lanes,
            entries: Self.merged(try pendingEntries(account), controls), pauses: try lanePauses(account),
            lineage: counters.lineage)
        snapshot.history = counters.history
        return snapshot
    }

    private func lanePauses(_ account: AccountRow) throws -> [OutboxSnapshot.LanePause] {
        try Row.fetchAll(self, sql: StoreQueries.lanePauses, arguments: [account.id]).compactMap { row in
            guard let lane = row[1] as String? else { return nil }
            let id = MessageID(blob: row[2]) ?? MessageID(ordinal: row[0])
            return OutboxSnapshot.LanePause(lane: LaneID(rawValue: lane), message: id)
        }
    }

    private func pendingEntries(_ account: AccountRow) throws -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        // One `LaneID` for all messages of a lane.
        var laneIDs: [String: LaneID] = [:]
        let rows = try Row.fetchCursor(self, sql: StoreQueries.pendingEntries, arguments: [account.id])
        while let row = try rows.next() {
            let name: String = row[1] ?? ""
            let lane = laneIDs[name] ?? LaneID(rawValue: name)
            laneIDs[name] = lane
            let id = MessageID(blob: row[0]) ?? MessageID(ordinal: row[7])
            let role = RoleCode.role(row[8], (row[9] as Data?).flatMap(MessageID.init(blob:)))
            entries.append(
                OutboxEntry(
                    kind: .send, lane: lane, sequence: row[2], previous: row[3], message: id, attempts: row[4],
                    bytes: row[5], queuedAt: Timestamp(milliseconds: row[6]),
                    isOperation: role?.isOperation == true))
        }
        return entries
    }

    private static func merged(_ messages: [OutboxEntry], _ controls: [OutboxEntry]) -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        entries.reserveCapacity(messages.count + controls.count)
        var controls = controls[...]
        for message in messages {
            while let control = controls.first, control.sequence < message.sequence {
                entries.append(controls.removeFirst())
            }
            entries.append(message)
        }
        return entries + controls
    }
}
