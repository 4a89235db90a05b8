import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import Testing

/// The index in memory: small, and the same however it came about.
struct IndexTests {
    private static let count = 20_000

    private func remote(_ number: Int) -> RemoteMessage {
        RemoteMessage(
            id: History.id(number), channel: History.channel, sender: History.user,
            body: MessageBody(content: .text("number \(number)")), createdAt: History.time,
            serverPosition: ServerPosition(position: Int64(number + 1), acceptedAt: History.time))
    }

    @Test func aMessageCostsAtMost96Bytes() async throws {
        let disk = FaultyDisk()
        var store = try await FileStore.open(on: disk, durability: .normal)
        _ = try await store.start(History.options)
        for start in stride(from: 0, to: Self.count, by: 1000) {
            try await store.commit((start..<start + 1000).map { .merge(remote($0), at: History.time) })
        }
        #expect(try store.indexBytes <= 96 * Self.count)
        try await store.maintain(.snapshot)
        await store.close()
        store = try await FileStore.open(on: disk, durability: .normal)
        #expect(store.recovery.frames <= 1)
        _ = try await store.start(History.options)
        #expect(try store.indexBytes <= 96 * Self.count)
        let page = try await store.page(
            MessageQuery(
                scope: .channel(History.channel), direction: .descending,
                after: MessageQuery.Cursor(position: 5_001, ordinal: .min), limit: 3))
        #expect(page.messages.map(\.id) == [5_000, 4_999, 4_998].map { History.id($0 - 1) })
        await store.close()
    }

    /// A queued message is also in four orders of creation, 16 bytes each, and known by its sequence.
    @Test func aQueuedMessageCostsAtMost112BytesMore() async throws {
        let store = try await FileStore.open(
            on: FaultyDisk(), durability: .normal,
            options: FileOptions(bounds: OutboxBounds(messagesMax: Self.count, bytesMax: 1 << 30)))
        _ = try await store.start(History.options)
        for start in stride(from: 0, to: Self.count, by: 1000) {
            try await store.commit((start..<start + 1000).map { .merge(remote($0), at: History.time) })
        }
        let (synced, queued) = (try store.indexBytes, Self.count / 10)
        try await store.commit(
            (0..<queued).map { .enqueue(OperationDraft(History.draft(Self.count + $0))) })
        let more = try store.indexBytes - synced
        #expect(more <= (96 + 112) * queued, "\(more / queued) bytes")
        // Four keys of 16 bytes, one of 8, and 16 of a dictionary, beside the entry.
        #expect(more >= (53 + 4 * 16 + 8 + 16) * queued, "\(more / queued) bytes")
        print("file store: \(more / queued) bytes of the index for a queued message")
        await store.close()
    }

    /// A walk over a part of the outbox looks behind any number of items that are not in the part.
    @Test func aWalkReachesPendingMessagesBehindManyFailedOnes() async throws {
        let (failed, pending) = (300, 3)
        let disk = FaultyDisk()
        var store = try await FileStore.open(on: disk, durability: .normal)
        _ = try await store.start(History.options)
        for number in 0..<failed + pending { _ = try await store.enqueue(History.draft(number)) }
        let failure = History.options.failure
        try await store.commit((0..<failed).map { .fail(History.id($0), failure, inDoubt: false) })
        await store.close()
        store = try await FileStore.open(on: disk, durability: .normal)
        var options = History.options
        options.restart = .fail
        #expect(try await store.start(options).entries.isEmpty)
        let last = try await store.messages((failed..<failed + pending).map { History.id($0) })
        #expect(last.map(\.syncState) == Array(repeating: .error, count: pending))
        await store.close()
    }

    /// Removed messages free their place in the index.
    @Test func messagesLeaveNothingBehind() async throws {
        let store = try await FileStore.open(on: FaultyDisk(), durability: .normal)
        _ = try await store.start(History.options)
        for round in 0..<20 {
            try await store.commit((0..<500).map { .merge(remote(round * 500 + $0), at: History.time) })
            try await store.commit((0..<500).map { .delete(History.id(round * 500 + $0)) })
        }
        // The slots of the first round serve all others.
        #expect(try store.indexBytes <= 96 * 1500)
        await store.close()
    }
}
