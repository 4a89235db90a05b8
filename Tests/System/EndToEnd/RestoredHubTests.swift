import Causeway
import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewaySQLiteStorage
import CausewayTestSupport
import Foundation
import GRDB
import Logging
import Testing

/// A real hub over TLS whose database is rolled back, and a real client that stays open meanwhile.
@Suite struct RestoredHubTests {
    /// The way in which the hub loses confirmed data.
    enum Way: CaseIterable, Sendable {
        case plainCopy, restoreCommand, madeAnew
    }

    /// A hub's folder; its hub can be stopped, restored and started again under the same address.
    private struct Site: Sendable {
        let folder: String
        let data: DataFolder
        private let reserved: ReservedPort

        var port: Int { reserved.number }
        var backup: String { folder + "/backup" }

        func serving<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
            try await reserved.waitUntilFree()
            var logger = Logger(label: "hub")
            logger.logLevel = .error
            return try await HubService.running(
                .secure(data, port: port), opening: SQLiteHubStorage.open, logger: logger
            ) { _ in try await Eventually.ends { try await body() } }
        }

        func copy(_ source: String, to target: String) throws {
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            for suffix in ["", "-wal", "-shm"] {
                let file = target + "/hub.sqlite" + suffix
                try? FileManager.default.removeItem(atPath: file)
                guard suffix != "-shm", FileManager.default.fileExists(atPath: source + "/hub.sqlite" + suffix) else {
                    continue
                }
                try FileManager.default.copyItem(atPath: source + "/hub.sqlite" + suffix, toPath: file)
            }
        }

        func goBack(by way: Way) async throws {
            switch way {
            case .plainCopy: try copy(backup, to: data.path)
            case .restoreCommand: _ = try HubRestore(folder: data, from: backup).run(SQLiteHubRestore.run)
            case .madeAnew:
                let digest = try await DatabaseQueue(path: data.database).read { db in
                    try Data.fetchOne(db, sql: "SELECT token_sha256 FROM account WHERE name = 'ann'")
                }
                let other = DataFolder(folder + "/other-\(UUID().uuidString)")
                _ = try await HubSetup(folder: other, names: ["127.0.0.1"], account: "ann", channel: "general")
                    .run(opening: SQLiteHubStorage.open)
                try copy(other.path, to: data.path)
                try await DatabaseQueue(path: data.database).write { db in
                    try db.execute(sql: "UPDATE account SET token_sha256 = ?", arguments: [digest])
                }
            }
        }

