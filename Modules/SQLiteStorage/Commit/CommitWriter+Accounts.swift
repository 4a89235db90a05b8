import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// Switching from one account to another.
extension CommitWriter {
    /// Saves the session and makes its account the current one. Cost of switching: linear in the outbox of the other
    /// account.
    func save(_ session: Session) throws {
        let account = session.account
        if counters.accountName == nil {
            try execute(
                "UPDATE account SET server = ?, user = ? WHERE id = ?",
                [account.server, account.user.value, counters.account.id])
            counters.accountName = account
        } else if counters.accountName != account {
            counters.account = try accountRow(of: account, firstSession: session.id)
            try execute("UPDATE store SET account = ? WHERE id = 1", [counters.account.id])
            rowCache.forgetAll()
            let former = counters.lineage
            try loadAccount()
            counters.lineage.takeOver(from: former)
            try storeOutbox()
            changes.isReset = true
        }
        try execute("UPDATE store SET session = ? WHERE id = 1", [try StoredJSON.encode(session)])
        changes.add(session)
    }

    /// Stores the current account's outbox id and openings, and the value of `sharedBelow`, which is common to all
    /// accounts.
    func storeOutbox() throws {
        try execute(
            "UPDATE account SET outbox_id = ?, opening = ?, ancestors = ? WHERE id = ?",
            [
                counters.outboxID.map { MessageID($0.value).blob },
                counters.lineage.opening.map { MessageID($0.value).blob },
                LineageCoding.encode(counters.lineage.ancestors), counters.account.id,
            ])
        try execute("UPDATE store SET shared_below = ? WHERE id = 1", [counters.lineage.sharedBelow])
    }

    /// The row of the account, created if it does not exist; an account without an outbox id gets one.
    private func accountRow(of account: Account, firstSession: SessionID) throws -> AccountRow {
        try execute(
            """
            INSERT INTO account (server, user, outbox_id) VALUES (?, ?, ?) \
            ON CONFLICT (server, user) DO UPDATE SET outbox_id = coalesce(outbox_id, excluded.outbox_id)
            """, [account.server, account.user.value, MessageID(firstSession.value).blob])
        let found = try db.cachedStatement(
            sql: "SELECT id FROM account INDEXED BY account_name WHERE server = ? AND user = ?")
        guard let id = try Int64.fetchOne(found, arguments: [account.server, account.user.value])
        else { throw UnreadableRow(table: "account", key: 0) }
        return AccountRow(id: id)
    }
}
