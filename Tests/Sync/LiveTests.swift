import Causeway
import CausewayLive
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import Synchronization
import Testing

/// Live collections of a whole client. On the main thread, so that a story may make what belongs to the main actor.
@MainActor struct LiveTests {
    @Test func theStoryOfAMessageIsOfOneIdentity() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let changes = onMain { client.messages.liveMessages(in: world.general).changes }
            let told = Mutex<[LiveCollectionChange<Message>]>([])
            let task = world.runtime.spawn {
                for await change in changes { told.withLock { $0.append(change) } }
            }
            await world.pass(.milliseconds(1))
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            _ = try await handle.delivered()
            await world.pass(.milliseconds(1))
            let data = told.withLock { $0 }.filter { !$0.isDataUnchanged }
            #expect(data.first?.insertions == [0])
            #expect(data.dropFirst().allSatisfy { $0.modifications == [0] && $0.insertions.isEmpty })
            #expect(data.last?.snapshot.map(\.id) == [handle.id])
            #expect(data.last?.snapshot.first?.syncState == .synced)
            #expect(told.withLock { $0.last?.dataStatus } == .fresh)
            task.cancel()
            await task.finished()
            await client.close()
        }
    }

    @Test func theServersPageIsMergedAndShown() throws {
        try ClientWorld.run { world in
            let sender = try #require(UserID("grace"))
            world.transport.server.withLock { server in
                server.page = (1...3).map { number in
                    PlacedMessage(
                        id: MessageID(world.runtime.makeUUIDv7()), channel: world.general, sender: sender,
                        content: .text("\(number)"), createdAt: world.runtime.wallClock,
                        placement: Placement(position: Int64(number), acceptedAt: world.runtime.wallClock))
                }
            }
            let client = try await world.loggedIn()
            let changes = onMain { client.messages.liveMessages(in: world.general).changes }.makeAsyncIterator()
            var last: LiveCollectionChange<Message>?
            while last?.loadingStatus != .loaded { last = await changes.next() }
            #expect(last?.dataStatus == .fresh)
            #expect(last?.snapshot.map(\.content) == [.text("1"), .text("2"), .text("3")])
            await client.close()
        }
    }

    @Test func withoutASessionWhatIsStoredIsShown() throws {
        try ClientWorld.run { world in
            let client = try await world.open()
            let changes = onMain { client.messages.liveMessages(in: world.general).changes }.makeAsyncIterator()
            var last: LiveCollectionChange<Message>?
            while last?.loadingStatus != .error { last = await changes.next() }
            #expect(last?.error as? SyncError == .noSession)
            await client.close()
        }
    }
}

/// Runs `body` as the main actor, which the calling thread is.
private func onMain<Value: Sendable>(_ body: @MainActor () throws -> Value) rethrows -> Value {
    try MainActor.assumeIsolated(body)
}
