import Causeway
import CausewayFileStorage
import CausewayModels
import CausewayRuntime
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import CausewayTransport
import Foundation
import GRDB
import Synchronization
import Testing

struct UnreadableMessageTests {
    /// Messages created before and after it are delivered; it fails with its reason, and can be deleted.
    @Test func oneThatCannotBeReadStopsNoOther() throws {
        try ClientWorld.run(on: [.memory]) { world in
            let client = try await world.loggedIn()
            try await client.pause()
            var ids: [MessageID] = []
            for number in 1...60 {
                ids.append(try await client.messages.createTextMessage("\(number)", in: world.general).id)
            }
            let bad = ids.remove(at: 30)
            try #require(world.store as? MemoryStore).damage(bad)
            try await client.resume()
            try await world.until("all others are delivered") {
                world.transport.server.withLock { $0.order } == ids
            }
            try await world.until("it is failed") { try await client.status().counts.error == 1 }
            try await Self.expectFailed(bad, in: client)
        }
    }

    private static let general = ChannelID("general")

    /// The same on disks, where bytes of the stored message were changed while no process had the store.
    @Test func oneThatIsDamagedInSQLiteStopsNoOther() async throws {
        let folder = try TemporaryFolder()
        let path = folder.fresh()
        try await oneDamagedStopsNoOther {
            try await SQLiteStore.open(at: path, durability: .full)
        } damage: { text in
            let queue = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
            try await queue.write { db in
                try db.execute(
                    sql: "UPDATE message SET content = substr(content, 1, 5) WHERE content LIKE '%' || ? || '%'",
                    arguments: [text])
                #expect(db.changesCount == 1)
            }
            try queue.close()
        }
    }

    @Test func oneThatIsDamagedInAFileStopsNoOther() async throws {
        let folder = try TemporaryFolder()
        let path = folder.fresh()
        try await oneDamagedStopsNoOther {
            let store = try await FileStore.open(at: path, durability: .full)
            return store
        } damage: { text in
            let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("journal-") }
            var changed = 0
            for name in names {
                let file = URL(fileURLWithPath: path + "/" + name)
                var bytes = try Data(contentsOf: file)
                while let place = bytes.range(of: Data(text.utf8)) {
                    bytes[place.lowerBound] ^= 1
                    changed += 1
                }
                try bytes.write(to: file)
            }
            #expect(changed > 0)
        }
    }

    /// It is the only failed message, has a reason, and can be deleted.
    private static func expectFailed(_ bad: MessageID, in client: CausewayClient) async throws {
        let failed = try await client.messages.failedMessages().messages
        #expect(failed.map(\.id) == [bad])
        #expect(failed.first?.failure?.reason == .unsendable)
        #expect(failed.first?.failure?.detail.isEmpty == false)
        try await client.messages.softDeleteMessage(bad)
        #expect(try await client.status().counts.undelivered == 0)
    }

    private func oneDamagedStopsNoOther(
        in open: () async throws -> any Store, damage: (String) async throws -> Void
    ) async throws {
        let general = try #require(Self.general)
        let runtime = SystemRuntime()
        let transport = ScriptedTransport(user: try #require(UserID("ann")), runtime: runtime, operationsMax: 10)
        var transports = TransportRegistry()
        transports.register("test") { _, _ in transport }
        let credentials = MemoryCredentialStore()
        var configuration = ClientConfiguration()
        configuration.restart = .resume
        var store = try await open()
        var client = try await CausewayClient.open(
            store: store, transports: transports, credentials: credentials, runtime: runtime,
            configuration: configuration)
        try await client.login(server: ClientWorld.address, token: #require(AccessToken("secret")))
        try await client.pause()
        var ids: [MessageID] = []
        for number in 1...60 {
            ids.append(try await client.messages.createTextMessage("text \(number) of 60", in: general).id)
        }
        let bad = ids.remove(at: 30)
        // Opening reads no record before a snapshot.
        if let files = store as? FileStore { try await files.maintain(.snapshot) }
        await client.close()
        try await damage("text 31 of 60")

        store = try await open()
        client = try await CausewayClient.open(
            store: store, transports: transports, credentials: credentials, runtime: runtime,
            configuration: configuration)
        try await client.resume()
        try await Eventually.holds("all others are delivered") {
            transport.server.withLock { $0.order } == ids
        }
        try await Eventually.holds("it is failed") { try await client.status().counts.error == 1 }
        try await Self.expectFailed(bad, in: client)
        await client.close()
    }
}
