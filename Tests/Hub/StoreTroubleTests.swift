import CausewayHub
import CausewayModels
import CausewayWire
import GRDB
import NIOHTTP1
import Testing

/// The database refuses in the middle of the work: nothing half is kept, and the hub goes on when it can.
@Suite struct StoreTroubleTests {
    private static func execute(_ sql: String, in folder: DataFolder) async throws {
        let database = try folder.openDatabase()
        try await database.write { db in try db.execute(sql: sql) }
        try database.close()
    }

    @Test func aDeliveryThatFailsHalfWayLeavesNothing() async throws {
        try await HubFixture.running { hub in
            _ = try await hub.client.report(delivery([send(1)]))
            try await Self.execute(
                """
                CREATE TRIGGER poison BEFORE INSERT ON message WHEN NEW.content LIKE '%poison%'
                BEGIN SELECT RAISE(ABORT, 'poison'); END
                """, in: hub.folder)
            let batch = delivery([send(2), send(3, content: .text("poison")), send(4)], epoch: 9)
            let failed = try await hub.client.deliver(batch)
            #expect(failed.status == 500)
            #expect(failed.errorCode == "storageFailed")
            // What the database said stays in the hub's log.
            #expect(!failed.text.contains("poison"))
            #expect(try await hub.client.messages().count == 1)
            // Neither mark nor epoch moved.
            #expect(try await hub.client.report(delivery([], epoch: 1)).mark == 1)
            try await Self.execute("DROP TRIGGER poison", in: hub.folder)
            #expect(try await hub.client.report(batch).positions == [2, 3, 4])
        }
    }

    @Test func aDatabaseHeldByAnotherProcessIsBusyAndThenServesAgain() async throws {
        try await HubFixture.running { hub in
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: hub.folder.database, configuration: configuration)
            try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
            let busy = try await hub.client.deliver(delivery([send(1)]))
            #expect(busy.status == 503)
            #expect(busy.errorCode == "busy")
            #expect(busy.headers.first(name: "Retry-After") != nil)
            // Reading goes on meanwhile.
            #expect(try await hub.client.messages().isEmpty)
            try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
            try other.close()
            #expect(try await hub.client.report(delivery([send(1)])).positions == [1])
        }
    }

    @Test func theSyncSettingIsTheOneInForce() async throws {
        try await HubFixture.running { hub async throws in
            #expect(try await hub.hub.store.synchronousMode() == 2)
        }
    }
}
