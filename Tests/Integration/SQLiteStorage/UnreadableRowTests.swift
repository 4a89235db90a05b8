import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import GRDB
import Testing

/// An unreadable row blocks neither the outbox nor its channel, and can itself be deleted.
struct UnreadableRowTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder(.memory)
        path = folder.fresh()
    }

    @Test(arguments: [
        "content = '{\"v\":1'", "content = 'no'",
        "channel = ''", "sender = 'a b'", "id = x'01'", "role = 99", "role = 2",
        "history = 'yesterday'", "extras = '['", "shown = '{}'", "failure = '?'", "sync_state = 77",
    ])
    func isListedGivenUpAndDeleted(_ damage: String) async throws {
        var store = try await SQLiteStore.open(at: path, durability: .normal)
        _ = try await store.start(Sample.opening())
        for number in 0..<5 { _ = try await store.enqueue(Sample.draft(number)) }
        await store.close()
        let queue = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        try await queue.write { try $0.execute(sql: "UPDATE message SET \(damage) WHERE ordinal = 3") }
        try queue.close()

        store = try await SQLiteStore.open(at: path, durability: .normal)
        let snapshot = try await store.start(Sample.opening())
        let isFailed = damage.hasPrefix("sync_state")
        #expect(snapshot.entries.map(\.sequence) == (isFailed ? [1, 2, 4, 5] : [1, 2, 3, 4, 5]))
        let found = try await store.page(MessageQuery(scope: .undelivered)).messages
        #expect(found.map(\.ordinal) == [1, 2, 3, 4, 5])
        let general = try #require(ChannelID("general"))
        let list = try await store.page(MessageQuery(scope: .channel(general))).messages.map(\.ordinal)
        #expect(list.filter { $0 != 3 } == [1, 2, 4, 5])
        let bad = try #require(found.first { $0.ordinal == 3 })
        if !isFailed {
            #expect(bad.failure?.code == "unreadable")
            #expect(try await store.messages([bad.id]).map(\.ordinal) == [3])
            let failure = Failure(
                reason: .unsendable, code: "", detail: "damaged", at: Timestamp(milliseconds: 1))
            try await store.commit([.fail(bad.id, failure, inDoubt: false)])
            #expect(try await store.message(bad.id)?.failure == failure)
        }
        #expect(try await store.page(MessageQuery(scope: .failed(in: nil))).messages.map(\.id) == [bad.id])
        #expect(try await store.counts().error == 1)
        for message in found where message.ordinal != 3 {
            let serverPosition = ServerPosition(position: message.ordinal, acceptedAt: Timestamp(milliseconds: 9))
            try await store.commit([.deliver(message.id, serverPosition, at: serverPosition.acceptedAt)])
        }
        try await store.commit([.delete(bad.id)])
        #expect(try await store.message(bad.id) == nil)
        #expect(try await store.counts() == StoreCounts())
        // The substitute for an unreadable id refers to no other row.
        #expect(try await store.message(MessageID(UUIDv7(high: 0, low: 1))) == nil)
        await store.close()
    }

    @Test(arguments: [
        "content = 'no'", "channel = ''", "id = x'01'", "kind = 99", "kind = 0", "target = NULL",
        "history = 'yesterday'",
        "failure = '?'", "sync_state = 77",
    ])
    func anOperationIsListedAndDeleted(_ damage: String) async throws {
        var store = try await SQLiteStore.open(at: path, durability: .normal)
        _ = try await store.start(Sample.opening())
        _ = try await store.enqueue(Sample.draft(1))
        let position = ServerPosition(position: 1, acceptedAt: Timestamp(milliseconds: 9))
        try await store.commit([.deliver(Sample.id(1), position, at: position.acceptedAt)])
        var draft = OperationDraft(try Sample.draft(2))
        draft.payload = .edit(Sample.id(1), .text("edited"))
        draft.lane = .operations
        try await store.commit([.enqueue(draft)])
        await store.close()
        let queue = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        try await queue.write { try $0.execute(sql: "UPDATE operation SET \(damage)") }
        try queue.close()

        store = try await SQLiteStore.open(at: path, durability: .normal)
        _ = try await store.start(Sample.opening())
        let query = OperationQuery(scope: .undelivered(in: nil))
        let bad = try #require(try await store.operations(query).operations.first)
        if !damage.hasPrefix("sync_state") { #expect(bad.failure?.code == "unreadable") }
        #expect(try await store.operation(bad.id)?.ordinal == bad.ordinal)
        #expect(try await store.page(MessageQuery(scope: .undelivered)).messages.isEmpty)
        try await store.commit([.delete(bad.id)])
        #expect(try await store.operations(query).operations.isEmpty)
        #expect(try await store.counts() == StoreCounts())
        await store.close()
    }

    @Test func aLinkOrADeletionThatCannotBeReadHidesNoOther() async throws {
        var store = try await SQLiteStore.open(at: path, durability: .normal)
        _ = try await store.start(Sample.opening())
        let channel = try #require(ChannelID("general"))
        for number in 1...3 {
            let id = Sample.id(number)
            try await store.commit([
                .appendDelete(id, lane: .text),
                .recordDelete(
                    DeleteAction(
                        at: Timestamp(milliseconds: 1), by: .api, message: id, channel: channel, type: .text,
                        syncState: .synced, lastFailure: nil)),
            ])
        }
        await store.close()
        let queue = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        try await queue.write { db in
            try db.execute(sql: "UPDATE control SET kind = 900 WHERE sequence = 3")
            try db.execute(sql: "UPDATE delete_action SET action = '{' WHERE sequence = 4")
            try db.execute(sql: "UPDATE store SET session = '{'")
        }
        try queue.close()
        store = try await SQLiteStore.open(at: path, durability: .normal)
        #expect(try await store.start(Sample.opening()).entries.map(\.message) == [Sample.id(1), Sample.id(3)])
        #expect(try await store.deleteActions(before: nil, limit: 9).map(\.message) == [Sample.id(3), Sample.id(1)])
        #expect(try await store.session() == nil)
        await store.close()
    }
}
