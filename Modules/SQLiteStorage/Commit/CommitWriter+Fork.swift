import CausewayModels
import CausewayStorage
import Foundation
import GRDB

extension CommitWriter {
    /// See ``Mutation/forkOutbox(_:at:)``. Cost: linear in the outbox.
    func forkOutbox(_ id: OutboxID, at time: Timestamp) throws {
        recent.forgetAll()
        let links = try db.outbox(id, ledger).entries
        ledger.outboxID = id
        try execute("DELETE FROM control")
        try execute("DELETE FROM lane")
        try resumeAll(at: time)
        for link in links {
            let sequence = ledger.takeSequence()
            if link.kind == .send {
                try execute(
                    "UPDATE message SET lane_sequence = ?, previous_sequence = NULL WHERE id = ?",
                    [sequence, link.message.blob])
            } else {
                try insertControl(link.kind, link.lane.rawValue, sequence, link.message.blob)
            }
        }
        try fenceFailed()
        ledger.lineage.sharedBelow = ledger.nextSequence
        try execute(
            "UPDATE store SET outbox_id = ?, shared_below = ? WHERE id = 1",
            [MessageID(id.value).blob, ledger.lineage.sharedBelow])
    }

    /// What failed and is not asked about yet.
    private func fenceFailed() throws {
        let user = try db.storedSession()?.user.value
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT ordinal, lane, id FROM message INDEXED BY message_failed \
                WHERE sync_state = 4 AND lane IS NOT NULL AND (? IS NULL OR sender = ?) \
                AND id NOT IN (SELECT message FROM control WHERE kind = \(OutboxEntry.Kind.fence.rawValue)) \
                ORDER BY ordinal
                """, arguments: [user, user])
        for row in rows {
            try insertControl(.fence, row[1], ledger.takeSequence(), row[2])
            try execute("UPDATE message SET in_doubt = 1 WHERE ordinal = ?", [row[0] as Int64])
        }
    }

    private func insertControl(
        _ kind: OutboxEntry.Kind, _ lane: String, _ sequence: Int64, _ message: Data
    ) throws {
        try execute(
            "INSERT INTO control (\(ControlEntry.columns)) VALUES (?, ?, ?, NULL, ?)",
            [sequence, kind.rawValue, lane, message])
    }
}
