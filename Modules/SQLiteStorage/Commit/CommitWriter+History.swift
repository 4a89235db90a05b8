import CausewayModels
import CausewayStorage
import Foundation
import GRDB

extension CommitWriter {
    func keepHistory(_ history: ServerHistory) throws {
        guard ledger.history != history else { return }
        ledger.history = history
        try execute(
            "UPDATE account SET server_history = ? WHERE id = ?", [try StoredJSON.encode(history), ledger.account.id])
    }

    /// See ``Mutation/followHistory(_:_:marks:at:)``. Cost: linear in the messages that are stored.
    func followHistory(
        _ history: ServerHistory, _ id: OutboxID, marks: [LaneID: Int64], at time: Timestamp
    ) throws {
        recent.forgetAll()
        try keepHistory(history)
        try execute(
            """
            UPDATE message INDEXED BY message_place SET extras = json_remove(extras, '$.changedAt', '$.clock'), \
            shown = json_set(json_remove(shown, '$.changedAt'), '$.clock', json('{"reactions":{}}')) \
            WHERE role < 2 AND account = ? AND sync_state = 3 AND (extras IS NOT NULL OR shown IS NOT NULL)
            """, [ledger.account.id])
        for (ordinal, bytes) in try lost(marks) {
            ledger.counts.count(.created, bytes: bytes)
            try execute(
                """
                UPDATE message SET sync_state = 0, position = \(Int64.max), accepted_at = NULL, attempts = 0, \
                failure = NULL, in_doubt = 0, previous_sequence = NULL, queued_at = ?, \
                lane_sequence = iif(lane_sequence = 0, ordinal, lane_sequence), \
                history = \(HistoryCoding.appending(.created, at: time)) WHERE ordinal = ?
                """, [time.milliseconds, ordinal])
        }
        try forkOutbox(id, at: time)
    }

    /// The messages that this account delivered and that the server does not have any more, or may not have.
    private func lost(_ marks: [LaneID: Int64]) throws -> [(ordinal: Int64, bytes: Int)] {
        let user = try db.storedSession()?.user.value
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT ordinal, lane, lane_sequence, bytes FROM message INDEXED BY message_place \
                WHERE role < 2 AND account = ? AND sync_state = 3 AND lane IS NOT NULL AND (? IS NULL OR sender = ?)
                """, arguments: [ledger.account.id, user, user])
        var lost: [(ordinal: Int64, bytes: Int)] = []
        while let row = try rows.next() {
            let sequence: Int64 = row[2]
            if sequence == 0 || sequence > marks[LaneID(rawValue: row[1])] ?? 0 { lost.append((row[0], row[3])) }
        }
        return lost
    }
}
