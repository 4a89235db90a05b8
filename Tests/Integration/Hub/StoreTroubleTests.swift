import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Dispatch
import Foundation
import GRDB
import NIOHTTP1
import Synchronization
import Testing

/// The database fails in the middle of the work: nothing is stored in part, and the hub continues when it can.
@Suite struct StoreTroubleTests {
    private final class Counter: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .relaxed) }

        func add() { value.wrappingAdd(1, ordering: .relaxed) }
    }

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
            // The database's error message stays in the hub's log.
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
            // The hub's own housekeeping may be writing at its start.
            configuration.busyMode = .timeout(60)
            let other = try DatabaseQueue(path: hub.folder.database, configuration: configuration)
            try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
            let busy = try await hub.client.deliver(delivery([send(1)]))
            #expect(busy.status == 503)
            #expect(busy.errorCode == "busy")
            #expect(busy.headers.first(name: "Retry-After") != nil)
            // Reads still work meanwhile.
            #expect(try await hub.client.messages().isEmpty)
            try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
            try other.close()
            #expect(try await hub.client.report(delivery([send(1)])).positions == [1])
        }
    }

    /// A commit that fails may have been made or not; the client is told so, and the hub recovers meanwhile.
    @Test(arguments: [StorageFaults.Step.commit, .sync])
    func aCommitThatFailsIsInDoubtAndTheHubRecovers(step: StorageFaults.Step) async throws {
        let faults = StorageFaults()
        try await HubFixture.running(storageFaults: faults) { hub in
            _ = try await hub.client.report(delivery([send(1)]))
            faults.inject(step)
            let failed = try await hub.client.deliver(delivery([send(2)]))
            #expect(failed.status == 500)
            #expect(failed.errorCode == "outcomeUnknown")
            #expect(!failed.text.contains("nothing was applied"))
            try await Eventually.holds("the hub is well again") {
                try await hub.client.get("/healthz").status == 200
            }
            #expect(try await hub.client.messages().count == (step == .sync ? 2 : 1))
            // The repeat finds out.
            #expect(try await hub.client.report(delivery([send(2)])).positions == [2])
            #expect(try await hub.client.messages().count == 2)
        }
    }

    /// Until the file has been reopened and verified, everything is deferred and the health check fails.
    @Test func aStorageThatFailedIsSaidAndEndsByItself() async throws {
        let faults = StorageFaults()
        try await HubFixture.running(storageFaults: faults) { hub in
            _ = try await hub.client.report(delivery([send(1)]))
            faults.inject(.reopen, times: 1000)
            faults.inject(.write)
            let failed = try await hub.client.deliver(delivery([send(2)]))
            #expect(failed.status == 503)
            #expect(failed.errorCode == "storageFailed")
            for path in ["/healthz", "/v1/session", WireProtocol.messagesPath("general")] {
                let answer = try await hub.client.get(path)
                #expect(answer.status == 503, "\(path)")
                #expect(answer.errorCode == "storageFailed")
                #expect(answer.headers.first(name: "Retry-After") != nil)
            }
            #expect(try await hub.client.deliver(delivery([send(2)])).status == 503)
            faults.clear()
            try await Eventually.holds("the hub is well again") {
                try await hub.client.get("/healthz").status == 200
            }
            #expect(try await hub.client.report(delivery([send(2)])).positions == [2])
            #expect(try await hub.storage.synchronousMode() == 2)
        }
    }

    /// A damaged file is not served from, however often it is reopened.
    ///
    /// - Parameter isDeep: true for a page that opening the file does not read: one full of messages.
    @Test(arguments: [false, true]) func aFileThatIsNotWholeStaysRed(isDeep: Bool) async throws {
        let faults = StorageFaults()
        try await HubFixture.running(storageFaults: faults) { hub in
            _ = try await hub.client.report(delivery((1...200).map { send($0) }))
            let database = try hub.folder.openDatabase()
            try await database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            try database.close()
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: hub.folder.database))
            let content = try #require(try file.readToEnd())
            let inside = try #require(content.range(of: Data("message 100".utf8))).lowerBound
            try file.seek(toOffset: UInt64(isDeep ? inside / 4096 : 2) * 4096)
            try file.write(contentsOf: Data(repeating: 0xAA, count: (isDeep ? 1 : 20) * 4096))
            try file.close()
            faults.inject(.write)
            _ = try await hub.client.deliver(delivery([send(201)]))
            try await Eventually.holds("it was opened anew in vain") { hub.log.contains("storage not recovered") }
            #expect(try await hub.client.get("/healthz").status == 503)
        }
    }

    @Test func tokensAreLookedUpWhileEveryReaderIsBusy() async throws {
        try await HubFixture.running { hub in
            let release = DispatchSemaphore(value: 0)
            let busy = Counter()
            let answered = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<SQLiteHubLimits.readersMax {
                    group.addTask {
                        try await hub.storage.read { _ in
                            busy.add()
                            release.wait()
                        }
                    }
                }
                defer { for _ in 0..<SQLiteHubLimits.readersMax { release.signal() } }
                try await Eventually.holds("all readers are busy") {
                    busy.count == SQLiteHubLimits.readersMax
                }
                group.addTask {
                    let status = try await hub.client.get("/v1/session").status
                    #expect(status == 200)
                    answered.add()
                }
                try await Eventually.holds("it is answered while they are") {
                    answered.count == 1
                }
            }
        }
    }

    @Test func theLogOfTheDatabaseIsEmptiedAfterALoad() async throws {
        try await HubFixture.running(rest: .milliseconds(200)) { hub in
            let text = MessageContent.text(String(repeating: "x", count: Limits.textBytesMax))
            for start in stride(from: Int64(1), through: 60, by: 20) {
                _ = try await hub.client.report(delivery((start..<start + 20).map { send($0, content: text) }))
            }
            try await Eventually.holds("the log is empty") {
                let log = try FileManager.default.attributesOfItem(atPath: hub.folder.database + "-wal")
                return log[.size] as? Int == 0
            }
            #expect(try await hub.client.report(delivery([send(61)])).positions == [61])
        }
    }

    /// Clients that wait for events ask again and again, and so does the hub for their tokens: that is no load.
    @Test func theLogIsEmptiedWhileClientsWaitForEvents() async throws {
        try await HubFixture.running(rest: .milliseconds(200)) { hub in
            let cursor = try await hub.client.eventCursor()
            _ = try await hub.client.report(delivery([send(1)]))
            try await withThrowingTaskGroup { group in
                group.addTask {
                    while !Task.isCancelled { _ = try await hub.client.events("cursor=\(cursor)&wait=0") }
                }
                try await Eventually.holds("the log is empty") {
                    let log = try FileManager.default.attributesOfItem(atPath: hub.folder.database + "-wal")
                    return log[.size] as? Int == 0
                }
                group.cancelAll()
            }
        }
    }

    /// Without another load: an obstacle that was there once does not block for ever.
    @Test func theLogIsEmptiedWhenAReaderThatWasInTheWayHasEnded() async throws {
        try await HubFixture.running(rest: .milliseconds(200)) { hub in
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            configuration.busyMode = .timeout(30)
            let database = try DatabaseQueue(path: hub.folder.database, configuration: configuration)
            _ = try await hub.client.report(delivery([send(1)]))
            try await database.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN")
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM message")
            }
            _ = try await hub.client.report(delivery([send(2)]))
            try await Eventually.holds("it was in the way") { hub.log.contains("debug at rest log=held by a reader") }
            try await database.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            try await Eventually.holds("the log is empty") {
                let log = try FileManager.default.attributesOfItem(atPath: hub.folder.database + "-wal")
                return log[.size] as? Int == 0
            }
            try database.close()
        }
    }

    @Test func theSyncSettingIsTheOneInForce() async throws {
        try await HubFixture.running { hub async throws in
            #expect(try await hub.storage.synchronousMode() == 2)
        }
    }
}
