import CausewayModels
import CausewaySQLiteChecksums
import CausewayStorage
import CausewaySystem
import Foundation
import GRDB

/// Reads a whole store through a connection that cannot write.
///
/// Reading the log may leave an empty index of it beside the database (`store.sqlite-shm`), which the next opening
/// replaces; no byte of the database or of its log changes.
struct SQLiteReader: StoreReader {
    let findings: StoreFindings
    private let folder: StoreFolder
    private let queue: DatabaseQueue
    private let hasChecksums: Bool
    /// Commits that the log has lost, as the note of its end shows; `nil` if it has lost none.
    private let loss: String?

    init(_ folder: StoreFolder) throws(StoreError) {
        self.folder = folder
        try StoreSchema.identify(folder)
        // Opening the note creates it.
        loss = try folder.size(of: folder.logEnd) == nil ? nil : LogEnd(folder).loss()
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(SQLiteLimits.busySecondsMax)
        configuration.label = "causeway.archive"
        var bytes: Int64 = 0
        for file in [folder.database, folder.log] { bytes += try folder.size(of: file) ?? 0 }
        let opened = try StoreError.catching(folder.database) {
            let queue = try DatabaseQueue(
                path: PageChecksums.address(of: folder.database), configuration: configuration)
            return try queue.read { db in
                (
                    queue: queue, version: try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0,
                    hasChecksums: try PageChecksums.areReserved(in: db)
                )
            }
        }
        queue = opened.queue
        hasChecksums = opened.hasChecksums
        if opened.version > StoreSchema.version {
            throw .newerSchema(version: "layout \(opened.version)", path: folder.database)
        }
        guard opened.version == StoreSchema.version else {
            throw .other(
                detail: "\(folder.database) has the earlier layout \(opened.version); any command that uses the store "
                    + "(causeway status) upgrades it")
        }
        let torn = try folder.tornTail()
        findings = StoreFindings(
            version: "layout \(opened.version)" + (opened.hasChecksums ? "" : " without checksums of pages"),
            tornBytes: torn?.bytes ?? 0, tornAt: torn?.place, bytes: bytes)
    }

    func close() { try? queue.close() }

    // MARK: Verification

    func verify(
        progress: (_ bytes: Int64) -> Void, _ problem: (StoreProblem) throws(StoreError) -> Void
    ) throws(StoreError) {
        if let loss { try problem(StoreProblem("log", at: folder.log, loss)) }
        let path = folder.database
        let found = try StoreError.catching(path) {
            try queue.read { db in
                var found: [StoreProblem] = []
                // SQLite's checks end at the first of these.
                if hasChecksums { found = try damagedPages(db, progress) }
                guard found.isEmpty else { return found }
                if let missing = try StoreSchema.missingPages(db, folder) {
                    found.append(StoreProblem("pages", at: path, missing.description))
                }
                for line in try String.fetchAll(db, sql: "PRAGMA integrity_check(100)") where line != "ok" {
                    found.append(StoreProblem("pages", at: path, line))
                }
                return found + (try Self.contradictions(db, path))
            }
        }
        for one in found { try problem(one) }
    }

    /// Verifies every page of the database that the log does not replace.
    private func damagedPages(_ db: Database, _ progress: (_ bytes: Int64) -> Void) throws -> [StoreProblem] {
        let pageBytes = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
        let logged = try StoreSchema.pagesInLog(folder, pageBytes)
        do throws(SystemError) {
            let scan = try PageScan(
                of: folder.database, pageBytes: Int(pageBytes), leavesOut: logged.contains, progress: progress)
            return scan.damages.map {
                StoreProblem("checksum", at: "\(folder.database) at byte \($0.offset)", $0.description)
            }
        } catch {
            throw StoreFolder.failure(error, at: folder.database)
        }
    }

    /// Rows of one table that those of another one contradict, which SQLite itself does not know.
    private static func contradictions(_ db: Database, _ path: String) throws -> [StoreProblem] {
        let rules: [(rule: String, sql: String, detail: String)] = [
            (
                "index",
                """
                SELECT count(*) FROM record_entry AS entry LEFT JOIN record ON record.account = entry.account \
                AND record.kind = entry.kind AND record.record = entry.record WHERE record.id IS NULL
                """, "lists name records that do not exist"
            ),
            (
                "index",
                """
                SELECT abs((SELECT count(*) FROM record_entry) - \
                (SELECT coalesce(sum(CASE WHEN json_valid(entries) THEN json_array_length(entries) ELSE 0 END), 0) \
                FROM record))
                """, "entries of lists do not agree with their records"
            ),
            (
                "account",
                """
                SELECT count(*) FROM (SELECT account FROM message UNION ALL SELECT account FROM operation \
                UNION ALL SELECT account FROM control UNION ALL SELECT account FROM lane UNION ALL \
                SELECT account FROM record UNION ALL SELECT account FROM delete_action) \
                WHERE account NOT IN (SELECT id FROM account)
                """, "rows belong to no account"
            ),
            (
                "position", "SELECT count(*) FROM message WHERE position <> \(Int64.max) AND accepted_at IS NULL",
                "messages have a position without a time of acceptance"
            ),
        ]
        var found: [StoreProblem] = []
        for rule in rules {
            let count = try Int.fetchOne(db, sql: rule.sql) ?? 0
            if count > 0 { found.append(StoreProblem(rule.rule, at: path, "\(count) \(rule.detail)")) }
        }
        return found
    }

    // MARK: Reading