        static func run(_ body: @Sendable (Site) async throws -> Void) async throws {
            let temporary = try TemporaryFolder()
            let folder = temporary.path
            let data = DataFolder(folder + "/hub")
            _ = try await HubSetup(folder: data, names: ["127.0.0.1"], account: "ann", channel: "general")
                .run(opening: SQLiteHubStorage.open)
            try await body(Site(folder: folder, data: data, reserved: ReservedPort()))
        }
    }

    private static func create(_ count: Int, _ name: String, by client: CausewayClient) async throws -> [MessageID] {
        let general = try #require(ChannelID("general"))
        var ids: [MessageID] = []
        for number in 1...count {
            ids.append(try await client.messages.createTextMessage("\(name) \(number)", in: general).id)
        }
        return ids
    }

    private static func delivered(_ client: CausewayClient) async throws {
        await client.probeNow()
        try await Eventually.holds("everything is on the hub") { try await client.status().counts.undelivered == 0 }
    }

    @Test(arguments: Way.allCases)
    func whatTheHubLostIsDeliveredAgainOnceAndInOrder(way: Way) async throws {
        try await Site.run { site in
            var configuration = RealWorld.quick
            configuration.restart = .resume
            let world = try RealWorld(
                folder: site.folder, data: site.data, port: site.port, stores: way == .plainCopy ? .sqlite : .file)
            let client = try await world.open("store", configuration)
            let kept = try await site.serving { () async throws -> [MessageID] in
                try await client.login(server: world.address, token: try world.token())
                let ids = try await Self.create(3, "kept", by: client)
                try await Self.delivered(client)
                return ids
            }
            try site.copy(site.data.path, to: site.backup)
            var lost = try await site.serving { () async throws -> [MessageID] in
                let ids = try await Self.create(40, "lost", by: client)
                try await Self.delivered(client)
                try await client.messages.softDeleteMessage(kept[0])
                try await Self.delivered(client)
                return ids
            }
            for round in 1...2 {
                lost += try await Self.create(2, "meanwhile \(round)", by: client)
                try await site.goBack(by: way)
                let expected = Array(kept.dropFirst()) + lost
                try await site.serving { [lost] in
                    try await Eventually.holds("the loss is noticed") {
                        await client.probeNow()
                        return try await client.status().notices.count == round
                    }
                    try await Self.delivered(client)
                    let found = try await world.onTheHub()
                    #expect(found.map(\.id) == expected, "\(lost.count)")
                    #expect(Set(found.map(\.serverPosition.position)).count == found.count)
                }
                #expect(try await client.status().counts.error == 0)
            }
            let kinds = try await client.status().notices.map(\.kind)
            let expected = way == .madeAnew ? SyncNotice.Kind.serverReplaced : .serverRestored
            #expect(kinds == [expected, expected])
            await client.close()
        }
    }

    /// Messages read before the rollback do not count as deleted because the hub does not list them any more.
    @Test func aPageOfARestoredHubDeletesNothing() async throws {
        try await Site.run { site in
            let world = try RealWorld(folder: site.folder, data: site.data, port: site.port)
            let client = try await world.open("store", RealWorld.quick)
            try site.copy(site.data.path, to: site.backup)
            let lost = try await site.serving { () async throws -> [MessageID] in
                try await client.login(server: world.address, token: try world.token())
                let ids = try await Self.create(5, "lost", by: client)
                try await Self.delivered(client)
                return ids
            }
            try await site.goBack(by: .plainCopy)
            try await site.serving {
                _ = try? await client.messages.refreshMessages(in: world.general)
                try await Eventually.holds("the loss is noticed") { try await client.status().notices.count == 1 }
                try await Self.delivered(client)
                _ = try await client.messages.refreshMessages(in: world.general)
                let shown = try await client.messages.storedMessages(in: world.general).messages
                #expect(Set(shown.map(\.id)) == Set(lost))
                #expect(shown.allSatisfy { $0.syncState == .synced })
                #expect(try await world.onTheHub().map(\.id) == lost)
            }
            await client.close()
        }
    }

    /// A page of a hub with a damaged row deletes nothing: another client has the message, or its author.
    @Test func aMessageWithADamagedRowIsKept() async throws {
        try await Site.run { site in
            let world = try RealWorld(folder: site.folder, data: site.data, port: site.port)
            let client = try await world.open("store", RealWorld.quick)
            let ids = try await site.serving { () async throws -> [MessageID] in
                try await client.login(server: world.address, token: try world.token())
                let ids = try await Self.create(5, "kept", by: client)
                try await Self.delivered(client)
                return ids
            }
            try await DatabaseQueue(path: site.data.database).write { db in
                try db.execute(sql: "UPDATE message SET content = '{' WHERE position = 3")
            }
            try await site.serving {
                try await Self.delivered(client)
                _ = try await client.messages.refreshMessages(in: world.general)
                let shown = try await client.messages.storedMessages(in: world.general).messages
                #expect(Set(shown.map(\.id)) == Set(ids))
                #expect(shown.allSatisfy { $0.syncState == .synced })
                #expect(try await world.onTheHub().map(\.id) == ids.filter { $0 != ids[2] })
            }
            await client.close()
        }
    }

    /// The stream of events survives a restart of the hub, and a restored hub's log is followed anew.
    @Test func eventsGoOnAfterARestartAndARestore() async throws {
        try await Site.run { site in
            let world = try RealWorld(folder: site.folder, data: site.data, port: site.port)
            let (desk, phone) = (try await world.open("desk"), try await world.open("phone"))
            let list = phone.liveChanges(of: MessagesQuery(.channel(world.general)))
            try site.copy(site.data.path, to: site.backup)
            try await site.serving {
                for client in [desk, phone] { try await client.login(server: world.address, token: try world.token()) }
                _ = try await Self.create(3, "before", by: desk)
                try await Self.shows(list, 3)
            }
            try await site.serving {
                _ = try await Self.create(2, "after a restart", by: desk)
                try await Self.shows(list, 5)
                try await Eventually.holds("it is up to date") { try await phone.status().events == .upToDate }
            }
            try await site.goBack(by: .restoreCommand)
            try await site.serving {
                _ = try await Self.create(1, "after a restore", by: desk)
                try await Self.shows(list, 6)
                try await Eventually.holds("it is up to date") { try await phone.status().events == .upToDate }
                #expect(try await world.onTheHub().count == 6)
            }
            for client in [desk, phone] { await client.close() }
        }
    }

    /// Waits until the list shows so many messages that are on the server.
    private static func shows(_ list: LiveChanges<Message>, _ count: Int) async throws {
        for await change in list {
            if change.snapshot.count(where: { $0.syncState == .synced }) == count { return }
        }
        Issue.record("the list ended")
    }
}
