import CausewayModels
import CausewayStorage
import Foundation
import GRDB

extension CommitWriter {
    /// See ``Mutation/forkOutbox(_:at:)``. Cost: linear in the outbox.
    func forkOutbox(_ id: OutboxID, at time: Timestamp) throws {
        rowCache.forgetAll()
        let links = try db.outbox(id, counters).entries
        counters.outboxID = id
        try execute("DELETE FROM control WHERE account = ?", [counters.account.id])
        try execute("DELETE FROM lane WHERE account = ?", [counters.account.id])
        try resumeAll(at: time)
        for link in links {
            let sequence = counters.takeSequence()
            if link.kind == .send {
                try execute(
                    "UPDATE message SET lane_sequence = ?, previous_sequence = NULL WHERE account = ? AND id = ?",
                    [sequence, counters.account.id, link.message.blob])
            } else {
                let control = ChainMarker(forking: link, sequence: sequence)
                try insertMarker(control.kind, control.lane.rawValue, sequence, control.message.blob)
            }
        }
        try fenceFailed()
        counters.lineage.sharedBelow = counters.nextSequence
        try storeOutbox()
    }

    /// Adds a fence for each failed message without one: any of them may be on the server.
    private func fenceFailed() throws {
        let account = counters.account.id
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT lane, id FROM message INDEXED BY message_failed \
                WHERE sync_state = 4 AND account = ? AND lane IS NOT NULL AND id NOT IN \
                (SELECT message FROM control WHERE account = ? AND kind = \(OutboxEntry.Kind.fence.rawValue)) \
                ORDER BY ordinal
                """, arguments: [account, account])
        for row in rows { try insertMarker(.fence, row[0], counters.takeSequence(), row[1]) }
        try execute(
            """
            UPDATE message INDEXED BY message_failed SET in_doubt = 1 \
            WHERE sync_state = 4 AND account = ? AND lane IS NOT NULL
            """, [account])
    }

    /// Adds fences for parked replies that another copy of the store has, too.
    func fenceParked(below sharedBelow: Int64) throws {
        let rows = try Row.fetchAll(
            db, sql: "SELECT lane, id FROM \(StoreQueries.parked) AND role < 2 AND ordinal < ? ORDER BY ordinal",
            arguments: [counters.account.id, sharedBelow])
        for row in rows { try insertMarker(.fence, row[0], counters.takeSequence(), row[1]) }
    }

    private func insertMarker(
        _ kind: OutboxEntry.Kind, _ lane: String, _ sequence: Int64, _ message: Data
    ) throws {
        try execute(
            "INSERT INTO control (account, \(ChainMarker.columns)) VALUES (?, ?, ?, ?, NULL, ?)",
            [counters.account.id, sequence, kind.rawValue, lane, message])
    }
}
