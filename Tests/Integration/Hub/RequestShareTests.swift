import CausewayHub
import CausewayModels
import CausewayTestSupport
import CausewayWire
import NIOHTTP1
import Testing

/// Requests in progress, bounded for each account.
@Suite struct RequestShareTests {
    @Test func anAccountHasItsShareOfRequestsInProgress() async throws {
        let faults = HubFaults()
        try await HubFixture.running(faults: faults) { hub in
            let other = try await hub.client(of: "other")
            let holds = (0..<HubLimits.requestsPerAccountMax).map { _ in HubFaults.Hold() }
            defer { for hold in holds { hold.release() } }
            for hold in holds { faults.inject(.hold(hold), times: 1) }
            let requests = (1...UInt64(holds.count)).map { number in
                Task { try await hub.client.deliver(delivery([send(1, number)], outbox: number)).status }
            }
            try await Eventually.holds("all are in progress") { holds.allSatisfy(\.isHeld) }
            let refused = try await hub.client.get(WireProtocol.sessionPath)
            #expect(refused.status == 503 && refused.errorCode == "busy")
            #expect(refused.headers.first(name: "Retry-After") == "\(HubLimits.busyRetrySeconds)")
            #expect(refused.headers.first(name: WireProtocol.historyHeader) != nil)
            #expect(try await other.get(WireProtocol.sessionPath).status == 200, "the share of one account")
            // Requests that may last are counted by themselves.
            #expect(try await hub.client.events().isUpToDate)
            for hold in holds { hold.release() }
            for request in requests { #expect(try await request.value == 200) }
            #expect(try await hub.client.get(WireProtocol.sessionPath).status == 200)
        }
    }
}
