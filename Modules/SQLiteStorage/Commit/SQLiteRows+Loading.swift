import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// Loading the numbers that are kept in memory.
extension SQLiteRows {
    /// Prepares the start of a run: mends what cannot be read, and loads the counters.
    mutating func prepareToStart() throws {
        rowCache.forgetAll()
        if counters.hasStarted { throw StoreError.startedTwice }
        try mendStates()
        try load()
    }

    /// Treats an invalid state as failed, so that messages with it can be listed and deleted. Cost: linear in the
    /// outbox.
    private func mendStates() throws {
        for part in [
            "message INDEXED BY message_undelivered WHERE sync_state <> 3 AND", "operation WHERE",
        ] {
            let table = part.prefix { $0 != " " }
            try execute(
                """
                UPDATE \(table) SET sync_state = 4, failure = NULL WHERE ordinal IN (\
                SELECT ordinal FROM \(part) sync_state NOT IN (0, 1, 2, 4))
                """)
        }
        try execute(
            "DELETE FROM control WHERE kind NOT IN (\(ChainMarker.kinds)) OR length(message) <> 16")
    }

    /// Loads the counters from the tables. Cost: linear in the outbox.
    mutating func load() throws {
        guard let row = try Row.fetchOne(db, sql: "SELECT \(StoreQueries.storeColumns) FROM store WHERE id = 1")
        else { throw UnreadableRow(table: "store", key: 1) }
        counters.account = AccountRow(id: row[0])
        counters.outbox.epoch = row[1]
        counters.nextSequence = row[2]
        counters.reservedSequence = row[2]
        counters.outbox.lineage.sharedBelow = row[3]
        try loadAccount()
    }

    /// Loads the current account's numbers. Cost: linear in its outbox.
    mutating func loadAccount() throws {
        let account = counters.account.id
        let stored = "SELECT \(StoreQueries.accountColumns) FROM account WHERE id = ?"
        guard let row = try Row.fetchOne(db, sql: stored, arguments: [account])
        else { throw UnreadableRow(table: "account", key: account) }
        counters.accountName = nil
        if let server = row[0] as String?, let user = (row[1] as String?).flatMap(UserID.init) {
            counters.accountName = Account(server: server, user: user)
        }
        counters.outbox.id = try (row[2] as Data?).map { blob in
            guard let id = MessageID(blob: blob) else { throw UnreadableRow(table: "account", key: account) }
            return OutboxID(id.value)
        }
        (counters.outbox.lineage.opening, counters.outbox.lineage.ancestors) = try LineageCoding.openings(
            row[3], ancestors: row[4], of: account)
        counters.outbox.history = try StoredJSON.decode(
            ServerHistory.self, ifPresent: row[5], table: "account", key: account)
        // Without a readable cursor the events are followed from the end of the log, after the state was read anew.
        counters.outbox.eventCursor = (row[6] as String?).flatMap(EventCursor.init(rawValue:))
        counters.counts = StoreCounts()
        counters.operations = 0
        for (part, createsMessage) in [
            (StoreQueries.undelivered, true), (StoreQueries.operations, false),
        ] {
            let sums = "SELECT sync_state, count(*), sum(bytes) FROM \(part) GROUP BY sync_state"
            for row in try Row.fetchAll(db, sql: sums, arguments: [account]) {
                guard let state = StateCode.state(row[0]) else {
                    throw UnreadableRow(table: "message", key: 0)
                }
                counters.counts.count(state, createsMessage: createsMessage, bytes: 0, times: row[1])
                counters.counts.undeliveredBytes += row[2] as Int
                if !createsMessage { counters.operations += row[1] as Int }
            }
        }
        // The parked messages and operations, by the messages that they wait for.
        counters.awaited = try filter([
            "related FROM \(StoreQueries.parked)", "target FROM \(StoreQueries.parkedOperations)",
        ])
        counters.referenced = try filter([
            "related FROM \(StoreQueries.undelivered) AND related IS NOT NULL",
            "target FROM \(StoreQueries.operations) AND target IS NOT NULL",
        ])
        counters.deletions = try Int.fetchOne(db, sql: StoreQueries.deletionCount, arguments: [account]) ?? 0
    }

    /// Counts the references in the first column of queries with the account as argument.
    private func filter(_ queries: [String]) throws -> ReferenceFilter {
        var filter = ReferenceFilter()
        for query in queries {
            try db.run("SELECT " + query) { statement in
                statement.bind(counters.account.id)
            } forEachRow: { row in
                // An unreadable row refers to no message that could be found.
                if let id = row.messageID(0) { filter.add(id) }
                return true
            }
        }
        return filter
    }
}
