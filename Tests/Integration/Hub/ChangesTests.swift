import CausewayHub
import CausewayModels
import CausewayTestSupport
import CausewayWire
import GRDB
import NIOHTTP1
import Testing

/// The changes of a part of a channel since it was read.
@Suite struct ChangesTests {
    private static func page(_ hub: HubFixture) async throws -> WirePage {
        try await hub.client.get(WireProtocol.messagesPath("general")).decoded(WirePage.self)
    }

    private static func cursor(_ hub: HubFixture) async throws -> String {
        try #require(try await page(hub).cursor)
    }

    private static func changes(
        _ hub: HubFixture, since cursor: String, _ part: String = "&from=1&through=10&open=1", limit: Int = 1000
    ) async throws -> WireChanges {
        try await hub.client.get(
            WireProtocol.changesPath("general") + "?since=\(cursor)&limit=\(limit)\(part)"
        ).decoded(WireChanges.self)
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func editsReactionsDeletionsAndNewMessages(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery((1...10).map { send($0) }))
            let cursor = try await Self.cursor(hub)
            let nothing = try await Self.changes(hub, since: cursor)
            #expect(nothing == WireChanges(messages: [], gone: [], cursor: cursor, newest: 10, isComplete: true))
            _ = try await hub.client.report(
                delivery([
                    change(.edit, 11, 101, on: 3), change(.addReaction, 12, 102, on: 4),
                    change(.addReaction, 13, 103, on: 4), delete(14, 5), change(.edit, 15, 104, on: 6), delete(16, 6),
                    send(17, 11), send(18, 12), delete(19, 12),
                ]))
            let found = try await Self.changes(hub, since: cursor)
            #expect(found.isComplete && found.newest == 12)
            #expect(found.messages.map(\.position) == [3, 4, 11])
            #expect(found.messages.first?.content == .text("message 101"))
            #expect(found.messages.dropFirst().first?.reactions == ["wave": 1, "+1": 1])
            #expect(Set(found.gone) == [id(5), id(6), id(12)])
            #expect(found.cursor == (try await Self.cursor(hub)))
            // Continues from the cursor.
            let next = try await Self.changes(hub, since: found.cursor, "&from=1&through=12&open=1")
            #expect(next.isComplete && next.messages.isEmpty && next.gone.isEmpty && next.cursor == found.cursor)
            // Only a part of the channel.
            let part = try await Self.changes(hub, since: cursor, "&from=4&through=5")
            #expect(part.messages.map(\.position) == [4] && part.gone == [id(5)])
            // Its changes list a message only once, however often it was changed.
            _ = try await hub.client.report(delivery([change(.edit, 20, 105, on: 3), change(.edit, 21, 106, on: 3)]))
            let again = try await Self.changes(hub, since: cursor, "&from=3&through=3")
            #expect(again.messages.map(\.content) == [.text("message 106")])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func tooManyChangesAreNotToldByHalves(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery((1...10).map { send($0) }))
            let cursor = try await Self.cursor(hub)
            _ = try await hub.client.report(delivery((11...15).map { send($0) } + [delete(16, 1), delete(17, 2)]))
            #expect(try await Self.changes(hub, since: cursor, limit: 7).isComplete)
            let halves = try await Self.changes(hub, since: cursor, limit: 6)
            #expect(!halves.isComplete && halves.messages.isEmpty && halves.gone.isEmpty)
            #expect(halves.cursor == (try await Self.cursor(hub)))
        }
    }

    /// A channel of 3,000 messages.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func whatDidNotChangeCostsNothing(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            for part in 0..<6 {
                _ = try await hub.client.report(
                    delivery((1...500).map { send(Int64(part * 500 + $0)) }))
            }
            let cursor = try await Self.cursor(hub)
            let path = WireProtocol.changesPath("general") + "?since=\(cursor)&limit=1000&from=1&through=3000&open=1"
            let unchanged = try await hub.client.get(path)
            #expect(try unchanged.decoded(WireChanges.self).isComplete)
            #expect(unchanged.text.utf8.count < 200, "\(unchanged.text.utf8.count)")
            _ = try await hub.client.report(
                delivery([change(.edit, 3001, 9001, on: 1500), delete(3002, 7), send(3003, 3003)]))
            let changed = try await hub.client.get(path)
            let changes = try changed.decoded(WireChanges.self)
            #expect(changes.messages.map(\.position) == [1500, 3001] && changes.gone == [id(7)])
            #expect(changed.text.utf8.count < 1000, "\(changed.text.utf8.count)")
            let pages = try await hub.client.get(WireProtocol.messagesPath("general") + "?limit=1000")
            #expect(pages.text.utf8.count > 150_000)
        }
    }

    @Test func aCursorOutlivesTheHub() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let cursor = try await HubFixture.running(folder) { hub in
            _ = try await hub.client.report(delivery((1...10).map { send($0) }))
            return try await Self.cursor(hub)
        }
        try await HubFixture.running(folder) { hub in
            #expect(try await Self.changes(hub, since: cursor).isComplete)
            _ = try await hub.client.report(delivery([delete(11, 3)]))
            let changes = try await Self.changes(hub, since: cursor)
            #expect(changes.isComplete && changes.gone == [id(3)])
        }
    }

    /// Version 7 of the database counted the changes of messages apart from commits, here further than these.
    @Test func aHubThatCountedRevisionsGoesOn() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let history = try await HubFixture.running(folder) { hub in
            _ = try await hub.client.report(delivery((1...10).map { send($0) }))
            return try #require(
                try await hub.client.get("/v1/session").headers.first(name: WireProtocol.historyHeader))
        }
        let opening = String(repeating: "ab", count: 16)
        let database = try folder.openDatabase()
        try await database.write { db in
            try db.execute(
                sql: """
                    ALTER TABLE hub_opening DROP COLUMN first_commit;
                    DELETE FROM grdb_migrations WHERE identifier LIKE '8:%';
                    INSERT INTO revision (opening, first, last) VALUES (x'\(opening)', 20, 40);
                    UPDATE message SET revision = 35 WHERE position = 3;
                    """)
        }
        try database.close()
        // A run without a commit, then one with a commit.
        for edit in [nil, change(.edit, 11, 101, on: 5)] {
            try await HubFixture.running(folder) { hub in
                if let edit { _ = try await hub.client.report(delivery([edit])) }
                for (commit, positions) in [(40, [] as [Int64]), (35, []), (34, [3])] {
                    let found = try await Self.changes(hub, since: "\(opening)-\(commit)")
                    #expect(found.isComplete)
                    #expect(found.messages.map(\.position) == positions + (edit == nil ? [] : [5]))
                }
                for unknown in [41, 19] {
                    #expect(try await !Self.changes(hub, since: "\(opening)-\(unknown)").isComplete)
                }
                // Nothing was lost.
                let present = try await hub.client.send(
                    .GET, "/v1/session", headers: [WireProtocol.historyHeader: history])
                let text = try #require(present.headers.first(name: WireProtocol.historyHeader))
                #expect(WireHistory(text)?.history == WireHistory(history)?.history)
                #expect(!hub.log.contains("data lost"))
            }
        }
    }

    /// The restored hub has reached the same commit and position, with other changes.
    @Test func aRestoredHubIsReadByPages() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let before = try await HubFixture.running(folder) { hub in
            _ = try await hub.client.report(delivery((1...10).map { send($0) }))
            return try await Self.cursor(hub)
        }
        let backup = temporary.path + "/backup.sqlite"
        let database = try folder.openDatabase()
        try await database.vacuum(into: backup)
        try database.close()
        let lost = try await HubFixture.running(folder) { hub in
            _ = try await hub.client.report(delivery([change(.edit, 11, 101, on: 3)]))
            return try await Self.cursor(hub)
        }
        try folder.replaceDatabase(with: backup)
        try await HubFixture.running(folder) { hub in
            #expect(try await !Self.changes(hub, since: lost).isComplete)
            for number in 1...3 {
                _ = try await hub.client.report(
                    delivery([change(.edit, Int64(number), UInt64(number + 300), on: 5)], outbox: 2))
            }
            _ = try await hub.client.report(delivery([change(.edit, 11, 201, on: 5)], outbox: 1))
            #expect(try await Self.page(hub).messages[4].content == .text("message 201"))
            #expect(try await !Self.changes(hub, since: lost).isComplete)
            let known = try await Self.changes(hub, since: before)
            #expect(known.isComplete && known.messages.map(\.position) == [5])
        }
    }

    /// Cursors that no hub can have issued.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func anotherHistoryIsReadByPages(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery((1...10).map { send($0) } + [delete(11, 1)]))
            let cursor = try await Self.cursor(hub)
            let opening = cursor.prefix { $0 != "-" }
            let other = String(repeating: "0", count: 32)
            for (cursor, through) in [
                ("\(opening)-1000", 10), ("\(other)-1", 10), ("\(other)-0", 10), (cursor, 11),
                ("\(opening)-\(Int64.max)", 10),
            ] {
                let found = try await Self.changes(hub, since: cursor, "&from=1&through=\(through)&open=1")
                #expect(!found.isComplete && found.messages.isEmpty && found.gone.isEmpty, "\(cursor)")
            }
        }
    }

    @Test(arguments: [
        "?through=1", "?since=C", "?since=&through=1", "?since=C&since=C&through=1", "?since=C&through=-1",
        "?since=C&through=1&limit=0", "?since=r%200&through=1", "?since=C&through=1&from=x", "?since=C1x&through=1",
        "?since=-1&through=1", "?since=C-1&through=1", "?since=C&through=1&open=2", "?since=C&through=1&open=",
        "?since=C&through=1&open=1&open=1",
    ])
    func aWrongQueryIsRefused(query: String) async throws {
        try await HubFixture.running { hub in
            let query = query.replacing("C", with: try await Self.cursor(hub))
            let answer = try await hub.client.get(WireProtocol.changesPath("general") + query)
            #expect(answer.status == 400 && answer.errorCode == "queryInvalid")
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aChannelThatIsNotThereIsSaidToBe(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let cursor = try await Self.cursor(hub)
            let answer = try await hub.client.get(WireProtocol.changesPath("nope") + "?since=\(cursor)&through=1")
            #expect(answer.status == 404 && answer.errorCode == "channelNotFound")
        }
    }
}
