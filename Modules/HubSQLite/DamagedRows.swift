internal import CausewayHubRules
internal import Logging
internal import Synchronization

/// Messages and records whose rows were found to be damaged. Each is logged once, however often it is read.
///
/// Safe for concurrent calls.
struct DamagedRows: ~Copyable, Sendable {
    private let rows = Mutex<Set<DamagedRow>>([])

    var count: Int { rows.withLock { $0.count } }

    /// Notes a message that a response leaves out.
    ///
    /// - Parameter number: the message's number in the database.
    func note(message number: Int64, _ reason: String, _ logger: Logger?) {
        guard isNew(.message(number)) else { return }
        logger?.error(
            "message left out: its row is damaged; restore a backup to repair it",
            metadata: ["message": "\(number)", "reason": "\(reason)"])
    }

    /// Notes a record whose fields cannot be read.
    func note(_ record: RecordKey, _ logger: Logger?) {
        guard isNew(.record(record)) else { return }
        logger?.error(
            "record without fields: its row is damaged; restore a backup to repair it",
            metadata: ["kind": "\(record.kind)", "record": "\(record.id)"])
    }

    /// Beyond ``SQLiteHubLimits/damagedRowsMax`` rows no further ones are noted.
    private func isNew(_ row: DamagedRow) -> Bool {
        rows.withLock { rows in rows.count < SQLiteHubLimits.damagedRowsMax && rows.insert(row).inserted }
    }
}

enum DamagedRow: Hashable {
    /// By its number in the database.
    case message(Int64)
    case record(RecordKey)
}
