internal import CausewayHubRules
package import CausewayHubStorage
package import CausewayModels
internal import CausewaySystem
internal import GRDB
internal import Logging
internal import Synchronization

extension SQLiteHubStorage {
    package var opening: HubOpening? { serving.withLock { $0?.opening } }

    package func beginOpening(_ id: [UInt8]) async throws(HubStorageError) {
        let opening = try await write { [path] db in try Self.beginOpening(id, db, path: path) }
        serving.withLock { $0 = Serving(opening: opening, taken: opening.lastCommit) }
    }

    /// Starts an opening at the last stored commit, or at a later one.
    static func beginOpening(
        _ id: [UInt8], at leastCommit: Int64 = 0, _ db: Database, path: String
    ) throws -> HubOpening {
        // An opening that has not ended reached at least the commit with which it began.
        var end = try SQLStatement(
            """
            UPDATE hub_opening SET last_commit = max(?, coalesce(first_commit, 0)), last_position = ?
            WHERE last_commit IS NULL
            """, db)
        end.bind(try lastLaneCommit(db))
        end.bind(try LogRecorder.lastPosition(db))
        try end.run()
        let first = max(try lastCommit(db), leastCommit)
        var insertion = try SQLStatement("INSERT INTO hub_opening (id, first_commit) VALUES (?, ?)", db)
        insertion.bind(id)
        insertion.bind(first)
        try insertion.run()
        var removal = try SQLStatement("DELETE FROM hub_opening WHERE number <= ?", db)
        removal.bind(db.lastInsertedRowID - Int64(HubStorageLimits.openingsKeptMax))
        try removal.run()
        var hub = try SQLStatement("SELECT id, seal_key FROM hub", db)
        var history = try SQLStatement("SELECT id, floor FROM history ORDER BY number DESC LIMIT 1", db)
        guard try hub.step(), try history.step() else {
            throw HubStorageError.damaged(path: path, detail: "the hub's identity is missing")
        }
        return HubOpening(
            hub: hub.bytes(0), sealKey: hub.bytes(1), history: history.bytes(0), floor: history.number(1), id: id,
            lastCommit: first)
    }

    /// The last commit of the data: not below the first one of an opening, so that commits are numbered above the
    /// revisions of earlier versions.
    static func lastCommit(_ db: Database) throws -> Int64 {
        var row = try SQLStatement(
            """
            SELECT max(
                coalesce((SELECT max(first_commit) FROM hub_opening), 0),
                coalesce((SELECT max(last) FROM revision), 0))
            """, db)
        return max(try lastLaneCommit(db), try row.step() ? row.number(0) : 0)
    }

    static func lastLaneCommit(_ db: Database) throws -> Int64 {
        var row = try SQLStatement("SELECT max(changed_in) FROM lane", db)
        return try row.step() ? row.number(0) : 0
    }

    /// The floor of the present history: the positions of a new channel begin above it.
    static func floor(_ db: Database) throws -> Int64 {
        var row = try SQLStatement("SELECT floor FROM history ORDER BY number DESC LIMIT 1", db)
        return try row.step() ? row.number(0) : 0
    }

    package func lastCommit(ofOpening id: [UInt8]) async throws(HubStorageError) -> Int64? {
        try await read { db in
            var row = try SQLStatement("SELECT last_commit FROM hub_opening WHERE id = ?", db)
            row.bind(id)
            return try row.step() && !row.isNull(0) ? row.number(0) : nil
        }
    }

    package func beginHistory(
        _ id: [UInt8], above floor: Int64, after present: [UInt8], at time: Timestamp
    ) async throws(HubStorageError) -> Bool {
        try await write { [self] db in
            guard let opening, opening.history == present else { return false }
            let next = try Self.beginHistory(id, above: floor, at: time, db)
            // Before the next write, which may be a delivery of the former history.
            db.afterNextTransaction { [self] _ in
                serving.withLock { serving in
                    serving?.opening.history = id
                    serving?.opening.floor = next
                }
            }
            return true
        }
    }

    /// Raises the position of every channel to a new floor, so that none is used twice.
    ///
    /// - Returns: the floor.
    static func beginHistory(_ id: [UInt8], above floor: Int64, at time: Timestamp, _ db: Database) throws -> Int64 {
        let highest = try Int64.fetchOne(db, sql: "SELECT max(last_position) FROM channel") ?? 0
        let present = try Self.floor(db)
        guard let next = HistoryRules.floor(above: max(floor, present), highest) else {
            throw HubStorageError.tooMany(kind: "histories", limit: Int(Limits.positionMax >> 33))
        }
        var insertion = try SQLStatement("INSERT INTO history (id, floor, began_at) VALUES (?, ?, ?)", db)
        insertion.bind(id)
        insertion.bind(next)
        insertion.bind(time)
        try insertion.run()
        var update = try SQLStatement("UPDATE channel SET last_position = ?", db)
        update.bind(next)
        try update.run()
        return next
    }

    package func marks(of outbox: OutboxKey) async throws(HubStorageError) -> [String: LaneMark] {
        try await read { db in
            var row = try SQLStatement(
                """
                SELECT lane.name, lane.mark, lane.mover FROM lane JOIN outbox ON outbox.number = lane.outbox
                WHERE outbox.account = ? AND outbox.id = ? ORDER BY lane.changed_in DESC LIMIT ?
                """, db)
            row.bind(outbox.account)
            row.bind(outbox.id.value)
            row.bind(HubStorageLimits.marksMax)
            var marks: [String: LaneMark] = [:]
            while try row.step() {
                guard let name = row.text(0) else { continue }
                marks[name] = LaneMark(mark: row.number(1), mover: row.id(2).map(OpeningID.init))
            }
            return marks
        }
    }

    /// Checks a reopened file: when it lacks what had been confirmed, another history begins, and another opening,
    /// because the file may not know the present one.
    func beginHistoryIfLost(_ connections: HubConnections) throws {
        guard var present = serving.withLock({ $0 }) else { return }
        let last = try connections.pool.read(Self.lastCommit)
        if last < present.opening.lastCommit {
            let (taken, floor) = (present.taken, present.opening.floor)
            present.opening = try connections.pool.write { [path] db in
                _ = try Self.beginHistory(Self.randomID(), above: floor, at: Self.now(), db)
                // The numbers of the lost commits are not assigned again.
                return try Self.beginOpening(Self.randomID(), at: taken, db, path: path)
            }
            logger?.critical("data lost", metadata: ["reason": "storage-reopened-without-confirmed-data"])
        }
        present.taken = max(present.taken, last)
        serving.withLock { $0 = present }
    }

    static func now() -> Timestamp { Timestamp(milliseconds: SystemTime.wallMilliseconds) }

    static func randomID() -> [UInt8] { (0..<16).map { _ in UInt8.random(in: .min ... .max) } }
}
