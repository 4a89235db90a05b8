import Causeway
import CausewayModels
import CausewayStorage
import CausewaySync
import CausewayTransport
import Synchronization
import Testing

/// Operations that are sent from memory, and those that are read from the store.
@Suite struct QueuedOperationCacheTests {
    private func message(_ number: Int64, _ text: String = "hi") throws -> Message {
        Message(
            id: MessageID(UUIDv7(high: 1, low: UInt64(number))), channel: try #require(ChannelID("general")),
            sender: try #require(UserID("ann")), displayed: MessageBody(content: .text(text)),
            createdAt: Timestamp(milliseconds: 0), ordinal: number, lane: LaneID(rawValue: "text/general"),
            laneSequence: number)
    }

    private func created(_ messages: [Message], bytes: Int = 10) -> StoreCommit {
        StoreCommit(version: 1, changes: messages.map { .message(before: nil, after: $0, bytes: bytes) })
    }

    private func changed(_ before: Message, to after: Message?) -> StoreCommit {
        StoreCommit(version: 2, changes: [.message(before: before, after: after, bytes: 10)])
    }

    @Test func whatWasCreatedIsFound() throws {
        let cache = QueuedOperationCache(countMax: 10, bytesMax: 1000)
        let (first, second) = (try message(1), try message(2))
        cache.note(created([first]))
        #expect(cache.find([first.id, second.id]) == [first.id: QueuedOperation(creating: first)])
    }

    @Test func theProgressOfADeliveryForgetsNothing() throws {
        let cache = QueuedOperationCache(countMax: 10, bytesMax: 1000)
        let message = try message(1)
        cache.note(created([message]))
        var attempted = message
        attempted.delivery.attempts = 1
        cache.note(changed(message, to: attempted))
        #expect(cache.find([message.id]).count == 1)
    }

    @Test func whatWasChangedDeletedDeliveredOrFailedIsForgotten() throws {
        let message = try message(1)
        var delivered = message
        delivered.delivery.syncState = .synced
        var failed = message
        failed.delivery.syncState = .error
        for after in [try self.message(1, "another text"), nil, delivered, failed] {
            let cache = QueuedOperationCache(countMax: 10, bytesMax: 1000)
            cache.note(created([message]))
            cache.note(changed(message, to: after))
            #expect(cache.find([message.id]).isEmpty)
        }
    }

    @Test func aResetForgetsEverything() throws {
        let cache = QueuedOperationCache(countMax: 10, bytesMax: 1000)
        let message = try message(1)
        cache.note(created([message]))
        cache.note(StoreCommit(version: 2, changes: [], isReset: true))
        #expect(cache.find([message.id]).isEmpty)
    }

    @Test func receivedMessagesAreNotKept() throws {
        let cache = QueuedOperationCache(countMax: 10, bytesMax: 1000)
        var received = try message(1)
        received.delivery.syncState = .synced
        cache.note(created([received]))
        #expect(cache.find([received.id]).isEmpty)
    }

    @Test func aFullCacheKeepsTheOldest() throws {
        let messages = try (1...5).map { try message($0) }
        let byCount = QueuedOperationCache(countMax: 2, bytesMax: 1000)
        byCount.note(created(messages))
        #expect(Set(byCount.find(messages.map(\.id)).keys) == Set(messages.prefix(2).map(\.id)))
        let byBytes = QueuedOperationCache(countMax: 100, bytesMax: 35)
        for message in messages { byBytes.note(created([message])) }
        #expect(Set(byBytes.find(messages.map(\.id)).keys) == Set(messages.prefix(3).map(\.id)))
    }

    @Test func whatLeavesMakesRoom() throws {
        let (first, second, third) = (try message(1), try message(2), try message(3))
        for cache in [
            QueuedOperationCache(countMax: 1, bytesMax: 1000), QueuedOperationCache(countMax: 100, bytesMax: 10),
        ] {
            cache.note(created([first, second]))
            cache.note(changed(first, to: nil))
            cache.note(changed(second, to: nil))
            cache.note(created([third]))
            #expect(cache.find([first.id, second.id, third.id]) == [third.id: QueuedOperation(creating: third)])
        }
    }

    @Test func anOperationBeyondTheLimitIsNotKept() throws {
        let cache = QueuedOperationCache(countMax: 10, bytesMax: 1000)
        let (large, small) = (try message(1), try message(2))
        cache.note(created([large], bytes: 1001))
        cache.note(created([small], bytes: 1000))
        #expect(cache.find([large.id, small.id]) == [small.id: QueuedOperation(creating: small)])
    }

    @Test func sendingReadsNothingBack() throws {
        try ClientWorld.run(operationsMax: 1) { world in
            let store = FailingStore()
            let client = try await world.open(on: store)
            try await world.login(client)
            try await client.pause()
            for number in 1...3 { _ = try await client.messages.createTextMessage("\(number)", in: world.general) }
            let read = store.contentsRead
            let committed = store.commits
            try await client.resume()
            try await world.until("all are synced") { try await client.status().counts.undelivered == 0 }
            #expect(store.contentsRead == read)
            // The first batch begins; each result begins the next one.
            #expect(store.commits - committed == 4)
        }
    }

    @Test func anotherRunOfTheProcessReadsThemFromTheStore() throws {
        try ClientWorld.run { world in
            var configuration = ClientConfiguration()
            configuration.restart = .resume
            let store = FailingStore()
            let client = try await world.open(on: store, configuration)
            try await world.login(client)
            try await client.pause()
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            await client.close()
            let next = try await world.open(on: FailingStore(base: store.base.crashed()), configuration)
            try await world.until("it is synced") { try await next.status().counts.undelivered == 0 }
            #expect(world.transport.server.withLock { $0.order } == [handle.id])
        }
    }
}
