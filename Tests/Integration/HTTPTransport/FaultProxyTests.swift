import CausewayHTTPTransport
import CausewayTestSupport
import CausewayTransport
import Testing

/// Each kind of network fault, and its classification.
@Suite struct FaultProxyTests {
    private static let report = #"{"mark":1,"results":[{"kind":"accepted","position":1,"acceptedAt":1}]}"#

    /// The fault, the result of a delivery, and whether the server received it.
    static let rows: [(fault: FaultProxy.Fault, expected: String, arrives: Bool)] = [
        (.none, "ok", true),
        (.slices, "ok", true),
        (.slow(bytes: 100, pause: .milliseconds(1)), "ok", true),
        (.reset(.toServer, afterBytes: 20), "inDoubt", false),
        (.finish(.toServer, afterBytes: 20), "inDoubt", false),
        (.reset(.toClient, afterBytes: 20), "inDoubt", true),
        (.finish(.toClient, afterBytes: 20), "inDoubt", true),
        (.lostResponse, "inDoubt", true),
        (.blackHole, "inDoubt", false),
    ]

    @Test(arguments: rows)
    func aFaultOnTheWay(_ row: (fault: FaultProxy.Fault, expected: String, arrives: Bool)) async throws {
        // Only the black hole ends by a time-out.
        let isSilent = row.fault == .blackHole
        let timeouts = HTTPTransportConfiguration.Timeouts(
            connect: .seconds(600), firstByte: isSilent ? .milliseconds(50) : .seconds(600), whole: .seconds(600))
        let configuration = HTTPTransportConfiguration(timeouts: timeouts, proxy: .none)
        try await ScriptedHTTPServer.run { _ in
            [.hub(200, Self.report)]
        } body: { server, port in
            try await FaultProxy.run(to: port) { _ in
                row.fault
            } body: { proxy, port in
                try await withTransport(to: "http://127.0.0.1:\(port)", configuration) { transport in
                    let name = try await Exchange.deliver.outcome(on: transport).name
                    #expect(name == row.expected)
                }
                if row.arrives { await server.hasRequests(1) }
                #expect(server.requests.count == (row.arrives ? 1 : 0))
                // A time-out may occur before the proxy has accepted the connection.
                #expect(proxy.connectionCount <= 1)
            }
        }
    }

    @Test func aSeedDrawsTheSameFaultsAgain() {
        let plan = FaultProxy.seeded(7)
        let faults = (1...200).map(plan)
        #expect(faults == (1...200).map(FaultProxy.seeded(7)))
        #expect(faults != (1...200).map(FaultProxy.seeded(8)))
        #expect(faults.contains(.refuse))
        #expect(faults.contains(.slices))
        #expect(faults.contains(.none))
    }
}
