import CausewayHub
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import NIOHTTP1
import Testing

/// The faults that tests of clients rely on work as documented.
@Suite struct FaultTests {
    @Test func answersAsTold() async throws {
        let faults = HubFaults()
        try await HubFixture.running(faults: faults) { hub async throws in
            faults.inject(.respond(status: 503, code: "busy"), times: 2)
            faults.inject(.respond(status: 429, code: "slow", retryAfter: "7"), times: 1)
            let answers = try await [
                hub.client.deliver(delivery([send(1)])), hub.client.deliver(delivery([send(1)])),
                hub.client.deliver(delivery([send(1)])), hub.client.deliver(delivery([send(1)])),
            ]
            #expect(answers.map(\.status) == [503, 503, 429, 200])
            #expect(answers.map(\.errorCode) == ["busy", "busy", "slow", nil])
            #expect(answers.map { $0.headers.first(name: "Retry-After") } == [nil, nil, "7", nil])
            #expect(faults.deliveriesSeen == 4)
            #expect(try await hub.client.messages().count == 1)
            #expect(hub.log.contains("warning refused account=me code=busy peer=127.0.0.1 status=503"))
        }
    }

    @Test func goesOnForEverUntilCleared() async throws {
        let faults = HubFaults()
        try await HubFixture.running(faults: faults) { hub async throws in
            faults.inject(.respond(status: 500, code: "broken"))
            for _ in 0..<5 { #expect(try await hub.client.deliver(delivery([send(1)])).status == 500) }
            #expect(try await hub.client.get(WireProtocol.sessionPath).status == 200)
            faults.clear()
            #expect(try await hub.client.deliver(delivery([send(1)])).status == 200)
        }
    }

    @Test func aLostAcknowledgementIsOneCopy() async throws {
        let faults = HubFaults()
        try await HubFixture.running(faults: faults) { hub async throws in
            faults.inject(.cutAfter, times: 1)
            await #expect(throws: (any Error).self) { try await hub.client.deliver(delivery([send(1)])) }
            #expect(try await hub.client.messages().count == 1)
            #expect(try await hub.client.report(delivery([send(1)])).positions == [1])
            #expect(try await hub.client.messages().count == 1)
        }
    }

    @Test func aConnectionCutBeforeAppliesNothing() async throws {
        let faults = HubFaults()
        try await HubFixture.running(faults: faults) { hub async throws in
            faults.inject(.cutBefore, times: 1)
            await #expect(throws: (any Error).self) { try await hub.client.deliver(delivery([send(1)])) }
            #expect(try await hub.client.messages().isEmpty)
        }
    }

    @Test func aForeignPageIsNotTheProtocol() async throws {
        let faults = HubFaults()
        try await HubFixture.running(faults: faults) { hub async throws in
            faults.inject(.foreignPage(status: 200), on: .everything, times: 1)
            let answer = try await hub.client.get(WireProtocol.sessionPath)
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: WireProtocol.header) == nil)
            #expect(answer.text.hasPrefix("<html>"))
            #expect(try await hub.client.get(WireProtocol.sessionPath).headers.first(name: WireProtocol.header) == "1")
        }
    }

    @Test func aRequestThatIsHeldIsReadWhenItIsReleased() async throws {
        let faults = HubFaults()
        try await HubFixture.running(faults: faults) { hub async throws in
            let hold = HubFaults.Hold()
            faults.inject(.hold(hold), times: 1)
            async let report = hub.client.report(delivery([send(1)]))
            try await Eventually.holds("the delivery waits") { hold.isHeld }
            #expect(try await hub.channel("general").messageCount == 0)
            hold.release()
            #expect(try await report.mark == 1)
        }
    }
}
