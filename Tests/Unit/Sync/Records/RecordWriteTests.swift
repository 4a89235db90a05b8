import Causeway
import CausewayModels
import CausewayRecords
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayTransport
import Synchronization
import Testing

/// Writes to records that need the server's word.
struct RecordWriteTests {
    private static func write(_ id: String, year: Int) -> RecordWrite {
        RecordWrite(kind: Album.kind, record: id, action: "put", arguments: .object(["year": .integer(Int64(year))]))
    }

    /// Writes an album, and checks the version that the server gives it.
    private static func expect(
        _ client: CausewayClient, _ id: String, year: Int, version: Int64,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let written = try await client.records.write(write(id, year: year), of: Album.self)
        #expect(written == version, sourceLocation: sourceLocation)
    }

    private static func run(
        _ body: @escaping @Sendable (ClientWorld, AlbumServer, CausewayClient) async throws -> Void
    ) throws {
        try ClientWorld.run { world in
            let server = AlbumServer(world.transport)
            let client = try await world.client(of: server)
            try await body(world, server, client)
            await client.close()
        }
    }

    @Test func aWriteIsStoredWhenItReturns() throws {
        try Self.run { world, server, client in
            try await Self.expect(client, "a", year: 1971, version: 1)
            try await Self.expect(client, "a", year: 1972, version: 2)
            let stored = try await world.store.record(Album.kind, "a")
            #expect(stored?.version == 2)
            #expect(server.state.withLock { $0.writes.map(\.sequence) } == [1, 2])
        }
    }

    /// A lost response: the same operation is sent again, and applied once.
    @Test(arguments: [1, 3]) func aWriteInDoubtIsRepeatedUnderItsID(_ lost: Int) throws {
        try Self.run { _, server, client in
            server.state.withLock { $0.lostResponses = lost }
            try await Self.expect(client, "a", year: 1971, version: 1)
            let writes = server.state.withLock { $0.writes }
            #expect(writes.count == lost + 1)
            #expect(Set(writes).count == 1)
            #expect(server.state.withLock { $0.albums.map(\.version) } == [1])
        }
    }

    @Test func aWriteThatRemainsInDoubtSaysSoAndTheNextOneGoes() throws {
        try Self.run { _, server, client in
            server.state.withLock { $0.lostResponses = 4 }
            await #expect(throws: ClientError.transport(.inDoubt(detail: "cut off"))) {
                try await client.records.write(Self.write("a", year: 1971), of: Album.self)
            }
            try await Self.expect(client, "b", year: 1972, version: 2)
        }
    }

    /// The first attempt may have been applied; a later one that cannot be sent, or is refused as a request, proves
    /// nothing.
    @Test(arguments: [
        TransportError.unreachable(detail: "offline"), .notSent(code: "poolFull", detail: "busy"),
        .rateLimited(after: .seconds(1), detail: "slower"), .refused(code: "http400", detail: "bad request"),
    ])
    func aWriteInDoubtStaysInDoubt(_ error: TransportError) throws {
        try Self.run { _, server, client in
            server.state.withLock { state in
                state.lostResponses = 1
                state.beforeResponse = { server.state.withLock { $0.error = $0.writes.isEmpty ? nil : error } }
            }
            await #expect(throws: ClientError.transport(.inDoubt(detail: "cut off"))) {
                try await client.records.write(Self.write("a", year: 1971), of: Album.self)
            }
            #expect(server.state.withLock { $0.albums.map(\.id) } == ["a"])
        }
    }

    /// The connection of the former token is closed with the call that uses it.
    @Test func aRenewedTokenEndsNoWrite() throws {
        try Self.run { world, server, client in
            server.state.withLock { state in
                state.beforeResponse = {
                    try? await world.login(client)
                    server.state.withLock { state in
                        state.beforeResponse = { server.state.withLock { $0.error = nil } }
                        state.error = .unreachable(detail: "closed")
                    }
                }
            }
            try await Self.expect(client, "a", year: 1971, version: 1)
        }
    }

    /// The server takes nothing that was meant for its former opening; a probe tells the client of the present one.
    @Test func aWriteToAServerThatWasStartedAgainIsRepeatedAfterAProbe() throws {
        try Self.run { world, server, client in
            let greetings = world.transport.server.withLock { $0.greetings }
            server.state.withLock { $0.error = .historyChanged(detail: "started again") }
            let probed = world.runtime.spawn {
                while world.transport.server.withLock({ $0.greetings }) == greetings {
                    await world.runtime.sleep(until: world.runtime.now + .milliseconds(100))
                }
                server.state.withLock { $0.error = nil }
            }
            try await Self.expect(client, "a", year: 1971, version: 1)
            await probed.finished()
        }
    }

    /// The server knows another mark of the lane than the client, as after it was restored.
    @Test(arguments: [Int64(0), 7]) func theServersMarkIsAdopted(_ mark: Int64) throws {
        try Self.run { _, server, client in
            _ = try await client.records.write(Self.write("a", year: 1971), of: Album.self)
            server.state.withLock { $0.mark = mark }
            try await Self.expect(client, "b", year: 1972, version: 2)
            #expect(server.state.withLock { $0.mark } == mark + 1)
        }
    }

    @Test func writesAreSentInTheOrderOfTheCalls() throws {
        try Self.run { world, server, client in
            let ids = (0..<5).map { "album \($0)" }
            server.state.withLock { $0.beforeResponse = { await world.pass(.seconds(1)) } }
            var tasks: [RuntimeTask] = []
            for id in ids {
                tasks.append(
                    world.runtime.spawn {
                        _ = try? await client.records.write(Self.write(id, year: 1971), of: Album.self)
                    })
                await world.pass(.milliseconds(1))
            }
            for task in tasks { await task.finished() }
            #expect(server.state.withLock { $0.albums.map(\.id) } == ids)
            #expect(server.state.withLock { $0.writes.map(\.previous) } == [0, 1, 2, 3, 4])
        }
    }

    @Test func theReasonsNotToWriteAreTyped() throws {
        try Self.run { _, server, client in
            let refused = TransportError.refused(code: "yearInvalid", detail: "no such year")
            await #expect(throws: ClientError.transport(refused)) {
                try await client.records.write(Self.write("a", year: 1800), of: Album.self)
            }
            try await Self.expect(client, "a", year: 1971, version: 1)
            server.state.withLock { $0.error = .unreachable(detail: "offline") }
            await #expect(throws: ClientError.transport(.unreachable(detail: "offline"))) {
                try await client.records.write(Self.write("a", year: 1972), of: Album.self)
            }
            try await client.logout()
            await #expect(throws: ClientError.noSession) {
                try await client.records.write(Self.write("a", year: 1972), of: Album.self)
            }
        }
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            await #expect(throws: ClientError.self) {
                try await client.records.write(Self.write("a", year: 1971), of: Album.self)
            }
            await client.close()
        }
    }
}
