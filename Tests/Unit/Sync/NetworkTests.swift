import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayTransport
import Synchronization
import Testing

/// Reports of the machine's network, through the whole client.
@Suite struct NetworkTests {
    private func deliveries(_ world: ClientWorld) -> Int { world.transport.server.withLock { $0.deliveries.count } }
    private func greetings(_ world: ClientWorld) -> Int { world.transport.server.withLock { $0.greetings } }

    private func opened(_ world: ClientWorld, _ network: ScriptedNetwork) async throws -> CausewayClient {
        let client = try await world.open(network: network)
        network.report(.available(path: 1, keptAddresses: true))
        try await world.login(client)
        return client
    }

    @Test func aLostNetworkEndsTheCallUnderWayAndCostsNoAttempt() throws {
        try ClientWorld.run { world in
            let network = ScriptedNetwork()
            let client = try await opened(world, network)
            for outage in 1...6 {
                world.transport.server.withLock { $0.always = .hang(.seconds(1000)) }
                let before = deliveries(world)
                let handle = try await client.messages.createTextMessage("\(outage)", in: world.general)
                try await world.until("it is under way") { deliveries(world) == before + 1 }
                world.transport.server.withLock { $0.serverInfo = .failure(.unreachable(detail: "no route")) }
                network.report(.unavailable)
                try await world.until("the client is offline") {
                    if case .offline = try await client.status().connectivity { true } else { false }
                }
                await world.pass(.seconds(60))
                #expect(deliveries(world) == before + 1)
                let user = try #require(UserID("ann"))
                world.transport.server.withLock { server in
                    server.always = .work
                    server.serverInfo = .success(ServerInfo(user: user, server: "scripted"))
                }
                let start = world.runtime.now
                network.report(.available(path: outage + 1, keptAddresses: outage.isMultiple(of: 2)))
                _ = try await handle.delivered()
                // The time for which the server must have been reachable, and nothing of a planned probe.
                #expect(world.runtime.now - start <= .seconds(1.1))
                #expect(try await client.messages.storedMessage(handle.id)?.attempts == 1)
            }
            #expect(world.transport.server.withLock { $0.order.count } == 6)
        }
    }

    @Test func aNetworkThatIsGoneForAMomentEndsNothing() throws {
        try ClientWorld.run { world in
            let network = ScriptedNetwork()
            let client = try await opened(world, network)
            world.transport.server.withLock { $0.always = .delay(.seconds(5)) }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await world.until("it is under way") { deliveries(world) == 1 }
            for path in 2...4 {
                network.report(.unavailable)
                await world.pass(.milliseconds(500))
                network.report(.available(path: path, keptAddresses: true))
                await world.pass(.milliseconds(700))
            }
            _ = try await handle.delivered()
            #expect(deliveries(world) == 1)
        }
    }

    @Test func aChangeOfAddressBreaksOffTheCallUnderWay() throws {
        try ClientWorld.run { world in
            let network = ScriptedNetwork()
            let client = try await opened(world, network)
            world.transport.server.withLock { $0.behaviours = [.hang(.seconds(1000))] }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await world.until("it is under way") { deliveries(world) == 1 }
            let start = world.runtime.now
            network.report(.available(path: 2, keptAddresses: false))
            _ = try await handle.delivered()
            #expect(world.runtime.now - start <= .seconds(1.1))
            #expect(try await client.messages.storedMessage(handle.id)?.attempts == 1)
        }
    }

    @Test func aNetworkThatComesUpIsProbedAtOnce() throws {
        try ClientWorld.run { world in
            let network = ScriptedNetwork()
            let client = try await opened(world, network)
            world.transport.server.withLock { server in
                server.always = .fail(.unreachable(detail: "no route"))
                server.serverInfo = .failure(.unreachable(detail: "no route"))
            }
            _ = try await client.messages.createTextMessage("1", in: world.general)
            await world.pass(.seconds(300))
            let before = greetings(world)
            network.report(.available(path: 2, keptAddresses: true))
            await world.pass(.milliseconds(10))
            #expect(greetings(world) == before + 1)
            // A failure is followed by the shortest pause again, not by the longest.
            await world.pass(.seconds(2.1))
            #expect(greetings(world) >= before + 2)
        }
    }

    @Test func theFirstReportChangesNothing() throws {
        try ClientWorld.run { world in
            let network = ScriptedNetwork()
            let client = try await world.open(network: network)
            network.report(.unavailable)
            try await world.login(client)
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            _ = try await handle.delivered()
            await world.pass(.seconds(5))
            #expect(try await client.status().connectivity == .online)
        }
    }
}
