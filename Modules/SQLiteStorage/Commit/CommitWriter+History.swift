import CausewayModels
import CausewayStorage
import Foundation
import GRDB

extension CommitWriter {
    func keepHistory(_ history: ServerHistory) throws {
        guard counters.history != history else { return }
        counters.history = history
        try execute(
            "UPDATE account SET server_history = ? WHERE id = ?", [try StoredJSON.encode(history), counters.account.id])
    }

    /// See ``Mutation/followHistory(_:_:marks:at:)``. Cost: linear in the messages that are stored.
    func followHistory(
        _ history: ServerHistory, _ id: OutboxID, marks: [LaneID: Int64], at time: Timestamp
    ) throws {
        rowCache.forgetAll()
        try keepHistory(history)
        try execute(
            """
            UPDATE message INDEXED BY message_place SET extras = json_remove(extras, '$.changedAt', '$.clock'), \
            shown = json_set(json_remove(shown, '$.changedAt'), '$.clock', json('{"reactions":{}}')) \
            WHERE role < 2 AND account = ? AND sync_state = 3 AND (extras IS NOT NULL OR shown IS NOT NULL)
            """, [counters.account.id])
        let lost = try lost(marks)
        guard !lost.isEmpty else { return try forkOutbox(id, at: time) }
        let waiting = try waitingEntries()
        for (lane, inLane) in lost {
            let entries = LaneSequences.reassigned(lost: inLane.map(\.entry), waiting: waiting[lane] ?? [])
            try queueAgain(inLane, entries, at: time)
        }
        try forkOutbox(id, at: time)
    }

    /// A message that the server has lost.
    private struct Lost {
        var entry: LaneSequences.Entry
        var bytes: Int
    }

    /// The messages that this account delivered and that the server no longer has, or may not have.
    private func lost(_ marks: [LaneID: Int64]) throws -> [LaneID: [Lost]] {
        let user = try db.storedSession()?.user.value
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT ordinal, lane, lane_sequence, bytes FROM message INDEXED BY message_place \
                WHERE role < 2 AND account = ? AND sync_state = 3 AND lane IS NOT NULL AND (? IS NULL OR sender = ?)
                """, arguments: [counters.account.id, user, user])
        var lost: [LaneID: [Lost]] = [:]
        while let row = try rows.next() {
            let lane = LaneID(rawValue: row[1])
            let (ordinal, sequence): (Int64, Int64) = (row[0], row[2])
            guard sequence == 0 || sequence > marks[lane] ?? 0 else { continue }
            let entry = LaneSequences.Entry(ordinal: ordinal, sequence: sequence == 0 ? ordinal : sequence)
            lost[lane, default: []].append(Lost(entry: entry, bytes: row[3]))
        }
        return lost
    }

    private func waitingEntries() throws -> [LaneID: [LaneSequences.Entry]] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT ordinal, lane, lane_sequence FROM message INDEXED BY message_pending \
                WHERE sync_state < 3 AND account = ? AND lane_sequence > 0 AND lane IS NOT NULL
                """, arguments: [counters.account.id])
        var waiting: [LaneID: [LaneSequences.Entry]] = [:]
        while let row = try rows.next() {
            waiting[LaneID(rawValue: row[1]), default: []].append(
                LaneSequences.Entry(ordinal: row[0], sequence: row[2]))
        }
        return waiting
    }

    /// - Parameter entries: of what was lost in a lane, and of what waits in it.
    private func queueAgain(_ lost: [Lost], _ entries: [LaneSequences.Entry], at time: Timestamp) throws {
        let lostBytes = Dictionary(uniqueKeysWithValues: lost.map { ($0.entry.ordinal, $0.bytes) })
        for entry in entries {
            guard let bytes = lostBytes[entry.ordinal] else {
                try execute("UPDATE message SET lane_sequence = ? WHERE ordinal = ?", [entry.sequence, entry.ordinal])
                continue
            }
            counters.counts.count(.created, bytes: bytes)
            try execute(
                """
                UPDATE message SET sync_state = 0, position = \(Int64.max), accepted_at = NULL, attempts = 0, \
                failure = NULL, in_doubt = 0, previous_sequence = NULL, queued_at = ?, \
                lane_sequence = ?, \
                history = \(HistoryCoding.appending(.created, at: time)) WHERE ordinal = ?
                """, [time.milliseconds, entry.sequence, entry.ordinal])
        }
    }
}
