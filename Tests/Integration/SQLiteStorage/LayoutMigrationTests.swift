import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import GRDB
import Testing

/// Stores of earlier layouts with something in every state, as the program of that time wrote them.
struct LayoutMigrationTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder(.memory)
        path = folder.fresh()
    }

    private func write(_ scripts: [String]) async throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let queue = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        try await queue.writeWithoutTransaction { db in
            for script in scripts { try db.execute(sql: script) }
        }
        try queue.close()
    }

    /// Layout 7 moved the operations to a table of their own.
    @Test(arguments: [6, 7]) func aFullOutboxContinuesAsItWas(_ layout: Int) async throws {
        try await write([layout == 6 ? Layout6.sql : Layout7.sql])
        let store = try await SQLiteStore.open(at: path, durability: .full)
        let snapshot = try await store.start(Sample.opening())
        let entries = snapshot.entries.map { entry in
            "\(entry.kind) \(entry.message.value.low & 0xFF) \(entry.lane) \(entry.sequence)"
                + " \(entry.previous.map(String.init) ?? "-") \(entry.attempts) \(entry.bytes)"
                + " \(entry.queuedAt.milliseconds) \(entry.isOperation)"
        }
        #expect(entries == Layout6.entries)
        #expect(try await store.counts() == Layout6.counts)
        let ids = (1...14).map { Sample.id($0) }
        let messages = try await store.messages(ids)
        let shown = messages.map { message in
            "\(message.id.value.low & 0xFF) \(message.syncState) \(message.laneSequence) \(message.content)"
                + " \(message.isInDoubt) \(message.failure?.code ?? "-") \(message.history.map { "\($0.state)" })"
                + " \(message.reactions.sorted { $0.key < $1.key })"
        }
        #expect(shown == Layout6.messages)
        let operations = try await store.operations(ids).filter { !$0.createsMessage }
        let listed = operations.map { operation in
            "\(operation.id.value.low & 0xFF) \(operation.payload.name) \(operation.syncState)"
                + " \(operation.laneSequence)"
                + " \(operation.content) \(operation.isInDoubt) \(operation.failure?.code ?? "-")"
                + " \(operation.history.map { "\($0.state)" }) of \((operation.target?.value.low ?? 0) & 0xFF)"
        }
        #expect(listed == Layout6.operations)
        #expect(try await store.message(Sample.id(7))?.content == .text("edited"))
        #expect(try await store.message(Sample.id(6)) == nil)
        // Edits and reactions were not told apart from messages.
        let deletions = try await store.deleteActions(before: nil, limit: 9)
        #expect(deletions.map(\.message) == [Sample.id(6)])
        #expect(deletions.map(\.kind) == [.message] && deletions.map(\.target) == [nil])
        #expect(try await store.page(MessageQuery(scope: .failed(in: nil))).messages.count == 2)
        #expect(
            try await store.operations(OperationQuery(scope: .failed(in: nil))).operations.count == 4)
        try await deliverEverything(store)
        await store.close()
    }

    /// Parked operations are released by the delivery of their message, and an edit takes effect once it is accepted.
    private func deliverEverything(_ store: SQLiteStore) async throws {
        let time = Timestamp(milliseconds: 1_700_000_001_000)
        let place = ServerPosition(position: 9, acceptedAt: time)
        try await store.commit([.deliver(Sample.id(1), place, at: time)])
        let edit = try #require(try await store.operation(Sample.id(12)))
        #expect(!edit.isParked && edit.queuedAt == time)
        #expect(try #require(try await store.operation(Sample.id(2))).isParked == false)
        try await store.commit([
            .deliver(Sample.id(9), place, at: time), .deliver(Sample.id(12), place, at: time),
        ])
        #expect(try await store.message(Sample.id(7))?.confirmed?.content == .text("edited"))
        #expect(try await store.message(Sample.id(1))?.content == .text("queued, edited"))
        #expect(try await store.operations([Sample.id(9), Sample.id(12)]).isEmpty)
        try await store.commit([.resend(Sample.id(11), at: time), .resend(Sample.id(4), at: time)])
        #expect(try await store.message(Sample.id(8))?.myReactions == [])
        #expect(try #require(try await store.operation(Sample.id(14))).isParked)
    }

    /// A store of the layout before the server had events: what it holds is kept, and a cursor finds room.
    @Test func aStoreOfLayout8GetsAnEventCursor() async throws {
        try await write([Layout8.sql])
        var store = try await SQLiteStore.open(at: path, durability: .full)
        let snapshot = try await store.start(Sample.opening())
        #expect(snapshot.eventCursor == nil)
        #expect(snapshot.history?.commit == 7)
        #expect(snapshot.entries.map(\.message) == [Sample.id(3)])
        #expect(try await store.message(Sample.id(7))?.syncState == .synced)
        #expect(try await store.record("channel", "general")?.version == 5)
        let cursor = try #require(EventCursor(rawValue: "log.9"))
        try await store.commit([.setEventCursor(cursor)])
        await store.close()
        store = try await SQLiteStore.open(at: path, durability: .full)
        #expect(try await store.start(Sample.opening()).eventCursor == cursor)
        await store.close()
    }

    /// A store of the layout before attachments were uploaded: each undelivered one is uploaded now.
    @Test func theAttachmentsOfLayout9AreUploaded() async throws {
        try await write([Layout9.sql])
        var store = try await SQLiteStore.open(at: path, durability: .full)
        let snapshot = try await store.start(Sample.opening())
        #expect(snapshot.entries.map(\.message) == [2, 3, 4, 6, 7].map { Sample.id($0) })
        #expect(snapshot.entries.map { $0.upload?.total } == [1002, 1003, 1004, nil, nil])
        #expect(snapshot.entries.allSatisfy { $0.upload?.isPending != false })
        #expect(snapshot.entries.map(\.previous) == [nil, nil, 1, nil, nil])
        let messages = try await store.messages((1...7).map { Sample.id($0) })
        #expect(messages.map(\.syncState) == [.synced, .created, .created, .created, .error, .created, .created])
        #expect(messages.map { $0.upload?.total } == [nil, 1002, 1003, 1004, 1005, nil, nil])
        #expect(messages[5].content == .text("\"attachment\" in words"))
        let time = Timestamp(milliseconds: 1_700_000_000_100)
        try await store.commit([
            .upload(Sample.id(2), .begin(attempts: 1), at: time),
            .upload(Sample.id(2), .open(session: "/uploads/2"), at: time),
            .upload(Sample.id(3), .complete(receipt: "three"), at: time),
        ])
        await store.close()
        store = try await SQLiteStore.open(at: path, durability: .full)
        let entries = try await store.start(Sample.opening()).entries
        #expect(entries[0].upload?.state == .pending(session: "/uploads/2", attempts: 1))
        #expect(entries[1].upload?.state == .complete(receipt: "three"))
        await store.close()
    }

    /// Operations of layouts without accounts.
    @Test(arguments: [2, 3, 4, 5]) func operationsOfEarlierLayoutsAreKept(_ layout: Int) async throws {
        let sql = [2: Layout2.sql, 3: Layout3.sql, 4: Layout4.sql, 5: Layout5.sql][layout] ?? ""
        try await write([sql, EarlierOperations.sql])
        let store = try await SQLiteStore.open(at: path, durability: .full)
        let snapshot = try await store.start(Sample.opening())
        let found = try await store.operations(OperationQuery(scope: .undelivered(in: nil))).operations
        let listed = found.filter { !$0.createsMessage }.map { operation in
            "\(operation.ordinal) \(operation.payload.name) \(operation.syncState) \(operation.laneSequence)"
                + " \(operation.content) \(operation.isInDoubt) \(operation.failure?.code ?? "-")"
        }
        #expect(listed == EarlierOperations.expected)
        #expect(snapshot.entries.filter(\.isOperation).map(\.sequence) == [60, 61])
        let messages = try await store.page(MessageQuery(scope: .undelivered)).messages
        #expect(messages.allSatisfy { $0.ordinal < 60 })
        await store.close()
    }
}
