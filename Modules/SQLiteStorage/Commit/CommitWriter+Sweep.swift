import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// What concerns the whole outbox at once: one statement for each step, whatever its size.
extension CommitWriter {
    /// Begins a run: see ``Store/begin(_:)``.
    func begin(_ opening: StoreOpening) throws -> OutboxSnapshot {
        recent.forgetAll()
        if ledger.hasBegun { throw StoreError.begunTwice }
        try load()
        let outboxID = ledger.outboxID ?? opening.newOutboxID
        ledger.outboxID = outboxID
        ledger.epoch += 1
        ledger.lineage.open(opening.opening, nextSequence: ledger.nextSequence)
        try execute(
            "UPDATE store SET outbox_id = ?, epoch = ?, opening = ?, ancestors = ? WHERE id = 1",
            [
                MessageID(outboxID.value).blob, ledger.epoch, MessageID(opening.opening.value).blob,
                LineageCoding.encode(ledger.lineage.ancestors),
            ])
        switch opening.restart {
        case .fail:
            try endSession(opening.failure)
        case .resume:
            try resumeAll(at: opening.failure.at)
        }
        ledger.hasBegun = true
        isReset = true
        return try db.outbox(outboxID, ledger)
    }

    /// What was on its way is in the queue again.
    func resumeAll(at time: Timestamp) throws {
        try execute(
            """
            UPDATE message INDEXED BY message_pending SET sync_state = 0, \
            history = \(HistoryCoding.appending(.created, at: time)) \
            WHERE sync_state < 3 AND sync_state > 0
            """)
        ledger.counts.created += ledger.counts.uploading + ledger.counts.syncing
        ledger.counts.uploading = 0
        ledger.counts.syncing = 0
    }

    /// Reads the ledger's numbers from the tables. Cost: linear in the outbox.
    func load() throws {
        guard
            let row = try Row.fetchOne(db, sql: "SELECT \(StoreQueries.storeColumns) FROM store WHERE id = 1")
        else { throw UnreadableRow(table: "store", key: 1) }
        ledger.outboxID = try (row[0] as Data?).map { blob in
            guard let id = MessageID(blob: blob) else { throw UnreadableRow(table: "store", key: 1) }
            return OutboxID(id.value)
        }
        ledger.epoch = row[1]
        ledger.nextSequence = row[2]
        ledger.reservedSequence = row[2]
        let openedAt = ledger.lineage.openedAt
        ledger.lineage = try LineageCoding.lineage(opening: row[3], ancestors: row[4], sharedBelow: row[5])
        ledger.lineage.openedAt = openedAt
        ledger.history = try StoredJSON.decode(ServerHistory.self, ifPresent: row[6], table: "store", key: 1)
        ledger.counts = StoreCounts()
        let sums = "SELECT sync_state, count(*), sum(bytes) FROM \(StoreQueries.undelivered) GROUP BY sync_state"
        for row in try Row.fetchAll(db, sql: sums) {
            guard let state = StateCode.state(row[0]) else { throw UnreadableRow(table: "message", key: 0) }
            ledger.counts.count(state, bytes: 0, times: row[1])
            ledger.counts.undeliveredBytes += row[2] as Int
        }
        ledger.awaited = try awaitedMessages()
        ledger.deletions = try Int.fetchOne(db, sql: "SELECT count(*) FROM delete_action") ?? 0
    }

    func endSession(_ failure: Failure) throws {
        recent.forgetAll()
        try execute(
            """
            INSERT INTO control (sequence, kind, lane, previous, message) \
            SELECT lane_sequence, \(OutboxEntry.Kind.fence.rawValue), lane, previous_sequence, id \
            FROM message INDEXED BY message_pending WHERE sync_state < 3 AND previous_sequence IS NOT NULL \
            ON CONFLICT (sequence) DO UPDATE SET kind = excluded.kind, lane = excluded.lane, \
            previous = excluded.previous, message = excluded.message
            """)
        try execute(
            """
            UPDATE message INDEXED BY message_pending SET sync_state = 4, failure = ?, \
            in_doubt = (in_doubt OR previous_sequence IS NOT NULL), \
            history = \(HistoryCoding.appending(.error, at: failure.at)) \
            WHERE sync_state < 3 AND NOT (role > 1 AND sync_state = 0 AND lane_sequence = 0)
            """, [try StoredJSON.encode(failure)])
        let undelivered = ledger.counts.undelivered
        ledger.awaited = try awaitedMessages()
        let parked = "SELECT count(*) FROM \(StoreQueries.parked)"
        ledger.counts.created = try Int.fetchOne(db, sql: parked) ?? 0  // operations go on waiting for their messages
        ledger.counts.error = undelivered - ledger.counts.created
        ledger.counts.uploading = 0
        ledger.counts.syncing = 0
        try overlayAll()
    }

    /// What is parked, counted.
    private func awaitedMessages() throws -> AwaitedMessages {
        var awaited = AwaitedMessages()
        let rows = try Row.fetchCursor(db, sql: "SELECT related FROM \(StoreQueries.parked)")
        while let row = try rows.next() {
            // What cannot be read waits for nothing that can be found.
            if let related = (row[0] as Data?).flatMap(MessageID.init(blob:)) { awaited.add(related) }
        }
        return awaited
    }

    /// A message shows no operation that failed.
    private func overlayAll() throws {
        let listed = changes
        for blob in try Data.fetchAll(db, sql: StoreQueries.targets) {
            guard let id = MessageID(blob: blob) else { throw UnreadableRow(table: "message", key: 0) }
            try overlay(id)
        }
        changes = listed
    }

    /// No failure pauses a lane any more.
    func releaseLanes() throws {
        try execute(
            """
            UPDATE message INDEXED BY message_failed SET failure = json_remove(failure, '$.pausesLane') \
            WHERE sync_state = 4 AND json_valid(failure) AND json_extract(failure, '$.pausesLane')
            """)
    }

    func forgetAccount(_ failure: Failure) throws {
        recent.forgetAll()
        ledger.history = nil
        try execute("UPDATE store SET server_history = NULL WHERE id = 1")
        try execute("DELETE FROM control")
        try execute("DELETE FROM lane")
        try execute(
            """
            UPDATE message INDEXED BY message_undelivered SET in_doubt = 0, previous_sequence = NULL \
            WHERE sync_state <> 3 AND (in_doubt = 1 OR previous_sequence IS NOT NULL)
            """)
        // Operations that wait for their message are nobody else's to send.
        try execute(
            """
            UPDATE message INDEXED BY message_pending SET sync_state = 4, failure = ?, \
            history = \(HistoryCoding.appending(.error, at: failure.at)) \
            WHERE sync_state < 3 AND sync_state = 0 AND lane_sequence = 0 AND role > 1
            """, [try StoredJSON.encode(failure)])
        let ended = db.changesCount
        ledger.counts.created -= ended
        ledger.counts.error += ended
        ledger.awaited = try awaitedMessages()
        try overlayAll()
    }
}
