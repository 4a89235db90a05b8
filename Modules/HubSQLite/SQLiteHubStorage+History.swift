internal import CausewayHubRules
internal import CausewayModels
internal import CausewayTLS
internal import CausewayWire
internal import GRDB
internal import Logging

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Histories: see `HistoryRules`.
extension HubStore {
    /// Starts an opening: from now on responses name it, and its commits are counted.
    func beginOpening() throws(HubError) {
        guard let connections = condition.connections else { throw .recovering(path: path) }
        do {
            history.present = try connections.pool.write { db in try Self.beginOpening(db) }
        } catch {
            throw Self.classified(error, path: path)
        }
    }

    private static func beginOpening(_ db: Database) throws -> HubHistory.Present {
        let last = try lastCommit(db)
        try db.execute(sql: "UPDATE hub_opening SET last_commit = ? WHERE last_commit IS NULL", arguments: [last])
        let id = SecureRandom.bytes(16)
        try db.execute(sql: "INSERT INTO hub_opening (id) VALUES (?)", arguments: [Data(id)])
        try db.execute(
            sql: "DELETE FROM hub_opening WHERE number <= ?",
            arguments: [db.lastInsertedRowID - Int64(HubLimits.startsKeptMax)])
        let hub = try Row.fetchOne(db, sql: "SELECT id, seal_key FROM hub")
        let history = try Row.fetchOne(db, sql: "SELECT id, floor FROM history ORDER BY number DESC LIMIT 1")
        guard let hub, let history else {
            throw HubError.damaged(path: "hub.sqlite", detail: "the hub's identity is missing")
        }
        return HubHistory.Present(
            hub: Array(hub[0] as Data), key: Array(hub[1] as Data), history: Array(history[0] as Data),
            floor: history[1], opening: id, taken: last, published: last)
    }

    static func lastCommit(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT max(changed_in) FROM lane") ?? 0
    }

    /// The floor of the present history: the positions of a new channel begin above it.
    static func floor(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT floor FROM history ORDER BY number DESC LIMIT 1") ?? 0
    }

    /// Returns whether a client with this claim knows the present history; starts another history when the claim proves
    /// that data was lost.
    ///
    /// - Parameter claim: `.none` from a client that names no history.
    func knowsPresent(_ claim: HistoryClaim) async throws(HubError) -> Bool {
        let claimed: WireHistory
        switch claim {
        case .none: return true
        case .foreign: return false
        case .named(let history): claimed = history
        }
        guard let present = history.present else { throw .recovering(path: path) }
        let isOfPresent = claimed.history == Hexadecimal.text(of: present.history)
        let isOfOpening = claimed.opening == Hexadecimal.text(of: present.opening)
        // A claim that changes nothing needs no proof.
        if isOfPresent, isOfOpening, claimed.commit <= present.published { return true }
        guard present.isOwn(claimed) else { return false }
        let rules = HistoryRules.Claim(
            isOfPresentHistory: isOfPresent, floor: claimed.floor, commit: claimed.commit)
        let last = isOfOpening ? present.taken : try await lastCommit(of: claimed.opening)
        switch HistoryRules.judge(rules, floor: present.floor, lastCommit: last) {
        case .current: return true
        case .changed: return false
        case .lost(let floor):
            try await beginHistory(above: floor, after: present)
            return false
        }
    }

    private func lastCommit(of opening: String) async throws(HubError) -> Int64? {
        guard let id = Hexadecimal.bytes(of: opening).map({ Data($0) }) else { return nil }
        return try await read { db in
            try Int64.fetchOne(db, sql: "SELECT last_commit FROM hub_opening WHERE id = ?", arguments: [id])
        }
    }

    /// Starts another history, unless one has begun since.
    private func beginHistory(above floor: Int64, after present: HubHistory.Present) async throws(HubError) {
        let now = now()
        let hasStarted = try await write { [history] db in
            guard var next = history.present, next.history == present.history else { return false }
            (next.history, next.floor) = try Self.beginHistory(above: floor, at: now, db)
            // Before the next write, which may be a delivery of the former history.
            db.afterNextTransaction { [next] _ in history.present = next }
            return true
        }
        guard hasStarted else { return }
        logger?.critical(
            "data lost",
            metadata: [
                "reason": "database-older-than-confirmed",
                "history": "\(history.present.map { Hexadecimal.text(of: $0.history) } ?? "")",
            ])
    }

    /// Raises the position of every channel to the new floor, so that none is used twice.
    static func beginHistory(
        above floor: Int64, at now: Timestamp, _ db: Database
    ) throws -> (history: [UInt8], floor: Int64) {
        let highest = try Int64.fetchOne(db, sql: "SELECT max(last_position) FROM channel") ?? 0
        let present = try Self.floor(db)
        guard let next = HistoryRules.floor(above: max(floor, present), highest) else {
            throw HubError.tooMany(kind: "history", limit: Int(Limits.positionMax >> 33))
        }
        let id = SecureRandom.bytes(16)
        try db.execute(
            sql: "INSERT INTO history (id, floor, began_at) VALUES (?, ?, ?)",
            arguments: [Data(id), next, now.milliseconds])
        try db.execute(sql: "UPDATE channel SET last_position = ?", arguments: [next])
        return (id, next)
    }

    /// Returns the marks of the lanes of an account's outbox, the most recently changed first, up to
    /// ``HubLimits/marksMax``.
    func marks(of outbox: OutboxID, _ account: Account) async throws(HubError) -> [String: Int64] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT lane.name, lane.mark FROM lane JOIN outbox ON outbox.number = lane.outbox
                    WHERE outbox.account = ? AND outbox.id = ? ORDER BY lane.changed_in DESC LIMIT ?
                    """, arguments: [account.number, Data(outbox.value.bytes), HubLimits.marksMax])
            return Dictionary(rows.map { ($0[0], $0[1]) }) { first, _ in first }
        }
    }
}

/// The claim of a request about the hub's history.
enum HistoryClaim: Sendable, Equatable {
    /// No claim: an older client, or the first contact.
    case none
    /// A text that no hub of this protocol wrote.
    case foreign
    case named(WireHistory)

    init(_ text: String?) {
        guard let text else {
            self = .none
            return
        }
        self = WireHistory(text).map(HistoryClaim.named) ?? .foreign
    }

    /// True when the claim names the history with this id, or none.
    func mayDeliver(in history: [UInt8]?) -> Bool {
        switch self {
        case .none: true
        case .foreign: false
        case .named(let named): history.map { named.history == Hexadecimal.text(of: $0) } ?? false
        }
    }
}

extension HubStore {
    /// Checks a reopened file: when it lacks what had been confirmed, another history begins.
    func beginHistoryIfLost(_ connections: HubConnections) throws {
        guard var present = history.present else { return }
        let now = now()
        let last = try connections.pool.read(Self.lastCommit)
        if last < present.published {
            let floor = present.floor
            (present.history, present.floor) = try connections.pool.write { db in
                try Self.beginHistory(above: floor, at: now, db)
            }
            logger?.critical(
                "data lost", metadata: ["reason": "storage-reopened-without-confirmed-data"])
        }
        present.taken = max(present.taken, last)
        history.present = present
    }
}
