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
        for message in try lost(marks) {
            ledger.counts.count(.created, bytes: message.bytes)
            try execute(
                """
                UPDATE message SET sync_state = 0, position = \(Int64.max), accepted_at = NULL, attempts = 0, \
                failure = NULL, in_doubt = 0, previous_sequence = NULL, queued_at = ?, \
                lane_sequence = ?, \
                history = \(HistoryCoding.appending(.created, at: time)) WHERE ordinal = ?
                """, [time.milliseconds, message.place, message.ordinal])
        }
        try forkOutbox(id, at: time)
    }

    /// A message that the server has lost.
    private struct Lost {
        var ordinal: Int64
        var bytes: Int
        var place: Int64
    }

    /// The messages that this account delivered and that the server no longer has, or may not have; within each lane
    /// their sequences are reassigned in the order of creation.
    private func lost(_ marks: [LaneID: Int64]) throws -> [Lost] {
        let user = try db.storedSession()?.user.value
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT ordinal, lane, lane_sequence, bytes FROM message INDEXED BY message_place \
                WHERE role < 2 AND account = ? AND sync_state = 3 AND lane IS NOT NULL AND (? IS NULL OR sender = ?)
                """, arguments: [ledger.account.id, user, user])
        var lost: [LaneID: [Lost]] = [:]
        while let row = try rows.next() {
            let lane = LaneID(rawValue: row[1])
            let (ordinal, sequence): (Int64, Int64) = (row[0], row[2])
            guard sequence == 0 || sequence > marks[lane] ?? 0 else { continue }
            lost[lane, default: []].append(
                Lost(ordinal: ordinal, bytes: row[3], place: sequence == 0 ? ordinal : sequence))
        }
        return lost.values.flatMap { inLane in
            zip(inLane.sorted { $0.ordinal < $1.ordinal }, inLane.map(\.place).sorted()).map { message, place in
                Lost(ordinal: message.ordinal, bytes: message.bytes, place: place)
            }
        }
    }
}