    func read(
        _ entry: (StoreEntry) throws(StoreError) -> Void, problem: (StoreProblem) throws(StoreError) -> Void
    ) throws(StoreError) {
        try StoreError.catching(folder.database) {
            try queue.read { db in
                let path = folder.database
                var rows = SQLiteRows(db, CommitCounters())
                let numbers = "SELECT account, epoch, next_sequence, shared_below, session FROM store WHERE id = 1"
                guard let store = try Row.fetchOne(db, sql: numbers) else {
                    throw StoreError.damaged(path: path, detail: "the row of the store is missing")
                }
                let accounts = try Self.accounts(db)
                let session = try db.storedSession()
                if session == nil, (store[4] as Data?) != nil {
                    try problem(StoreProblem("unreadable", at: "\(path), the session", "it cannot be decoded"))
                }
                try entry(
                    .header(
                        StoreHeader(
                            epoch: store[1], nextSequence: store[2], sharedBelow: store[3], session: session,
                            current: accounts.first { $0.row.id == store[0] as Int64 }?.name)))
                for account in accounts {
                    rows.counters = CommitCounters()
                    rows.counters.account = account.row
                    do { try rows.loadAccount() } catch {
                        try problem(
                            StoreProblem("unreadable", at: "\(path), account \(account.row.id)", "it cannot be decoded")
                        )
                    }
                    try entry(.account(AccountEntry(account.name, rows.counters.outbox)))
                    let content = SQLiteAccountReader(db: db, path: path, account: account.row)
                    try content.readChains(entry, problem)
                    try content.readItems(entry, problem)
                    try content.readRecords(entry, problem)
                    try content.readDeletions(entry, problem)
                }
            }
        }
    }

    private static func accounts(_ db: Database) throws -> [(row: AccountRow, name: Account?)] {
        let rows = try Row.fetchAll(db, sql: "SELECT id, server, user FROM account")
        let found = rows.map { row -> (row: AccountRow, name: Account?) in
            var name: Account?
            if let server = row[1] as String?, let user = (row[2] as String?).flatMap(UserID.init) {
                name = Account(server: server, user: user)
            }
            return (AccountRow(id: row[0]), name)
        }
        return found.sorted { AccountEntry.precedes($0.name, $1.name) }
    }
}

/// Reads the entries of one account.
private struct SQLiteAccountReader {
    typealias OnEntry = (StoreEntry) throws(StoreError) -> Void
    typealias OnProblem = (StoreProblem) throws(StoreError) -> Void

    let db: Database
    let path: String
    let account: AccountRow

    private func unreadable(_ table: String, _ key: String, _ detail: String = "it cannot be decoded") -> StoreProblem {
        StoreProblem("unreadable", at: "\(path), \(table) \(key)", detail)
    }

    private func run(_ sql: String, _ body: (borrowing StatementRow) throws -> Void) throws {
        try db.run(sql) { statement in
            statement.bind(account.id)
        } forEachRow: { row in
            try body(row)
            return true
        }
    }

    func readChains(_ entry: OnEntry, _ problem: OnProblem) throws {
        try run(StoreQueries.lanes + " ORDER BY name") { row in
            try entry(.lane(LaneID(rawValue: row.text(0)), lastTransmitted: row.int64(1)))
        }
        try run("SELECT \(ChainMarker.columns) FROM control WHERE account = ? ORDER BY sequence") { row in
            if let marker = ChainMarker(row) {
                try entry(.marker(marker))
            } else {
                try problem(unreadable("control entry", "\(row.int64(0))"))
            }
        }
    }

    func readItems(_ entry: OnEntry, _ problem: OnProblem) throws {
        let parts = [
            ("message", "SELECT \(ItemRow.columns) FROM message NOT INDEXED WHERE account = ? ORDER BY ordinal"),
            (
                "operation",
                "SELECT \(ItemRow.operationColumns) FROM operation NOT INDEXED WHERE account = ? ORDER BY ordinal"
            ),
        ]
        for (table, sql) in parts {
            var names = ItemRow.Names()
            try run(sql) { row in
                let found: ItemRow
                do { found = try ItemRow(reading: row, &names) } catch {
                    return try problem(unreadable(table, "\(row.int64(0))"))
                }
                if Int64(row.data(4).count) != row.int64(5) {
                    try problem(unreadable(table, "\(row.int64(0))", "the size of its content is wrong"))
                }
                try entry(.item(found.item))
            }
        }
    }

    func readRecords(_ entry: OnEntry, _ problem: OnProblem) throws {
        let sql = "SELECT \(RecordRow.columns), record.kind FROM record WHERE account = ? ORDER BY kind, record"
        try run(sql) { row in
            let id = row.text(0)
            guard let kind = RecordKind(row.text(4)) else { return try problem(unreadable("record", id)) }
            let lists = try? StoredJSON.decode([RecordRow.Entry].self, row.data(3), table: "record", key: 0)
            guard let lists, lists.allSatisfy({ $0.entry != nil }), (try? JSONParser.parse(Array(row.data(2)))) != nil
            else { return try problem(unreadable("record", "\(kind.value) \(id)")) }
            try entry(.record(RecordRow.record(row, kind: kind)))
        }
    }

    func readDeletions(_ entry: OnEntry, _ problem: OnProblem) throws {
        try run("SELECT sequence, action FROM delete_action WHERE account = ? ORDER BY sequence") { row in
            let sequence = row.int64(0)
            let found = try? StoredJSON.decode(DeleteAction.self, row.data(1), table: "delete_action", key: sequence)
            guard var action = found else { return try problem(unreadable("deletion", "\(sequence)")) }
            action.sequence = sequence
            try entry(.deletion(action))
        }
    }
}
