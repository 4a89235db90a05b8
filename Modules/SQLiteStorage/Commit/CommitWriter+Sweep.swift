import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// Changes of the whole outbox at once: one statement for each step, regardless of its size.
extension CommitWriter {
    /// Starts a run: see ``Store/start(_:)``.
    func start(_ opening: StartOptions) throws -> OutboxSnapshot {
        rowCache.forgetAll()
        if counters.hasStarted { throw StoreError.startedTwice }
        try mendStates()
        try load()
        let outboxID = counters.outboxID ?? opening.newOutboxID
        counters.outboxID = outboxID
        counters.epoch += 1
        counters.lineage.open(opening.opening, nextSequence: counters.nextSequence)
        try execute("UPDATE store SET epoch = ? WHERE id = 1", [counters.epoch])
        try storeOutbox()
        switch opening.restart {
        case .fail:
            try endSession(opening.failure)
        case .resume:
            try resumeAll(at: opening.failure.at)
        }
        counters.hasStarted = true
        changes.isReset = true
        return try db.outbox(outboxID, counters)
    }

    /// Returns messages under way to the queue.
    func resumeAll(at time: Timestamp) throws {
        try execute(
            """
            UPDATE message INDEXED BY message_pending SET sync_state = 0, \
            history = \(HistoryCoding.appending(.created, at: time)) \
            WHERE sync_state < 3 AND account = ? AND sync_state > 0
            """, [counters.account.id])
        counters.counts.created += counters.counts.uploading + counters.counts.syncing
        counters.counts.uploading = 0
        counters.counts.syncing = 0
    }

    /// Treats an invalid state as failed, so that messages with it can be listed and deleted. Cost: linear in the
    /// outbox.
    private func mendStates() throws {
        try execute(
            """
            UPDATE message SET sync_state = 4, failure = NULL WHERE ordinal IN (\
            SELECT ordinal FROM message INDEXED BY message_undelivered WHERE sync_state <> 3 \
            AND sync_state NOT IN (0, 1, 2, 4))
            """)
        try execute("DELETE FROM control WHERE kind NOT IN (\(ChainMarker.kinds)) OR length(message) <> 16")
    }

    /// Loads the counters from the tables. Cost: linear in the outbox.
    func load() throws {
        guard let row = try Row.fetchOne(db, sql: "SELECT \(StoreQueries.storeColumns) FROM store WHERE id = 1")
        else { throw UnreadableRow(table: "store", key: 1) }
        counters.account = AccountRow(id: row[0])
        counters.epoch = row[1]
        counters.nextSequence = row[2]
        counters.reservedSequence = row[2]
        counters.lineage.sharedBelow = row[3]
        try loadAccount()
    }

    /// Loads the current account's numbers. Cost: linear in its outbox.
    func loadAccount() throws {
        let account = counters.account.id
        let stored = "SELECT \(StoreQueries.accountColumns) FROM account WHERE id = ?"
        guard let row = try Row.fetchOne(db, sql: stored, arguments: [account])
        else { throw UnreadableRow(table: "account", key: account) }
        counters.accountName = nil
        if let server = row[0] as String?, let user = (row[1] as String?).flatMap(UserID.init) {
            counters.accountName = Account(server: server, user: user)
        }
        counters.outboxID = try (row[2] as Data?).map { blob in
            guard let id = MessageID(blob: blob) else { throw UnreadableRow(table: "account", key: account) }
            return OutboxID(id.value)
        }
        (counters.lineage.opening, counters.lineage.ancestors) = try LineageCoding.openings(
            row[3], ancestors: row[4], of: account)
        counters.history = try StoredJSON.decode(ServerHistory.self, ifPresent: row[5], table: "account", key: account)
        counters.counts = StoreCounts()
        let sums = "SELECT sync_state, count(*), sum(bytes) FROM \(StoreQueries.undelivered) GROUP BY sync_state"
        for row in try Row.fetchAll(db, sql: sums, arguments: [account]) {
            guard let state = StateCode.state(row[0]) else { throw UnreadableRow(table: "message", key: 0) }
            counters.counts.count(state, bytes: 0, times: row[1])
            counters.counts.undeliveredBytes += row[2] as Int
        }
        counters.awaited = try awaitedMessages()
        counters.deletions = try Int.fetchOne(db, sql: StoreQueries.deletionCount, arguments: [account]) ?? 0
    }

    func endSession(_ failure: Failure) throws {
        rowCache.forgetAll()
        let account = counters.account.id
        let sharedBelow = counters.lineage.sharedBelow
        try execute(
            """
            INSERT INTO control (account, sequence, kind, lane, previous, message) \
            SELECT account, lane_sequence, \(OutboxEntry.Kind.fence.rawValue), lane, previous_sequence, id \
            FROM message INDEXED BY message_pending \
            WHERE sync_state < 3 AND account = ? \
            AND (previous_sequence IS NOT NULL OR (lane_sequence > 0 AND lane_sequence < ?)) \
            ON CONFLICT (account, sequence) DO UPDATE SET kind = excluded.kind, lane = excluded.lane, \
            previous = excluded.previous, message = excluded.message
            """, [account, sharedBelow])
        try fenceParked(below: sharedBelow)
        try execute(
            """
            UPDATE message INDEXED BY message_pending SET sync_state = 4, failure = ?, \
            in_doubt = (in_doubt OR previous_sequence IS NOT NULL \
            OR iif(lane_sequence = 0, ordinal, lane_sequence) < ?), \
            history = \(HistoryCoding.appending(.error, at: failure.at)) \
            WHERE sync_state < 3 AND account = ? AND NOT (role > 1 AND sync_state = 0 AND lane_sequence = 0)
            """, [try StoredJSON.encode(failure), sharedBelow, account])
        let undelivered = counters.counts.undelivered
        counters.awaited = try awaitedMessages()
        let parked = "SELECT count(*) FROM \(StoreQueries.parked)"
        // Operations continue to wait for their targets.
        counters.counts.created = try Int.fetchOne(db, sql: parked, arguments: [account]) ?? 0
        counters.counts.error = undelivered - counters.counts.created
        counters.counts.uploading = 0
        counters.counts.syncing = 0
        try overlayAll()
    }

    /// The parked messages, counted by the messages that they wait for.
    private func awaitedMessages() throws -> AwaitedMessages {
        var awaited = AwaitedMessages()
        let waiting = "SELECT related FROM \(StoreQueries.parked)"
        let rows = try Row.fetchCursor(db, sql: waiting, arguments: [counters.account.id])
        while let row = try rows.next() {
            // An unreadable row waits for no message that could be found.
            if let related = (row[0] as Data?).flatMap(MessageID.init(blob:)) { awaited.add(related) }
        }
        return awaited
    }

    /// Updates the targets of all operations; failed operations are no longer displayed.
    private func overlayAll() throws {
        let listed = changes
        for blob in try Data.fetchAll(db, sql: StoreQueries.targets, arguments: [counters.account.id]) {
            if let id = MessageID(blob: blob) { try overlay(id) }
        }
        changes = listed
    }

    /// Removes the lane pause from every failure.
    func releaseLanes() throws {
        try execute(
            """
            UPDATE message INDEXED BY message_failed SET failure = json_remove(failure, '$.pausesLane') \
            WHERE sync_state = 4 AND account = ? AND json_valid(failure) AND json_extract(failure, '$.pausesLane')
            """, [counters.account.id])
    }
}
