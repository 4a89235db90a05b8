import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// The real client on a server that knows neither lanes nor fences, and recognises an id for a limited time.
@Suite struct IdempotentTransportTests {
    private struct World: Sendable {
        let runtime: SimulatedRuntime
        let server: ForgetfulServer
        let general: ChannelID
        let store = MemoryStore()
        let credentials = MemoryCredentialStore()
        static let window: Duration = .seconds(600)

        static func run(
            seed: UInt64 = 1, _ body: @escaping @Sendable (World) async throws -> Void
        ) throws {
            let runtime = SimulatedRuntime(seed: seed)
            let user = try #require(UserID("ann"))
            let world = World(
                runtime: runtime, server: ForgetfulServer(window: window, user: user, runtime: runtime),
                general: try #require(ChannelID("general")))
            try runtime.run { try await body(world) }
        }

        /// Opens a client; on `other` if given, otherwise on the world's store.
        func open(
            on other: (any Store)? = nil, _ configuration: ClientConfiguration = ClientConfiguration()
        ) async throws -> CausewayClient {
            var transports = TransportRegistry()
            transports.register("test") { [self] _, _ in
                IdempotentTransport(to: server, window: Self.window, runtime: runtime)
            }
            return try await CausewayClient.open(
                store: other ?? store, transports: transports, credentials: credentials, runtime: runtime,
                configuration: configuration)
        }

        func login(_ client: CausewayClient) async throws {
            try await client.login(server: "test://forgetful", token: #require(AccessToken("secret")))
        }

        func loggedIn(_ configuration: ClientConfiguration = ClientConfiguration()) async throws -> CausewayClient {
            let client = try await open(on: nil, configuration)
            try await login(client)
            return client
        }

        func pass(_ time: Duration) async { await runtime.sleep(until: runtime.now + time) }

        func untilNothingWaits(_ client: CausewayClient) async throws {
            let end = runtime.now + .seconds(3600)
            while runtime.now < end {
                let counts = try await client.status().counts
                if counts.undelivered == counts.error { return }
                await pass(.milliseconds(100))
            }
            Issue.record("something waits for ever")
        }

        func set(_ change: (inout ForgetfulServer.State) -> Void) { server.state.withLock { change(&$0) } }
        var seen: ForgetfulServer.State { server.state.withLock { $0 } }
    }

    /// Requests and responses are lost at random: everything arrives once and in order.
    @Test func aBadLineDoublesAndReordersNothing() throws {
        for seed in 1...30 as ClosedRange<UInt64> {
            try World.run(seed: seed) { world in
                var configuration = ClientConfiguration()
                configuration.outbox.retry = RetryPolicy(interval: .seconds(5), retriesMax: 50, jitterPercent: 20)
                let client = try await world.loggedIn(configuration)
                let runtime = world.runtime
                world.set {
                    $0.draw = {
                        switch runtime.random() % 4 {
                        case 0: .loseRequest
                        case 1: .loseResponse
                        default: .none
                        }
                    }
                }
                var ids: [MessageID] = []
                for number in 1...20 {
                    ids.append(try await client.messages.createTextMessage("\(number)", in: world.general).id)
                }
                try await world.untilNothingWaits(client)
                #expect(world.seen.stored == ids)
                #expect(world.seen.applied.count > ids.count, "nothing was repeated")
                #expect(world.seen.underWayMax == 1)
                #expect(try await client.messages.outbox().items.isEmpty)
            }
        }
    }

    /// After the window the server would store a repeat again. It is asked first.
    @Test(arguments: [false, true])
    func aRepeatAfterTheWindowIsLookedUp(_ deniesAll: Bool) throws {
        try World.run { world in
            let client = try await world.loggedIn()
            world.set { $0.faults = [.loseResponse] }
            let handle = try await client.messages.createTextMessage("a", in: world.general)
            while world.seen.stored.isEmpty { await world.pass(.milliseconds(1)) }
            world.set {
                $0.isUnreachable = true
                $0.deniesAll = deniesAll
            }
            await world.pass(World.window * 2)
            world.set { $0.isUnreachable = false }
            _ = try await handle.delivered()
            #expect(world.seen.lookups == [handle.id])
            // The control arm: a server that denies having it gets it twice.
            #expect(world.seen.stored.count == (deniesAll ? 2 : 1))
        }
    }

    /// A message that was created offline, long ago, is sent after one question.
    @Test func aMessageThatWaitedForLongIsLookedUpOnce() throws {
        try World.run { world in
            let client = try await world.loggedIn()
            world.set { $0.isUnreachable = true }
            let handle = try await client.messages.createTextMessage("a", in: world.general)
            await world.pass(World.window * 2)
            world.set {
                $0.isUnreachable = false
                $0.faults = [.loseRequest]
            }
            _ = try await handle.delivered()
            #expect(world.seen.lookups == [handle.id], "the repeat is within the window of the first transmission")
            #expect(world.seen.stored == [handle.id])
        }
    }

    /// A new run of the process knows nothing of the former one's transmissions, except that there may have been some.
    @Test(arguments: [Duration.seconds(1), World.window * 2])
    func aRestartLooksUp(_ pause: Duration) throws {
        try World.run { world in
            var configuration = ClientConfiguration()
            configuration.restart = .resume
            var client = try await world.loggedIn(configuration)
            world.set { $0.faults = [.loseResponse] }
            let id = try await client.messages.createTextMessage("a", in: world.general).id
            while world.seen.stored.isEmpty { await world.pass(.milliseconds(1)) }
            await client.close()
            await world.pass(pause)
            client = try await world.open(on: world.store.crashed(), configuration)
            try await world.untilNothingWaits(client)
            #expect(try await client.messages.storedMessage(id)?.syncState == .synced)
            #expect(world.seen.lookups == [id])
            #expect(world.seen.stored == [id] && world.seen.applied == [id])
        }
    }

    /// When its attempts are used up, the server's word decides: it has the message, or it has not and the next one
    /// goes.
    @Test(arguments: [ForgetfulServer.Fault.loseRequest, .loseResponse])
    func aVerdictIsAQuestion(_ fault: ForgetfulServer.Fault) throws {
        try World.run { world in
            let client = try await world.loggedIn()
            world.set { $0.faults = Array(repeating: fault, count: 4) }
            let first = try await client.messages.createTextMessage("1", in: world.general)
            let second = try await client.messages.createTextMessage("2", in: world.general)
            _ = try await second.delivered()
            let message = try #require(try await client.messages.storedMessage(first.id))
            #expect(world.seen.lookups == [first.id])
            if case .loseResponse = fault {
                #expect(message.syncState == .synced)
                #expect(world.seen.stored == [first.id, second.id])
            } else {
                #expect(message.syncState == .error && !message.isInDoubt)
                #expect(world.seen.stored == [second.id])
                // Sent again, it is a message like any other.
                try await client.messages.resend(first.id)
                _ = try await first.delivered()
                #expect(world.seen.stored == [second.id, first.id])
            }
        }
    }

    /// A copy that the network holds back is recognised, even when the question about it came too early.
    @Test func aLateCopyWithinTheWindowIsRecognised() throws {
        try World.run { world in
            let client = try await world.loggedIn()
            world.set { $0.faults = [.holdBack(.seconds(200))] }
            let handle = try await client.messages.createTextMessage("a", in: world.general)
            _ = try await handle.delivered()
            await world.pass(.seconds(300))
            #expect(world.seen.applied.count == 2, "the late copy arrived")
            #expect(world.seen.lookups.isEmpty, "no question within the window")
            #expect(world.seen.stored == [handle.id])
        }
    }

    /// Each lane has one operation under way, and lanes do not wait for each other.
    @Test func lanesGoBesideEachOther() throws {
        try World.run { world in
            var configuration = ClientConfiguration()
            configuration.ordering = .lanedPerChannel
            let client = try await world.loggedIn(configuration)
            try await client.pause()
            var ids: [ChannelID: [MessageID]] = [:]
            for number in 0..<30 {
                let channel = try #require(ChannelID("c\(number % 3)"))
                ids[channel, default: []].append(
                    try await client.messages.createTextMessage("\(number)", in: channel).id)
            }
            try await client.resume()
            try await world.untilNothingWaits(client)
            #expect(world.seen.underWayMax == 3)
            for inOrder in ids.values { #expect(world.seen.stored.filter(inOrder.contains) == inOrder) }
        }
    }

    @Test func editsAndDeletionsFollow() throws {
        try World.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("a", in: world.general)
            _ = try await handle.delivered()
            world.set { $0.faults = [.loseResponse] }
            try await client.messages.editTextMessage(handle.id, to: "b")
            try await world.untilNothingWaits(client)
            #expect(world.seen.edits.count == 1)
            try await client.messages.softDeleteMessage(handle.id)
            while !world.seen.stored.isEmpty { await world.pass(.milliseconds(100)) }
        }
    }
}
