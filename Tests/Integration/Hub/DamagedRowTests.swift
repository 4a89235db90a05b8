import CausewayHub
import CausewayHubRules
import CausewayHubSQLite
import CausewayHubStorage
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import GRDB
import Testing

/// A damaged row of the hub's database hides itself and nothing else.
@Suite struct DamagedRowTests {
    private func damage(_ sql: String, in hub: HubFixture) async throws { try await damage(sql, in: hub.folder) }

    private func damage(_ sql: String, in folder: DataFolder) async throws {
        let database = try folder.openDatabase()
        try await database.write { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            try db.execute(sql: sql)
        }
        try database.close()
    }

    private func page(_ hub: HubFixture, _ query: String = "?limit=1000") async throws -> WirePage {
        let response = try await hub.client.get(WireProtocol.messagesPath("general") + query)
        guard response.status == 200 else { throw HubClient.Unexpected(status: response.status, text: response.text) }
        return try response.decoded(WirePage.self)
    }

    @Test(arguments: ["content = '{\"v\":1,'", "content = 'no'", "id = x'01'"])
    func aMessageIsLeftOut(_ damage: String) async throws {
        try await HubFixture.running { hub in
            _ = try await hub.client.report(delivery((1...9).map { send($0) }))
            let cursor = try #require(try await page(hub).cursor)
            try await self.damage("UPDATE message SET \(damage) WHERE position = 4", in: hub)
            let rest: [Int64] = [1, 2, 3, 5, 6, 7, 8, 9]
            #expect(try await page(hub).messages.map(\.position) == rest)
            #expect(try await page(hub, "?limit=1000&parent=none").messages.map(\.position) == rest)
            // Nothing says that it was deleted.
            for query in ["?limit=1000", "?limit=1000&parent=none", "?limit=2&before=5", "?limit=1000&deleted=1"] {
                let page = try await page(hub, query)
                #expect(page.unreadable == [4] && page.range?.contains(4) == true, "\(query): \(page)")
            }
            #expect(try await page(hub, "?limit=2&before=4").unreadable == nil)
            #expect(try await page(hub, "?limit=2&before=9").unreadable == nil)
            let reports = hub.log.lines.filter { $0.contains("message left out") }
            #expect(reports.count == 1, "\(hub.log.lines)")
            #expect(try hub.storage.damagedRowCount == 1)
            if damage.hasPrefix("content") {
                let path = WireProtocol.messagePath(id(4).description)
                #expect(try await hub.client.get(path).status == 500)
            }
            // New messages go on, and so does what lists changes.
            _ = try await hub.client.report(delivery([send(10)]))
            let since = WireProtocol.changesPath("general") + "?since=\(cursor)&from=1&through=9"
            #expect(try await hub.client.get(since).status == 200)
        }
    }

    /// An edit replaces what is damaged. Without it, the delivery would fail for ever, and those of others with it.
    @Test func aMessageIsEdited() async throws {
        try await HubFixture.running { hub in
            _ = try await hub.client.report(delivery([send(1), send(2)]))
            try await damage("UPDATE message SET content = 'no' WHERE position = 1", in: hub)
            let report = try await hub.client.report(delivery([change(.edit, 3, 101, on: 1), send(4)]))
            #expect(report.kinds == [.accepted, .accepted])
            #expect(try await page(hub).messages.map(\.position) == [1, 2, 3])
        }
    }

    @Test func theFileOfAMessageIsRead() async throws {
        try await HubFixture.running { hub in
            let member = try await hub.client(of: "member")
            try await hub.client.upload(SampleFile.png)
            _ = try await hub.client.report(delivery([send(1, content: SampleFile.png.image())], lane: .media))
            try await damage("UPDATE message SET content = 'no' WHERE position = 1", in: hub)
            let answer = try await member.download(SampleFile.png, through: 1)
            #expect(answer.status == 200 && answer.body == SampleFile.png.bytes)
        }
    }

