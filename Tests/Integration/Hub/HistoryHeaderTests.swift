import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayTestSupport
import CausewayWire
import NIOHTTP1
import Testing

/// `Causeway-History` in responses that are errors; see also `RequestShareTests` and `SocketTests`.
@Suite struct HistoryHeaderTests {
    private static func history(_ answer: HubClient.Answer) -> WireHistory? {
        answer.headers.first(name: WireProtocol.historyHeader).flatMap { WireHistory($0) }
    }

    @Test func aFailureOfTheStorageNamesTheHistory() async throws {
        let faults = StorageFaults()
        try await HubFixture.running(storageFaults: faults) { hub in
            let present = try #require(Self.history(try await hub.client.get(WireProtocol.sessionPath)))
            faults.inject(.reopen, times: 1000)
            faults.inject(.write)
            let failed = try await hub.client.deliver(delivery([send(1)]))
            #expect(failed.status == 503 && failed.errorCode == "storageFailed")
            #expect(Self.history(failed) == present)
            // A token that cannot be looked up is that of no account.
            let unknown = try await hub.client.get(WireProtocol.sessionPath)
            #expect(unknown.status == 503 && Self.history(unknown) == nil)
            faults.clear()
        }
    }

    @Test func aConnectionTooManyIsNamedTheHistory() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.connectionsPerAccountMax = 1 }
        try await HubFixture.running(change: change) { hub in
            let socket = try await RawSocket.open(hub)
            let refused = try await hub.client.get(WireProtocol.sessionPath)
            #expect(refused.status == 503 && refused.errorCode == "busy")
            #expect(Self.history(refused) != nil)
            await socket.close()
        }
    }

    /// The data of the hub are not for everyone who reaches it.
    @Test func aResponseToNoAccountNamesNoHistory() async throws {
        try await HubFixture.running { hub in
            for token in [nil, "wrong"] as [String?] {
                let client = HubClient(port: hub.port, token: token)
                let refused = try await client.get(WireProtocol.sessionPath)
                #expect(refused.status == 401 && Self.history(refused) == nil)
                #expect(try await Self.history(client.get(WireProtocol.healthPath)) == nil)
            }
            let unknown = try await hub.client.get("/v1/nothing")
            #expect(unknown.status == 404 && Self.history(unknown) == nil)
        }
    }

    @Test func theHeadOfARefusalNamesTheHistory() async throws {
        try await HubFixture.running { hub in
            let refused = try await hub.client.send(.HEAD, WireProtocol.blobPath("x"))
            #expect(refused.status == 404 && refused.body.isEmpty)
            #expect(Self.history(refused) != nil)
        }
    }
}
