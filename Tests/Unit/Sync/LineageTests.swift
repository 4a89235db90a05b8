import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Stores that were restored from a backup or copied: every copy continues, and nothing is lost, duplicated, wrongly
/// failed or out of order.
@Suite struct LineageTests {
    private static let resuming = {
        var configuration = ClientConfiguration()
        configuration.restart = .resume
        return configuration
    }()

    private func disconnect(_ world: ClientWorld, _ isDisconnected: Bool = true) {
        let away = TransportError.unreachable(detail: "no route")
        world.transport.server.withLock { server in
            server.always = isDisconnected ? .fail(away) : .work
            guard let user = UserID("ann") else { return }
            server.serverInfo =
                isDisconnected ? .failure(away) : .success(ServerInfo(user: user, server: "scripted"))
        }
    }

    private func create(_ texts: String..., by client: CausewayClient, _ world: ClientWorld) async throws
        -> [MessageID]
    {
        var ids: [MessageID] = []
        for text in texts { ids.append(try await client.messages.createTextMessage(text, in: world.general).id) }
        return ids
    }

    private func deliverAll(_ clients: CausewayClient..., in world: ClientWorld) async throws {
        for client in clients { await client.probeNow() }
        try await world.until("everything has ended") {
            for client in clients where try await client.status().counts.undelivered > 0 { return false }
            return true
        }
    }

    private func order(_ world: ClientWorld) -> [MessageID] { world.transport.server.withLock { $0.order } }

    private func copies(_ world: ClientWorld) -> Int {
        world.transport.server.withLock { $0.hub.accepted.values.map(\.copies).max() ?? 0 }
    }

    /// The backup's next numbers were used up by messages that it does not know.
    @Test(arguments: [1, 3, 5])
    func aRestoredStoreReusesNoSequence(lost: Int) throws {
        try ClientWorld.run { world in
            let first = try await world.loggedIn(Self.resuming)
            _ = try await create("a", by: first, world)
            try await deliverAll(first, in: world)
            await first.close()
            let backup = try world.store.crashedCopy()

            let second = try await world.open(on: world.store.crashedCopy(), Self.resuming)
            for number in 1...lost { _ = try await create("lost \(number)", by: second, world) }
            try await deliverAll(second, in: world)
            await second.close()

            disconnect(world)
            let restored = try await world.open(on: backup, Self.resuming)
            let ids = try await create("C0", "C1", "C2", "C3", by: restored, world)
            disconnect(world, false)
            try await deliverAll(restored, in: world)
            #expect(Array(order(world).suffix(4)) == ids)
            #expect(try await restored.status().counts.error == 0)
            #expect(try await restored.status().notices.map(\.kind) == [.storeCopied])
            await restored.close()
        }
    }