    /// The first part of the expired uploads is short because of it; more than that follow.
    @Test func anUploadKeepsNoOthersFromExpiring() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        // Complete ones need no bytes.
        try await damage(
            """
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300)
            INSERT INTO upload (id, account, sha256, size, type, created_at, completed_at)
            SELECT CASE n WHEN 2 THEN x'01' ELSE randomblob(16) END, (SELECT min(number) FROM account),
                randomblob(32), 1, 'text/plain', n, n
            FROM numbers
            """, in: folder)
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.uploadSecondsMax = 0
            // One round.
            $0.expiry = .seconds(3600)
        }
        try await HubFixture.running(folder, change: change) { hub in
            try await Eventually.holds("uploads expire") { hub.log.contains("files expired") }
            #expect(hub.log.lines.contains { $0.contains("files expired") && $0.contains("uploads=299") })
        }
    }

    /// Pages of one message: each leads to the next, also the one that would list only the damaged message.
    @Test(arguments: ["?limit=1", "?limit=1&parent=none"]) func pagesLeadOn(_ query: String) async throws {
        try await HubFixture.running { hub in
            _ = try await hub.client.report(delivery((1...9).map { send($0) }))
            try await damage("UPDATE message SET content = 'no' WHERE position IN (4, 5, 9)", in: hub)
            var found: [Int64] = []
            var before: Int64?
            for _ in 1...9 {
                let page = try await page(hub, query + (before.map { "&before=\($0)" } ?? ""))
                found += page.messages.map(\.position)
                guard page.hasMore else { break }
                before = page.from ?? 0
            }
            #expect(found == [8, 7, 6, 3, 2, 1])
            found = []
            var after: Int64 = 0
            for _ in 1...9 {
                let page = try await page(hub, query + "&after=\(after)")
                found += page.messages.map(\.position)
                guard page.hasMore else { break }
                after = page.through ?? 0
            }
            #expect(found == [1, 2, 3, 6, 7, 8])
        }
    }

    /// A member's record with a value that is no JSON: the page of members lists it without its fields, and leads on.
    @Test func aRecordIsListedWithoutItsFields() async throws {
        try await HubFixture.running { hub in
            for name in ["ann", "bob", "cid"] { _ = try await hub.client(of: name) }
            try await damage(
                "UPDATE record SET value = '{' WHERE kind = 'channelMember' AND id = 'general/bob'", in: hub)
            var found: [String: JSONValue] = [:]
            var after = ""
            repeat {
                let path = WireProtocol.recordsPath("channelMember") + "?list=byChannel&scope=general&limit=1\(after)"
                let response = try await hub.client.get(path)
                guard response.status == 200 else {
                    throw HubClient.Unexpected(status: response.status, text: response.text)
                }
                let page = try response.decoded(WireRecordPage.self)
                for item in page.items { found[item.id] = item.value }
                after = page.next.map { "&after=\($0)" } ?? ""
            } while !after.isEmpty && found.count < 9
            let names = ["ann", "bob", "cid", "me"].map { "general/\($0)" }
            #expect(Set(names).isSubset(of: found.keys))
            #expect(names.filter { found[$0] == .null } == ["general/bob"])
        }
    }

    /// A request for the single record fails, so that a client keeps its copy; the log names the record once.
    @Test func aSingleRecordIsAFailure() async throws {
        try await HubFixture.running { hub in
            for name in ["ann", "bob"] { _ = try await hub.client(of: name) }
            try await damage(
                "UPDATE record SET value = '{' WHERE kind = 'channelMember' AND id = 'general/bob'", in: hub)
            for (name, status) in [("bob", 500), ("ann", 200), ("bob", 500)] {
                let path = WireProtocol.recordPath("channelMember", "general%2F" + name)
                let found = try await hub.client.get(path)
                #expect(found.status == status, "\(name): \(found.text)")
            }
            let reports = hub.log.lines.filter { $0.contains("record without fields") }
            #expect(reports.count == 1)
            #expect(reports.first?.contains("general/bob") == true)
            #expect(try hub.storage.damagedRowCount == 1)
        }
    }

    /// A channel whose members are not known is not removed, and the command ends.
    @Test func aChannelWithADamagedMemberStays() async throws {
        try await HubFixture.running { hub in
            let empty = try #require(ChannelID("empty"))
            _ = try await hub.hub.administration.addChannel(empty, owner: UserID("me"))
            try await damage(
                "UPDATE record SET value = '{' WHERE kind = 'channelMember' AND id = 'empty/me'", in: hub)
            let error = await #expect(throws: HubError.self) {
                try await hub.hub.administration.removeChannel(empty)
            }
            guard case .refused(let problem) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(problem.code == "membersUnknown")
            #expect(try await hub.channel("empty").memberCount == 1)
        }
    }

    @Test func anAccountIsLeftOut() async throws {
        try await HubFixture.running { hub in
            for name in ["ann", "bob"] { _ = try await hub.client(of: name) }
            try await damage("UPDATE account SET name = 'a b' WHERE name = 'ann'", in: hub)
            let names = try await hub.storage.accounts().map(\.user.value)
            #expect(names == ["bob", "me"])
        }
    }
}
