import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewayStorageConformance
import CausewayTestSupport
import GRDB
import Testing

struct QueryPlanTests {
    /// Scans of a whole table or index that are allowed: only of data that is needed as a whole, in the order of the
    /// index.
    private static let wholes = [
        // The outbox: its unconfirmed entries, its lanes, and the counts at the start of a run.
        "SCAN control", "SCAN lane", "SCAN message USING INDEX message_undelivered",
        "SCAN message USING INDEX message_pending", "SCAN message USING INDEX message_failed",
        // Operations with a damaged state are mended at the start of a run.
        "SCAN operation",
        "SCAN delete_action USING COVERING INDEX delete_action_message",
        // The counts at the start are grouped by state.
        "USE TEMP B-TREE FOR GROUP BY",
    ]

    /// Checks the plan of every statement that the suite runs, but for the rules that only repeat those of the others.
    @Test func noStatementScansOrSorts() async throws {
        let folder = try TemporaryFolder(.memory)
        let seen = Statements()
        let factory = StoreFactory(
            make: { bounds in try await open(folder.fresh(), bounds, seen) },
            reopen: { store in
                guard let store = store as? SQLiteStore else { throw StoreError.closed }
                await store.close()
                return try await open(store.folder, OutboxBounds(), seen)
            })
        for rule in StoreConformance.rules where !rule.isLong { try await rule.run(factory) }

        let path = folder.fresh()
        await (try SQLiteStore.open(at: path, durability: .normal)).close()
        let database = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        let statements = Set(seen.inOrder).filter { text in
            ["SELECT", "UPDATE", "DELETE", "INSERT"].contains { text.hasPrefix($0) }
                && !text.contains("grdb_migrations") && !text.contains("sqlite_master")
        }
        #expect(statements.count > 20)
        try await database.read { db in
            for statement in statements {
                let arguments = StatementArguments(
                    Array(repeating: 1, count: Self.argumentCount(statement)))
                for row in try Row.fetchAll(
                    db, sql: "EXPLAIN QUERY PLAN " + statement, arguments: arguments)
                {
                    let step: String = row["detail"]
                    guard step.contains("SCAN") || step.contains("TEMP B-TREE") else { continue }
                    #expect(Self.wholes.contains(step), "\(step) in \(statement)")
                }
            }
        }
        try database.close()
    }

    /// Placeholders are either numbered, and may then be repeated, or each is an argument of its own.
    private static func argumentCount(_ statement: String) -> Int {
        (1...9).last { statement.contains("?\($0)") } ?? statement.count { $0 == "?" }
    }

    /// The check detects a plan that scans a table.
    @Test func aScanWouldBeFound() async throws {
        let folder = try TemporaryFolder()
        let path = folder.fresh()
        await (try SQLiteStore.open(at: path, durability: .normal)).close()
        let database = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        let plan = try await database.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT * FROM message WHERE sender = 'a'")
                .map { $0["detail"] as String }
        }
        #expect(plan == ["SCAN message"])
        #expect(!Self.wholes.contains("SCAN message"))
        try database.close()
    }

    private func open(_ folder: String, _ bounds: OutboxBounds, _ seen: Statements) async throws -> SQLiteStore {
        try await SQLiteStore.open(
            at: folder, durability: .normal, options: SQLiteOptions(bounds: bounds, trace: seen.add))
    }
}
