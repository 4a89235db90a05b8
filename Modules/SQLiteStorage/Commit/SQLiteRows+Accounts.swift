import CausewayModels
import CausewayStorage
import Foundation
import GRDB

extension SQLiteRows {
    var account: Account? { counters.accountName }

    var outbox: OutboxRecord { counters.outbox }

    mutating func enter(_ account: Account, newOutboxID: OutboxID) throws {
        guard counters.accountName != nil else {
            try execute(
                "UPDATE account SET server = ?, user = ? WHERE id = ?",
                [account.server, account.user.value, counters.account.id])
            counters.accountName = account
            return
        }
        counters.account = try accountRow(of: account, newOutboxID: newOutboxID)
        try execute("UPDATE store SET account = ? WHERE id = 1", [counters.account.id])
        rowCache.forgetAll()
        try loadAccount()
    }

    /// The row of the account, created if it does not exist; an account without an outbox id gets one.
    private func accountRow(of account: Account, newOutboxID: OutboxID) throws -> AccountRow {
        try execute(
            """
            INSERT INTO account (server, user, outbox_id) VALUES (?, ?, ?) \
            ON CONFLICT (server, user) DO UPDATE SET outbox_id = coalesce(outbox_id, excluded.outbox_id)
            """, [account.server, account.user.value, MessageID(newOutboxID.value).blob])
        let found = try db.cachedStatement(
            sql: "SELECT id FROM account INDEXED BY account_name WHERE server = ? AND user = ?")
        guard let id = try Int64.fetchOne(found, arguments: [account.server, account.user.value])
        else { throw UnreadableRow(table: "account", key: 0) }
        return AccountRow(id: id)
    }

    mutating func eraseAccount() throws {
        for table in ["message", "operation", "control", "lane", "delete_action", "record", "record_entry"] {
            try execute("DELETE FROM \(table) WHERE account = ?", [counters.account.id])
        }
        counters.counts = StoreCounts()
        (counters.awaited, counters.referenced) = (ReferenceFilter(), ReferenceFilter())
        (counters.operations, counters.deletions) = (0, 0)
        rowCache.forgetAll()
    }

    func session() throws -> Session? { try db.storedSession() }

    mutating func setSession(_ session: Session) throws {
        try execute("UPDATE store SET session = ? WHERE id = 1", [try StoredJSON.encode(session)])
    }

    mutating func setOutbox(_ outbox: OutboxRecord) throws {
        let old = counters.outbox
        if outbox.epoch != old.epoch || outbox.lineage.sharedBelow != old.lineage.sharedBelow {
            try execute(
                "UPDATE store SET epoch = ?, shared_below = ? WHERE id = 1",
                [outbox.epoch, outbox.lineage.sharedBelow])
        }
        let openings = (outbox.lineage.opening, outbox.lineage.ancestors)
        if outbox.id != old.id || openings != (old.lineage.opening, old.lineage.ancestors) {
            try execute(
                "UPDATE account SET outbox_id = ?, opening = ?, ancestors = ? WHERE id = ?",
                [
                    outbox.id.map { MessageID($0.value).blob },
                    outbox.lineage.opening.map { MessageID($0.value).blob },
                    LineageCoding.encode(outbox.lineage.ancestors), counters.account.id,
                ])
        }
        if outbox.history != old.history {
            try execute(
                "UPDATE account SET server_history = ? WHERE id = ?",
                [try outbox.history.map(StoredJSON.encode), counters.account.id])
        }
        if outbox.eventCursor != old.eventCursor {
            try execute(
                "UPDATE account SET event_cursor = ? WHERE id = ?",
                [outbox.eventCursor?.rawValue, counters.account.id])
        }
        counters.outbox = outbox
    }
}