    /// The store changed without the engine, and its feed reported only a reset.
    @Test func aResetOfTheFeedIsReadAgain() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn(Self.resuming)
            disconnect(world)
            let ids = try await create("a", "b", by: client, world)
            let id = OutboxID(UUIDv7(high: 3, low: 3))
            try await world.store.commit([.forkOutbox(id, at: world.runtime.wallClock)])
            disconnect(world, false)
            try await deliverAll(client, in: world)
            #expect(order(world) == ids)
            let under = world.transport.server.withLock { $0.deliveries.suffix(1).map(\.delivery.outbox) }
            #expect(under == [id])
            let next = try await create("c", by: client, world)
            try await deliverAll(client, in: world)
            #expect(order(world) == ids + next)
            #expect(try await client.status().notices.isEmpty)
            await client.close()
        }
    }

    @Test func twoCopiesWithEqualEpochsBothGoOn() throws {
        try ClientWorld.run { world in
            let first = try await world.loggedIn(Self.resuming)
            disconnect(world)
            let shared = try await create("1", "2", by: first, world)
            await first.close()
            let left = try await world.open(on: world.store.crashedCopy(), Self.resuming)
            let right = try await world.open(on: world.store.crashedCopy(), Self.resuming)
            disconnect(world, false)
            var own: [[MessageID]] = [[], []]
            for round in 1...5 {
                own[0] += try await create("l\(round)", by: left, world)
                own[1] += try await create("r\(round)", by: right, world)
                await world.pass(.seconds(1))
            }
            try await deliverAll(left, right, in: world)
            let order = order(world)
            #expect(Array(order.prefix(2)) == shared)
            #expect(order.filter(own[0].contains) == own[0])
            #expect(order.filter(own[1].contains) == own[1])
            #expect(order.count == 12)
            #expect(copies(world) == 1)
            for client in [left, right] {
                #expect(try await client.status().counts.error == 0)
                #expect(try await client.status().actionRequired == nil)
            }
            await left.close()
            await right.close()
        }
    }

    /// The process that was copied continues, so both have the same previous opening.
    @Test func aCopyTakenWhileTheProgramRanIsNoticed() throws {
        try ClientWorld.run { world in
            let original = try await world.loggedIn(Self.resuming)
            _ = try await create("a", by: original, world)
            try await deliverAll(original, in: world)
            let copy = try world.store.crashedCopy()
            let ahead = try await create("b", "c", by: original, world)
            try await deliverAll(original, in: world)
            let other = try await world.open(on: copy, Self.resuming)
            let ids = try await create("x", "y", "z", by: other, world)
            try await deliverAll(other, in: world)
            let more = try await create("d", by: original, world)
            try await deliverAll(original, in: world)
            #expect(Array(order(world).dropFirst()) == ahead + ids + more)
            #expect(try await other.status().counts.error == 0)
            #expect(try await original.status().counts.error == 0)
            await original.close()
            await other.close()
        }
    }

    /// The server has applied both edits, and only the response to the first one is missing. Under another outbox id it
    /// would have a new number, with which it looks like the later one.
    @Test func anEditThatALaterOneReplacedEndsWithTheChangeOfTheOutboxID() throws {
        try ClientWorld.run(operationsMax: 1, inFlightMax: 4) { world in
            let original = try await world.loggedIn(Self.resuming)
            let id = try await create("one", by: original, world)[0]
            try await deliverAll(original, in: world)
            let copy = try world.store.crashedCopy()
            world.transport.server.withLock { server in
                server.behaviours = [.loseLate(.seconds(2)), .work]
                server.always = .fail(.inDoubt(detail: "cut off"))
            }
            for text in ["two", "three"] {
                try await original.messages.editTextMessage(id, to: text)
                try await world.until("it is on its way") {
                    world.transport.server.withLock { $0.behaviours.count == (text == "two" ? 1 : 0) }
                }
            }
            try await world.until("the second one is confirmed") {
                try await original.messages.dependants(of: id).count == 1
            }
            let first = try await original.messages.handle(
                ofOperation: #require(try await original.messages.dependants(of: id).first).id)
            try await original.pause()
            disconnect(world, false)
            let other = try await world.open(on: copy, Self.resuming)
            _ = try await create("by the copy", by: other, world)
            try await deliverAll(other, in: world)

            let (sent, former) = world.transport.server.withLock { server in
                (server.deliveries.count, server.deliveries.first?.delivery.outbox)
            }
            try await original.resume()
            _ = try await create("after it", by: original, world)
            try await deliverAll(original, in: world)
            #expect(try await original.status().notices.map(\.kind) == [.storeCopied])
            #expect(try await original.messages.dependants(of: id).isEmpty)
            await #expect(throws: (any Error).self) { _ = try await first.delivered() }
            let outboxes = world.transport.server.withLock { server in
                server.deliveries.dropFirst(sent).filter { entry in
                    entry.delivery.operations.contains { operation in
                        if case .edit(first.id, _, _) = operation.body { true } else { false }
                    }
                }.map(\.delivery.outbox)
            }
            #expect(outboxes.allSatisfy { $0 == former }, "it was not sent under another id")
            #expect(world.text(id) == "three")
            await original.close()
            await other.close()
        }
    }

    @Test func aStoreRestoredFromSeveralRunsAgoIsNotSuperseded() throws {
        try ClientWorld.run { world in
            let first = try await world.loggedIn(Self.resuming)
            _ = try await create("a", by: first, world)
            try await deliverAll(first, in: world)
            await first.close()
            let backup = try world.store.crashedCopy()
            var disk = try world.store.crashedCopy()
            for run in 1...3 {
                let client = try await world.open(on: disk, Self.resuming)
                _ = try await create("run \(run)", by: client, world)
                try await deliverAll(client, in: world)
                await client.close()
                disk = try disk.crashedCopy()
            }
            let restored = try await world.open(on: backup, Self.resuming)
            let ids = try await create("x", by: restored, world)
            try await deliverAll(restored, in: world)
            #expect(order(world).last == ids.last)
            #expect(try await restored.status().actionRequired == nil)
            await restored.close()
        }
    }

    /// The newer copy has delivered messages that the restored one still holds as never sent.
    @Test(arguments: [true, false])
    func whatIsDoneToAMessageThatTheOtherCopyDeliveredHappens(isDoneOffline: Bool) throws {
        try ClientWorld.run { world in
            let first = try await world.loggedIn(Self.resuming)
            disconnect(world)
            let ids = try await create("deleted", "edited", "kept", by: first, world)
            await first.close()
            let backup = try world.store.crashedCopy()
            disconnect(world, false)
            let newer = try await world.open(on: world.store.crashedCopy(), Self.resuming)
            try await deliverAll(newer, in: world)
            await newer.close()

            if isDoneOffline {
                disconnect(world)
            } else {
                world.transport.server.withLock { $0.always = .delay(.seconds(3)) }
            }
            let restored = try await world.open(on: backup, Self.resuming)
            try await restored.messages.softDeleteMessage(ids[0])
            try await restored.messages.editTextMessage(ids[1], to: "anew")
            disconnect(world, false)
            try await deliverAll(restored, in: world)
            try await world.until("the deletion has arrived") {
                world.transport.server.withLock { !$0.hub.holds(ids[0]) }
            }
            #expect(world.transport.server.withLock { $0.hub.accepted[ids[1]]?.content } == .text("anew"))
            #expect(copies(world) == 1)
            #expect(try await restored.status().counts.error == 0)
            await restored.close()
        }
    }

    /// A message that failed here with the end of a session was delivered by the other copy.
    @Test func whatFailedHereAndWasDeliveredThereIsSynced() throws {
        try ClientWorld.run { world in
            let first = try await world.loggedIn(Self.resuming)
            disconnect(world)
            let ids = try await create("1", "2", by: first, world)
            await first.close()
            let backup = try world.store.crashedCopy()
            disconnect(world, false)
            let newer = try await world.open(on: world.store.crashedCopy(), Self.resuming)
            try await deliverAll(newer, in: world)
            await newer.close()
            let restored = try await world.open(on: backup)  // fails the remaining messages
            #expect(try await restored.status().counts.error == 2)
            _ = try await create("3", by: restored, world)
            try await deliverAll(restored, in: world)
            #expect(try await restored.messages.storedMessage(ids[0])?.syncState == .synced)
            #expect(copies(world) == 1)
            await restored.close()
        }
    }

    /// Messages created at that moment overtake none that existed before.
    @Test func nothingOvertakesWhatWasCreatedBefore() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            try ClientWorld.run(seed: seed, on: [.of(seed)]) { world in
                let first = try await world.loggedIn(Self.resuming)
                _ = try await create("a", by: first, world)
                try await deliverAll(first, in: world)
                await first.close()
                let backup = try world.store.crashedCopy()
                let second = try await world.open(on: world.store.crashedCopy(), Self.resuming)
                _ = try await create("lost", by: second, world)
                try await deliverAll(second, in: world)
                await second.close()
                let restored = try await world.open(on: backup, Self.resuming)
                var ids: [MessageID] = []
                for number in 1...30 {
                    ids += try await create("\(number)", by: restored, world)
                    if number % 3 == 0 { await world.pass(.milliseconds(1)) }
                }
                try await deliverAll(restored, in: world)
                #expect(order(world).filter(ids.contains) == ids)
                await restored.close()
            }
        }
    }

    /// A server that repeats this response is not queried in a tight loop, and is found to be repaired in 15 seconds.
    @Test func aServerThatNeverStopsSayingSoIsAskedLessAndLess() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn(Self.resuming)
            world.transport.server.withLock { $0.always = .fail(.storeForked(detail: "again")) }
            let ids = try await create("1", by: client, world)
            await world.pass(.seconds(600))
            #expect(world.transport.server.withLock { $0.deliveries.count } < 50)
            let wait = try await client.status().waitReason
            if case .startingOver = wait {} else { Issue.record("the reason to wait is \(String(describing: wait))") }
            world.transport.server.withLock { $0.always = .work }
            await world.pass(.seconds(16))
            #expect(order(world) == ids)
            try await deliverAll(client, in: world)
            #expect(order(world) == ids)
            await client.close()
        }
    }
}
