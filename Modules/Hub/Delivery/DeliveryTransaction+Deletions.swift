internal import CausewayModels
internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Deletions of stored messages, and of those that have not arrived yet.
extension DeliveryTransaction {
    mutating func delete(_ id: MessageID, _ stored: Stored?) throws -> DeliveryOutcome {
        guard let stored else {
            try noteEarlyDeletion(of: id)
            return .deleted
        }
        guard stored.sender == account.number else {
            return .refused(code: "notYours", detail: "message \(id) was sent by another account")
        }
        if !stored.isDeleted {
            // The row stays as the proof that the id was used; the message's content is gone.
            let statement = try db.cachedStatement(
                sql: "UPDATE message SET content = NULL, deleted_at = ?, revision = ? WHERE id = ?")
            try statement.execute(arguments: [now.milliseconds, try revise(), Data(id.value.bytes)])
            try db.cachedStatement(sql: "DELETE FROM reaction WHERE message = ?").execute(arguments: [stored.number])
        }
        return .deleted
    }

    /// Remembers the deletion of a message that has not arrived. A copy of the account's store may still have the
    /// message and deliver it in an outbox of its own, where no mark bars it.
    ///
    /// Each account has its own sequence of row numbers, so that neither counting nor dropping the oldest costs a scan.
    private func noteEarlyDeletion(of id: MessageID) throws {
        let ends = try db.cachedStatement(sql: "SELECT min(number), max(number) FROM early_deletion WHERE account = ?")
        let row = try Row.fetchOne(ends, arguments: [account.number])
        let oldest: Int64 = row?[0] ?? 0
        let newest: Int64 = row?[1] ?? -1
        let insertion = try db.cachedStatement(
            sql: """
                INSERT INTO early_deletion (account, number, id) VALUES (?, ?, ?) ON CONFLICT (account, id) DO NOTHING
                """)
        try insertion.execute(arguments: [account.number, newest + 1, Data(id.value.bytes)])
        guard newest - oldest + 1 >= HubLimits.earlyDeletionsPerAccountMax else { return }
        try db.cachedStatement(sql: "DELETE FROM early_deletion WHERE account = ? AND number = ?")
            .execute(arguments: [account.number, oldest])
    }

    /// - Returns: true when the account had deleted the message before it arrived; the entry is then removed.
    func takeEarlyDeletion(of id: MessageID) throws -> Bool {
        let statement = try db.cachedStatement(sql: "DELETE FROM early_deletion WHERE account = ? AND id = ?")
        try statement.execute(arguments: [account.number, Data(id.value.bytes)])
        return db.changesCount > 0
    }
}
