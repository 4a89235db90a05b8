import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// The rows of a store's tables, within one transaction, for ``MutationApplier``.
///
/// Lives for one transaction on the writer's thread. `counters` runs ahead of the disk; the owner of the transaction
/// adopts it after the commit, and it is reset when a call fails.
struct SQLiteRows: StoreRows {
    typealias Failure = any Error

    let db: Database
    var counters: CommitCounters
    /// Cached rows of the most recently written messages.
    var rowCache = RowCache()
    /// The failure that was coded last, with its text: the end of a session writes the same one into many rows.
    private var lastFailure: (value: CausewayModels.Failure, text: String)?

    init(_ db: Database, _ counters: CommitCounters) {
        self.db = db
        self.counters = counters
    }

    func execute(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The coded form of a message's failure.
    mutating func coded(_ failure: CausewayModels.Failure?) throws -> String? {
        guard let failure else { return nil }
        if let lastFailure, lastFailure.value == failure { return lastFailure.text }
        let text = try StoredJSON.encode(failure)
        lastFailure = (failure, text)
        return text
    }

    /// Stores the upper limit of assigned numbers, some ahead of use, so that most transactions write one page less. A
    /// run starts above the reserved numbers of the one before; unused ones are skipped.
    mutating func reserveSequences() throws {
        guard counters.nextSequence > counters.reservedSequence else { return }
        counters.reservedSequence = counters.nextSequence + SQLiteLimits.sequencesReservedMax
        try execute("UPDATE store SET next_sequence = ? WHERE id = 1", [counters.reservedSequence])
    }
}

// MARK: - Chains

extension SQLiteRows {
    var nextSequence: Int64 {
        get { counters.nextSequence }
        set { counters.nextSequence = newValue }
    }

    func entries() throws -> [OutboxEntry] { try db.outboxEntries(counters.account) }

    func marker(at sequence: Int64) throws -> ChainMarker? {
        var found: ChainMarker?
        try db.run(StoreQueries.control) { statement in
            statement.bind(counters.account.id)
            statement.bind(sequence)
        } forEachRow: { row in
            found = ChainMarker(row)
            return false
        }
        return found
    }

    mutating func setMarker(_ marker: ChainMarker?, at sequence: Int64) throws {
        guard let marker else {
            return try execute(
                "DELETE FROM control WHERE account = ? AND sequence = ?", [counters.account.id, sequence])
        }
        try db.execute(Self.marking) { row in
            row.bind(counters.account.id)
            row.bind(sequence)
            row.bind(Int64(marker.kind.rawValue))
            row.bind(marker.lane.rawValue)
            row.bind(marker.previous)
            row.bind(marker.message)
        }
    }

    private static let marking = """
        INSERT INTO control (account, \(ChainMarker.columns)) VALUES (?, ?, ?, ?, ?, ?) \
        ON CONFLICT (account, sequence) DO UPDATE SET kind = excluded.kind, lane = excluded.lane, \
        previous = excluded.previous, message = excluded.message
        """

    mutating func setLastTransmitted(_ lane: LaneID, _ sequence: Int64) throws {
        try execute(
            """
            INSERT INTO lane (account, name, last_transmitted) VALUES (?, ?, ?) \
            ON CONFLICT (account, name) DO UPDATE SET last_transmitted = excluded.last_transmitted
            """, [counters.account.id, lane.rawValue, sequence])
    }

    mutating func removeChains() throws {
        try execute("DELETE FROM control WHERE account = ?", [counters.account.id])
        try execute("DELETE FROM lane WHERE account = ?", [counters.account.id])
    }
}

// MARK: - Past deletions

extension SQLiteRows {
    func hasDeletion(of id: MessageID) throws -> Bool {
        var isFound = false
        try db.run(StoreQueries.deletionOfMessage) { statement in
            statement.bind(counters.account.id)
            statement.bind(id)
        } forEachRow: { _ in
            isFound = true
            return false
        }
        return isFound
    }

    mutating func insert(_ action: DeleteAction, keeping limit: Int) throws {
        try execute(
            "INSERT INTO delete_action (account, sequence, message, action) VALUES (?, ?, ?, ?)",
            [counters.account.id, action.sequence, action.message.blob, try StoredJSON.encode(action)])
        counters.deletions += 1
        guard counters.deletions > limit else { return }
        try execute(
            "DELETE FROM delete_action WHERE sequence = (\(StoreQueries.oldestDeletion))", [counters.account.id])
        counters.deletions -= 1
    }
}
