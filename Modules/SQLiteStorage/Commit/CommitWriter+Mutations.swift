import CausewayModels
import CausewayStorage
import Foundation
import GRDB

extension CommitWriter {
    /// Applies one mutation.
    ///
    /// - Parameter content: ``Mutation/content``, coded.
    func apply(_ mutation: Mutation, content: Data?) throws {
        switch mutation {
        case .attempt(let id, let previous, let attempts, let time):
            try change(id) { $0.attempted(previous: previous, attempts: attempts, at: time) }
        case .requeue(let id, let attempts, let time):
            try change(id) { $0.requeued(attempts: attempts, at: time) }
        case .deliver(let id, let serverPosition, let time):
            try deliver(id, serverPosition, at: time)
        case .fail(let id, let failure, let inDoubt):
            try fail(id, failure, inDoubt: inDoubt)
        case .settle(let id):
            try change(id) { $0.settled() }
        case .resend(let id, let time):
            try resend(id, at: time)
        case .park(let id, let failure):
            try park(id, failure)
        case .enqueue(let draft):
            _ = try enqueue(draft, content: content ?? ContentCoding.encode(draft.content))
        case .rewrite(let id, let text):
            try change(id, content: content ?? ContentCoding.encode(text)) { $0.rewritten(text) }
            try overlay(id)
        case .delete(let id):
            try delete(id)
            try release(id, at: nil)
        case .merge(let placed, let time):
            try merge(placed, content: content ?? ContentCoding.encode(placed.content), at: time)
        case .putMarker, .appendDelete, .attemptMarker, .removeMarker, .rebase:
            try applyToChain(mutation)
        case .setLastTransmitted(let lane, let sequence):
            try execute(
                """
                INSERT INTO lane (account, name, last_transmitted) VALUES (?, ?, ?) \
                ON CONFLICT (account, name) DO UPDATE SET last_transmitted = excluded.last_transmitted
                """, [counters.account.id, lane.rawValue, sequence])
        case .raiseSequence(let mark):
            raiseSequence(above: mark)
        case .forkOutbox(let id, let time):
            try forkOutbox(id, at: time)
            changes.isReset = true
        case .keepHistory(let history):
            try keepHistory(history)
        case .followHistory(let history, let id, let marks, let time):
            try followHistory(history, id, marks: marks, at: time)
            changes.isReset = true
        case .recordDelete(let action):
            try record(action)
        case .saveSession(let session):
            try save(session)
        case .endSession(let failure):
            try endSession(failure)
            try releaseLanes()
            changes.isReset = true
        }
    }

    // MARK: The chain

    private func applyToChain(_ mutation: Mutation) throws {
        switch mutation {
        case .putMarker(let entry):
            raiseSequence(above: entry.sequence)
            try setMarker(entry.sequence, over: try marker(entry.sequence), entry)
        case .appendDelete(let id, let lane):
            let entry = ChainMarker(
                kind: .delete, lane: lane, sequence: counters.takeSequence(), previous: nil, message: id)
            try setMarker(entry.sequence, over: nil, entry)
        case .attemptMarker(let sequence, let previous):
            _ = try rebaseMarker(sequence, previous)
        case .removeMarker(let sequence):
            try setMarker(sequence, over: try marker(sequence), nil)
        case .rebase(let sequence, let previous):
            if try rebaseMarker(sequence, previous) { return }
            let pending =
                """
                SELECT id, ordinal FROM message INDEXED BY message_pending \
                WHERE sync_state < 3 AND account = ? AND lane_sequence > 0 AND lane_sequence = ?
                """
            let statement = try db.cachedStatement(sql: pending)
            guard let row = try Row.fetchOne(statement, arguments: [counters.account.id, sequence]) else { return }
            try change(MessageID(blob: row[0]) ?? MessageID(ordinal: row[1])) { $0.rebased(previous: previous) }
        default:
            preconditionFailure("not a mutation of the chain")
        }
    }

    private func rebaseMarker(_ sequence: Int64, _ previous: Int64) throws -> Bool {
        guard let old = try marker(sequence) else { return false }
        var entry = old
        entry.previous = previous
        try setMarker(sequence, over: old, entry)
        return true
    }

    private func marker(_ sequence: Int64) throws -> ChainMarker? {
        let statement = try db.cachedStatement(sql: StoreQueries.control)
        return try Row.fetchOne(statement, arguments: [counters.account.id, sequence]).flatMap { try? ChainMarker($0) }
    }

    private func setMarker(_ sequence: Int64, over old: ChainMarker?, _ entry: ChainMarker?) throws {
        guard entry != old else { return }
        if let entry {
            try execute(
                """
                INSERT INTO control (account, \(ChainMarker.columns)) VALUES (?, ?, ?, ?, ?, ?) \
                ON CONFLICT (account, sequence) DO UPDATE SET kind = excluded.kind, lane = excluded.lane, \
                previous = excluded.previous, message = excluded.message
                """,
                [
                    counters.account.id, entry.sequence, entry.kind.rawValue, entry.lane.rawValue, entry.previous,
                    entry.message.blob,
                ])
        } else {
            try execute("DELETE FROM control WHERE account = ? AND sequence = ?", [counters.account.id, sequence])
        }
        changes.add(marker: old, entry)
    }

    private func raiseSequence(above mark: Int64) {
        counters.nextSequence = max(counters.nextSequence, min(mark, Limits.sequenceMax) + 1)
    }

    // MARK: Past deletions

    private func record(_ action: DeleteAction) throws {
        var action = action
        action.sequence = counters.takeSequence()
        try execute(
            "INSERT INTO delete_action (account, sequence, message, action) VALUES (?, ?, ?, ?)",
            [counters.account.id, action.sequence, action.message.blob, try StoredJSON.encode(action)])
        counters.deletions += 1
        if counters.deletions > Limits.deleteActionsKeptMax {
            try execute(
                "DELETE FROM delete_action WHERE sequence = (\(StoreQueries.oldestDeletion))", [counters.account.id])
            counters.deletions -= 1
        }
        changes.add(action)
    }
}
