import Causeway
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

@Suite struct DeliveryTests {
    /// Only the first message of a batch is charged before its verdict.
    @Test func aRefusedMessageShowsTheAttemptAlsoBehindAnother() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let first = try await client.messages.createTextMessage("1", in: world.general)
            let second = try await client.messages.createTextMessage("2", in: world.general)
            world.transport.server.withLock { $0.refused = [second.id] }
            try await client.resume()
            _ = try await first.delivered()
            await #expect(throws: DeliveryError.self) { try await second.delivered() }
            #expect(world.transport.server.withLock { $0.deliveries.count } == 1)
            let failed = try #require(try await client.messages.storedMessage(second.id))
            #expect(failed.attempts == 1)
            #expect(failed.history.map(\.state) == [.syncing, .error])
        }
    }

    @Test func aMessageIsDurableAtOnceAndDeliveredThen() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            let stored = try await client.messages.storedMessage(handle.id)
            #expect(stored?.content == .text("hi"))
            let serverPosition = try await handle.delivered()
            #expect(serverPosition.position == 1)
            #expect(try await client.messages.storedMessage(handle.id)?.syncState == .synced)
            #expect(try await client.messages.outbox().items.isEmpty)
        }
    }

    @Test func whatIsCreatedOneAfterTheOtherArrivesInThatOrder() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            try ClientWorld.run(seed: seed, on: [.of(seed)]) { world in
                let client = try await world.loggedIn()
                var ids: [MessageID] = []
                for number in 1...200 {
                    ids.append(try await client.messages.createTextMessage("\(number)", in: world.general).id)
                }
                try await world.until("all are synced") { try await client.status().counts.undelivered == 0 }
                #expect(world.transport.server.withLock { $0.order } == ids)
            }
        }
    }

    @Test func aDeliveryIsNoLargerThanTheTransportAllows() throws {
        try ClientWorld.run(operationsMax: 3) { world in
            let client = try await world.loggedIn()
            try await client.pause()
            for number in 1...10 { _ = try await client.messages.createTextMessage("\(number)", in: world.general) }
            try await client.resume()
            try await world.until("all are synced") { try await client.status().counts.undelivered == 0 }
            let sizes = world.transport.server.withLock { $0.deliveries.map(\.delivery.operations.count) }
            #expect(sizes == [3, 3, 3, 1])
        }
    }

    @Test func aServerThatIsAwayUsesUpNoRetry() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let away = TransportError.unreachable(detail: "connection refused")
            world.transport.server.withLock {
                $0.always = .fail(away)
                $0.serverInfo = .failure(away)
            }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            await world.pass(.seconds(600))
            let item = try #require(try await client.messages.outbox().items.first)
            #expect(item.operation.syncState == .created)
            #expect(item.operation.attempts == 0)
            guard case .offline("connection refused", _) = item.wait else {
                Issue.record("it waits because \(String(describing: item.wait))")
                return
            }
            let user = item.operation.sender
            world.transport.server.withLock {
                $0.always = .work
                $0.serverInfo = .success(ServerInfo(user: user, server: "back"))
            }
            _ = try await handle.delivered()
        }
    }

    @Test func a503ForEverIsAnErrorAfterFourAttemptsFiveSecondsApartAndTheNextGoes() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let busy = TransportError.transient(code: "busy", detail: "come back later")
            world.transport.server.withLock { $0.behaviours = Array(repeating: .fail(busy), count: 4) }
            let first = try await client.messages.createTextMessage("first", in: world.general)
            let second = try await client.messages.createTextMessage("second", in: world.general)
            await #expect(throws: DeliveryError.self) { try await first.delivered() }
            let failed = try #require(try await client.messages.storedMessage(first.id))
            #expect(failed.syncState == .error)
            #expect(failed.attempts == 4)
            #expect(failed.failure?.reason == .retriesUsedUp)
            #expect(failed.failure?.detail.contains("come back later") == true)
            _ = try await second.delivered()
            let times = world.transport.server.withLock { $0.deliveries.map(\.at) }
            for (earlier, later) in zip(times.prefix(4), times.dropFirst().prefix(3)) {
                #expect(later - earlier >= .seconds(5))
                #expect(later - earlier <= .seconds(6))
            }
            #expect(world.transport.server.withLock { $0.order } == [second.id])
        }
    }

    @Test func aRefusedTokenPausesEverythingUntilANewLogin() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let actionRequired = ActionRequired(cause: .tokenRefused, detail: "the token is refused; log in again")
            world.transport.server.withLock { $0.always = .fail(.actionRequired(actionRequired)) }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            try await world.until("the status says so") { try await client.status().actionRequired != nil }
            #expect(try await client.status().actionRequired == actionRequired)
            #expect(try await client.messages.outbox().items.first?.wait == .actionRequired(actionRequired))
            world.transport.server.withLock { $0.always = .work }
            try await world.login(client)
            _ = try await handle.delivered()
            #expect(try await client.messages.storedMessage(handle.id)?.attempts == 1)
        }
    }

    @Test func aRefusedRequestIsAnErrorAtOnceWithTheReason() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let refusal = TransportError.refused(code: "contentInvalid", detail: "no such thing")
            world.transport.server.withLock { $0.behaviours = [.fail(refusal)] }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            await #expect(throws: DeliveryError.self) { try await handle.delivered() }
            let failed = try await client.messages.storedMessage(handle.id)
            #expect(failed?.failure?.reason == .refused)
            #expect(failed?.failure?.detail == "no such thing")
            #expect(failed?.attempts == 1)
        }
    }

    @Test func aRateLimitWaitsAndUsesUpNoRetry() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let limit = TransportError.rateLimited(after: .seconds(90), detail: "slow down")
            world.transport.server.withLock { $0.behaviours = [.fail(limit)] }
            let begin = world.runtime.now
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            try await world.until("it was tried") { world.transport.server.withLock { !$0.deliveries.isEmpty } }
            guard case .rateLimited = try await client.messages.outbox().items.first?.wait else {
                Issue.record("it does not say that it is rate limited")
                return
            }
            _ = try await handle.delivered()
            #expect(world.runtime.now - begin >= .seconds(90))
            #expect(try await client.messages.storedMessage(handle.id)?.attempts == 1)
        }
    }

    @Test func aLostAcknowledgementLeavesOneCopy() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.behaviours = [.loseAnswer] }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            let serverPosition = try await handle.delivered()
            #expect(serverPosition.position == 1)
            #expect(world.transport.server.withLock { $0.order } == [handle.id])
            #expect(try await client.messages.storedMessage(handle.id)?.syncState == .synced)
        }
    }

    @Test func aFullDiskStopsTheEngineAndItGoesOnByItself() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            world.store.failNextCommits(20, with: .full(detail: "no space"))
            await #expect(throws: ClientError.store(.full(detail: "no space"))) {
                try await client.messages.createTextMessage("not now", in: world.general)
            }
            _ = try await handle.delivered()
            try await world.until("the trouble is over") { try await client.status().storeProblem == nil }
            #expect(try await world.texts(client) == ["hi"])
        }
    }

    @Test func whatIsAskedForWhileTheDiskIsFullIsRefusedAtOnce() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.behaviours = [.delay(.seconds(5))] }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            try await world.until("it is on its way") {
                try await client.messages.storedMessage(handle.id)?.syncState == .syncing
            }
            let full = StoreError.full(detail: "no space")
            world.store.failNextCommits(30, with: full)
            await world.pass(.seconds(10))
            await #expect(throws: ClientError.store(full)) {
                try await client.messages.softDeleteMessage(handle.id)
            }
            #expect("\(full)" == "the disk is full (no space); free some space and try again")
            let problem = try await client.status().storeProblem
            #expect(problem == "the disk is full (no space); free some space; delivery resumes by itself")
            _ = try await handle.delivered()
            try await client.messages.softDeleteMessage(handle.id)
        }
    }

    @Test func cancellingTheWaiterDoesNotTouchTheMessage() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.behaviours = [.delay(.seconds(20))] }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            let waiter = world.runtime.spawn {
                await #expect(throws: DeliveryError.unknown) { try await handle.delivered() }
            }
            await world.pass(.seconds(1))
            waiter.cancel()
            await waiter.finished()
            _ = try await handle.delivered()
        }
    }
}
