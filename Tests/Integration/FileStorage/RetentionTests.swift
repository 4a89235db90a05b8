import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import CausewayTestSupport
import Foundation
import Testing

/// Dropped messages give back their room, and what the outbox refers to stays.
struct RetentionTests {
    private func session() -> Session {
        Session(
            id: SessionID(History.id(9_999).value), server: "https://chat.example", user: History.user,
            startedAt: History.time)
    }

    private func remote(_ number: Int) -> RemoteMessage {
        RemoteMessage(
            id: History.id(number), channel: History.channel, sender: History.user,
            body: MessageBody(content: .text(String(repeating: "x", count: 500))), createdAt: History.time,
            serverPosition: ServerPosition(position: Int64(number + 1), acceptedAt: History.time))
    }

    @Test func theJournalShrinks() async throws {
        let path = try TemporaryFolder(.memory).fresh()
        let store = try await FileStore.open(
            at: path, durability: .normal, options: FileOptions(compactionBytesMin: 100_000))
        _ = try await store.start(History.options)
        try await store.commit([.saveSession(session())])
        for first in stride(from: 0, to: 1000, by: 100) {
            try await store.commit((first..<first + 100).map { .merge(remote($0), at: History.time) })
        }
        let before = try await store.bytesOnDisk()
        for first in stride(from: 0, to: 900, by: 100) {
            let ids = (first..<first + 100).map { History.id($0) }
            try await store.commit([.prune(ids, of: session().account)], durability: .normal)
        }
        try await Eventually.holds("the journal is compacted") { try await store.bytesOnDisk() < before / 3 }
        #expect(try await store.messages((0..<1000).map { History.id($0) }).count == 100)
        await store.close()
    }

    /// A snapshot of an earlier version says nothing about the parents of replies that are queued.
    @Test func theParentOfAReplyStaysAfterAnEarlierSnapshot() async throws {
        let disk = FaultyDisk()
        var store = try await FileStore.open(on: disk, durability: .normal)
        _ = try await store.start(History.options)
        try await store.commit([.saveSession(session())])
        try await store.commit((0..<3).map { .merge(remote($0), at: History.time) })
        var reply = History.draft(10)
        reply.parent = History.id(1)
        _ = try await store.enqueue(reply)
        _ = try await store.enqueue(History.draft(11))
        try await store.maintain(.snapshot)
        await store.close()
        for isEarlier in [false, true] {
            if isEarlier { disk["snapshot"] = try Self.earlier(try #require(disk["snapshot"])) }
            store = try await FileStore.open(on: disk, durability: .normal)
            #expect(store.recovery.hasSnapshot)
            _ = try await store.start(History.options)
            try await store.commit([.prune((0..<20).map { History.id($0) }, of: session().account)])
            let page = try await store.page(MessageQuery(scope: .channel(History.channel)))
            #expect(page.messages.map(\.id) == [1, 10, 11].map { History.id($0) }, "\(isEarlier)")
            try await store.commit([0, 2].map { .merge(remote($0), at: History.time) })
            await store.close()
        }
    }

    /// The snapshot without the field that says that relations are complete, and without relations: as it was written
    /// before there were any of replies.
    private static func earlier(_ snapshot: [UInt8]) throws -> [UInt8] {
        var payload: [UInt8] = []
        var offset = 48
        while offset < snapshot.count {
            let length = (0..<4).reduce(0) { $0 | Int(snapshot[offset + $1]) << ($1 * 8) }
            var body = Array(snapshot[offset + 8..<offset + 8 + length])
            offset += 8 + length
            if body[0] == 35 { continue }
            if body[0] == 32 {
                #expect(Array(body.suffix(2)) == [10, 2])
                body.removeLast(2)
            }
            payload += word(UInt32(body.count)) + word(CRC32C.checksum(of: body)) + body
        }
        var header = Array(snapshot.prefix(36)) + word(UInt32(payload.count)) + word(CRC32C.checksum(of: payload))
        header += word(CRC32C.checksum(of: header))
        return header + payload
    }

    private static func word(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
