import CausewayHub
import CausewayModels
import CausewayTestSupport
import CausewayWire
import GRDB
import NIOHTTP1
import Testing

/// Replies, edits and reactions over real HTTP.
@Suite struct OperationTests {
    @Test(arguments: HubFixture.StorageKind.allCases)
    func anEditIsDoneOnceAndItsRepeatIsAnsweredWithTheStoredResult(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1)]))
            let edit = change(.edit, 1, after: 0, 100, on: 1)
            let lane = LaneID(rawValue: "operations")
            let first = try await hub.client.report(delivery([edit], lane: lane))
            #expect(first.kinds == [.accepted])
            _ = try await hub.client.report(delivery([change(.edit, 2, 101, on: 1)], lane: lane))
            // A late copy changes nothing.
            #expect(try await hub.client.report(delivery([edit], lane: lane)).results == first.results)
            let shown = try #require(try await hub.client.messages().first)
            #expect(shown.content == .text("message 101"))
            let edited = try #require(shown.editedAt)
            #expect(try edited > #require(first.results[0].acceptedAt))
            // An operation that never arrived is fenced, an applied one is known.
            let questions = [fence(3, after: 2, 101), fence(4, after: 3, 102)]
            #expect(try await hub.client.report(delivery(questions, lane: lane)).kinds == [.accepted, .fenced])
        }
    }

    /// A late copy of an edit that failed and was deleted: the fence that barred it may be lost with the hub's data.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func anOperationThatWasDeletedBeforeItArrivedIsRefused(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1), delete(2, 100), delete(3, 101)]))
            let lane = LaneID(rawValue: "operations")
            let changes = [
                change(.edit, 1, after: 0, 100, on: 1), change(.addReaction, 2, 101, on: 1),
                change(.addReaction, 3, 102, on: 1),
            ]
            let report = try await hub.client.report(delivery(changes, outbox: 2, lane: lane))
            #expect(report.kinds == [.refused, .refused, .accepted])
            #expect(report.results.map(\.code) == ["operationDeleted", "operationDeleted", nil])
            #expect(try await hub.client.messages().map(\.content) == [.text("message 1")])
            // For another account the ids are free.
            let other = try await hub.client(of: "other")
            let its = try await other.report(delivery([change(.addReaction, 1, after: 0, 101, on: 1)], outbox: 3))
            #expect(its.kinds == [.accepted])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func nobodyChangesWhatIsNotTheirs(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1), send(2), delete(3, 2)]))
            let other = try await hub.client(of: "other")
            let report = try await other.report(
                delivery(
                    [
                        change(.edit, 1, after: 0, 100, on: 1), change(.edit, 2, 101, on: 2),
                        change(.edit, 3, 102, on: 50), change(.addReaction, 4, 103, on: 1),
                    ], outbox: 2))
            #expect(report.results.map(\.kind) == [.refused, .refused, .unrelated, .accepted])
            #expect(report.results.map(\.code) == ["notYours", "messageDeleted", nil, nil])
            #expect(try await hub.client.messages().first?.content == .text("message 1"))
            #expect(try await hub.client.messages().first?.reactions == ["+1": 1])
            #expect(try await hub.client.messages().first?.myReactions == nil)
            #expect(try await other.messages().first?.myReactions == ["+1"])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aReplyNeedsItsMessage(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let batch = delivery([send(1, parent: 9), send(2), send(3, parent: 2), delete(4, 2), send(5, parent: 2)])
            let report = try await hub.client.report(batch)
            #expect(report.kinds == [.unrelated, .accepted, .accepted, .deleted, .accepted])
            #expect(report.mark == 5)
            #expect(try await hub.client.messages().map(\.parent) == [id(2), id(2)])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func anEditCannotChangeTheType(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            var edit = change(.edit, 2, 100, on: 1)
            edit.content = .custom(.object([:]))
            let report = try await hub.client.report(delivery([send(1), edit]))
            #expect(report.results[1].code == "typeDiffers")
            var empty = change(.edit, 3, after: 2, 101, on: 1)
            empty.content = .text("")
            var nameless = change(.addReaction, 4, 102, on: 1)
            nameless.reaction = ""
            let invalid = try await hub.client.report(delivery([empty, nameless]))
            #expect(invalid.results.map(\.code) == ["contentInvalid", "reactionInvalid"])
        }
    }

    @Test func reactionsAreBoundedAndGoWithTheirMessage() async throws {
        try await HubFixture.running { hub in
            var operations = [send(1)]
            for number in 2...66 {
                var reaction = change(.addReaction, Int64(number), UInt64(100 + number), on: 1)
                reaction.reaction = "r\(number)"
                operations.append(reaction)
            }
            let report = try await hub.client.report(delivery(operations))
            #expect(report.results.last?.code == "tooManyReactions")
            #expect(try await hub.client.messages().first?.reactions?.count == 64)
            _ = try await hub.client.report(delivery([delete(67, 1)]))
            let database = try hub.folder.openDatabase()
            let left = try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reaction") }
            #expect(left == 0)
        }
    }

    /// The databases of hubs of the first version.
    @Test func aHubOfTheFirstLayoutGoesOn() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        try await HubFixture.running(folder) { hub in _ = try await hub.client.report(delivery([send(1)])) }
        let database = try folder.openDatabase()
        try await database.write { db in
            try db.execute(
                sql: """
                    DROP TABLE operation;
                    DROP TABLE reaction;
                    DROP INDEX message_reply;
                    DROP INDEX message_type;
                    ALTER TABLE message DROP COLUMN type;
                    ALTER TABLE message DROP COLUMN parent;
                    ALTER TABLE message DROP COLUMN edited_at;
                    ALTER TABLE message DROP COLUMN changed_at;
                    DELETE FROM grdb_migrations WHERE identifier LIKE '2%' OR identifier LIKE '12%';
                    """)
        }
        try database.close()
        try await HubFixture.running(folder) { hub in
            let report = try await hub.client.report(delivery([change(.edit, 2, 100, on: 1), send(3, parent: 1)]))
            #expect(report.kinds == [.accepted, .accepted])
            #expect(try await hub.client.messages().map(\.content) == [.text("message 100"), .text("message 3")])
        }
    }
}
