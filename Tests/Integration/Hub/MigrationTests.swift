import CausewayHub
import CausewayHubRules
import CausewayHubSQLite
import CausewayHubStorage
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import Foundation
import GRDB
import Testing

/// Databases of earlier layouts.
@Suite struct MigrationTests {
    /// Opens the database of layout 8 in the present one.
    private static func opened(
        in folder: TemporaryFolder, _ more: String = ""
    ) async throws -> (SQLiteHubStorage, HubAdministration) {
        let path = folder.path + "/hub.sqlite"
        let old = try DatabaseQueue(path: path)
        try await old.write { db in try db.execute(sql: Layout8.sql + more) }
        try old.close()
        let storage = try SQLiteHubStorage(path: path)
        try await storage.beginOpening(Array(repeating: 1, count: 16))
        return (storage, HubAdministration(storage))
    }

    @Test func channelsBecomeRecordsAndTheirWritersMembers() async throws {
        let folder = try TemporaryFolder()
        let (storage, hub) = try await Self.opened(in: folder)
        let channels = try await hub.channels()
        #expect(channels.map(\.id.value) == ["empty", "general", "own", "unused"])
        #expect(channels.map(\.createdBy?.value) == [nil, nil, "bob", "bob"])
        #expect(channels.map(\.lastPosition) == [0, 4, 2, 0])
        #expect(channels.map(\.messageCount) == [0, 3, 2, 0])
        #expect(channels.map(\.memberCount) == [0, 2, 2, 1])
        #expect(channels.allSatisfy { $0.isPublic && $0.version == 1 && $0.name == $0.id.value })
        let times = channels.map(\.lastActivityAt.milliseconds)
        #expect(times == [1_795_399_754_940, 1_795_399_756_740, 1_795_399_756_836, 1_795_399_756_592])
        let members = try await channels.asyncMap { try await hub.members(of: $0.id).map { "\($0.user) \($0.role)" } }
        #expect(members == [[], ["ann member", "bob member"], ["bob owner", "ann member"], ["bob owner"]])
        let bob = try #require(UserID("bob"))
        for (list, ids) in [
            (Channel.openToAll, ["empty", "general", "own", "unused"]), (Channel.created(by: bob), ["own", "unused"]),
            (ChannelMember.channels(of: bob), ["own/bob", "unused/bob", "general/bob"]),
        ] {
            let page = try await storage.records(in: list, .init(), limit: .init(count: 9, contentBytes: .max))
            #expect(page.rows.map(\.key.id) == ids)
        }
        // The entries are those that the records have now.
        for channel in channels {
            for member in try await hub.members(of: channel.id) {
                let entries = try await Self.entries(of: ChannelMember.kind, member.id.description, storage)
                #expect(entries == Set(member.entries))
            }
            #expect(try await Self.entries(of: Channel.kind, channel.id.value, storage) == Set(channel.entries))
        }
        storage.close()
    }

    private static func entries(
        of kind: RecordKind, _ id: String, _ storage: SQLiteHubStorage
    ) async throws -> Set<ListEntry> {
        try await storage.read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT name, scope, key FROM record_list WHERE kind = ? AND id = ?",
                arguments: [kind.value, id])
            return Set(
                rows.map { ListEntry($0["name"], scope: $0["scope"], key: ListKey(bytes: Array($0["key"] as Data))) })
        }
    }

    /// Also those that were deleted before pages listed them.
    @Test func deletedMessagesAreListedInTheirPlaces() async throws {
        let folder = try TemporaryFolder()
        let (storage, _) = try await Self.opened(in: folder)
        let page = try await storage.page(
            of: try #require(ChannelID("general")), .after(0), matching: MessageFilter(), includesDeleted: true,
            limit: .init(count: 9, contentBytes: .max), for: 1)
        #expect(page.messages.map(\.position) == [1, 2, 3, 4])
        let left = page.messages.filter { $0.deletion != nil }
        #expect(left.count == 1 && left.first?.content == "" && left.first?.deletion?.type == nil)
        storage.close()
    }

    @Test func positionsGoOnAndVersionsAreAboveTheFloor() async throws {
        let folder = try TemporaryFolder()
        let (storage, hub) = try await Self.opened(
            in: folder,
            """
            INSERT INTO history VALUES (2, randomblob(16), 8589934592, 0);
            UPDATE channel SET last_position = 8589934592;
            """)
        let id = try #require(ChannelID("general"))
        let general = try #require(try await hub.channel(id))
        #expect(general.version == (1 << 33) + 1 && general.lastPosition == 4)
        for (name, last) in [("general", Int64(1) << 33), ("empty", 1 << 33)] {
            let page = try await storage.page(
                of: try #require(ChannelID(name)), .newest, limit: .init(count: 9, contentBytes: .max), for: 1)
            #expect(page.lastPosition == last)
        }
        storage.close()
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
