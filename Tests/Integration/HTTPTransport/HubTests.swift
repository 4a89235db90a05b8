import CausewayHTTPTransport
import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import Testing

/// The transport against the real hub, over real TLS.
@Suite struct HubTests {
    private struct Fixture: Sendable {
        let hub: HubService
        let port: Int
        let token: AccessToken
        let configuration: HTTPTransportConfiguration
        let scheme: String

        func transport(port: Int? = nil) throws -> HTTPTransport {
            try HTTPTransport(to: "\(scheme)://localhost:\(port ?? self.port)", token: token, configuration)
        }
    }

    private static func withHub(
        over scheme: String = "https", faults: HubFaults? = nil, _ body: @Sendable (Fixture) async throws -> Void
    ) async throws {
        let (temporary, folder, token) = try await Sample.hubFolder()
        defer { withExtendedLifetime(temporary) {} }
        let configuration = HTTPTransportConfiguration(
            tls: TLSClientConfiguration(trust: .authorities(path: folder.authorityCertificate)), timeouts: .unhurried,
            proxy: .none)
        try await HubService.running(
            .secure(folder), opening: SQLiteHubStorage.open, faults: faults, logger: Sample.silentLogger
        ) { hub in
            try await body(
                Fixture(
                    hub: hub, port: try await hub.port(), token: token, configuration: configuration, scheme: scheme))
        }
    }

    private static func serverPositions(_ report: DeliveryReport) -> [ServerPosition] {
        report.outcomes.compactMap { if case .accepted(let serverPosition) = $0 { serverPosition } else { nil } }
    }

    @Test func aDeliveryAndItsRepeat() async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport()
            let serverInfo = try await transport.authenticate()
            #expect(serverInfo.user == UserID("ada"))

            let delivery = try Sample.delivery(1...Limits.batchOperationsMax)
            let report = try await transport.deliver(delivery)
            #expect(Self.serverPositions(report).map(\.position) == Array(1...Int64(Limits.batchOperationsMax)))
            let repeated = try await transport.deliver(delivery)
            #expect(repeated == report, "the stored results")

            let serverPosition = try await transport.lookup(Sample.message(7))
            #expect(serverPosition == Self.serverPositions(report)[6])
            let unknown = try await transport.lookup(Sample.message(9999))
            #expect(unknown == nil)
            await transport.close()
        }
    }

    @Test(arguments: ["https", "wss"]) func oneMessageByItsID(over scheme: String) async throws {
        try await Self.withHub(over: scheme) { fixture in
            let transport = try fixture.transport()
            _ = try await transport.deliver(try Sample.delivery(1...3))
            let query = RemoteQuery(channel: try Sample.channel(), range: .newest, limit: 10)
            let page = try await transport.messages(query)
            let found = try await transport.message(Sample.message(2), knowing: page.history)
            #expect(found.message != nil && found.message == page.items[1])
            let history = try #require(page.history)
            #expect(found.history?.isSame(as: history) == true)
            let unknown = try await transport.message(Sample.message(9999), knowing: nil)
            #expect(unknown.message == nil && unknown.history != nil)
            await transport.close()
        }
    }

    @Test func gapsFencesAndDeletions() async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport()
            let gap = try await transport.deliver(try Sample.delivery(2...3))
            #expect(gap.mark == 0)
            #expect(gap.outcomes == [.gap(mark: 0), .notAttempted])
            #expect(gap.history?.commit == 0)

            var delivery = try Sample.delivery(1...4)
            delivery.operations[1].body = .fence(Sample.message(2))
            delivery.operations[3].body = .delete(Sample.message(1))
            let report = try await transport.deliver(delivery)
            #expect(report.mark == 4)
            #expect(report.outcomes[1] == .fenced)
            #expect(report.outcomes[3] == .deleted)
            let deleted = try await transport.lookup(Sample.message(1))
            #expect(deleted == nil)

            var late = try Sample.delivery(2...2)
            let lateReport = try await transport.deliver(late)
            #expect(lateReport.outcomes == [.late(mark: 4)])
            late.epoch = 0
            let error = await #expect(throws: TransportError.self) { try await transport.deliver(late) }
            #expect(error?.name == "actionRequired(superseded)")

            var elsewhere = try Sample.delivery(5...6)
            elsewhere.operations[0].body = .send(
                Sample.message(5), channel: try Sample.channel("nowhere"), content: .text("a"),
                createdAt: Timestamp(milliseconds: 1))
            elsewhere.operations[0].previous = 4
            let refusal = try await transport.deliver(elsewhere)
            guard case .refused(let code, _) = refusal.outcomes.first else {
                Issue.record("\(refusal)")
                return
            }
            #expect(code == "channelNotFound")
            #expect(Self.serverPositions(refusal).count == 1, "the one behind it went on")
            await transport.close()
        }
    }

    @Test func pages() async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport()
            _ = try await transport.deliver(try Sample.delivery(1...50))
            let channel = try Sample.channel()
            let ranges: [(RemoteQuery.Range, ClosedRange<Int64>, Bool)] = [
                (.newest, 41...50, true), (.before(position: 41), 31...40, true), (.before(position: 6), 1...5, false),
                (.after(position: 0), 1...10, true), (.after(position: 45), 46...50, false),
            ]
            for (range, positions, hasMore) in ranges {
                let page = try await transport.messages(RemoteQuery(channel: channel, range: range, limit: 10))
                #expect(page.items.map(\.serverPosition.position) == Array(positions), "\(range)")
                #expect(page.hasMore == hasMore, "\(range)")
                #expect(page.items.allSatisfy { $0.sender == UserID("ada") })
            }
            let nowhere = RemoteQuery(channel: try Sample.channel("nowhere"), range: .newest, limit: 1)
            let error = await #expect(throws: TransportError.self) { try await transport.messages(nowhere) }
            #expect(error?.name == "refused(channelNotFound)")
            await transport.close()
        }
    }

    @Test func pagesAndEventsWithDeletedMessages() async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport()
            _ = try await transport.deliver(try Sample.delivery(1...3))
            let channel = try Sample.channel()
            let before = try await transport.messages(RemoteQuery(channel: channel, range: .newest, limit: 9))
            let events = try #require(transport.events)
            let stream = try await events.open(from: events.currentCursor(knowing: nil).cursor, knowing: nil)
            var deletion = try Sample.delivery(4...4)
            deletion.operations[0].body = .delete(before.items[1].id)
            #expect(try await transport.deliver(deletion).outcomes == [.deleted])
            var query = RemoteQuery(channel: channel, range: .newest, limit: 9, includesDeleted: true)
            let page = try await transport.messages(query)
            #expect(page.items.map(\.id) == [before.items[0].id, before.items[2].id] && page.range == 1..<4)
            let (left, message) = (try #require(page.deleted.first), before.items[1])
            #expect(page.deleted.count == 1 && left.id == message.id && left.channel == channel && left.type == .text)
            #expect(left.sender == message.sender && left.serverPosition == message.serverPosition)
            #expect(left.createdAt == message.createdAt && left.deletedAt != nil)
            query.includesDeleted = false
            #expect(try await transport.messages(query).deleted == [])
            var found: [RemoteEvent] = []
            while found.isEmpty {
                guard case .batch(let batch) = try await stream.next(knowing: nil) else { break }
                found = batch.events.filter { $0.change == .messageDeleted(message.id) }
            }
            #expect(found.map(\.deleted) == [left])
            await stream.close()
            await transport.close()
        }
    }

    @Test func changes() async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport()
            _ = try await transport.deliver(try Sample.delivery(1...50))
            let channel = try Sample.channel()
            let page = try await transport.messages(RemoteQuery(channel: channel, range: .newest, limit: 10))
            var query = RemoteChangesQuery(
                channel: channel, cursor: try #require(page.cursor), from: 41, through: 50, isOpen: true, limit: 10)
            let unchanged = try #require(try await transport.changes(query))
            #expect(unchanged.items == [] && unchanged.gone == [])
            #expect(unchanged.cursor == query.cursor && unchanged.newest == 50)
            #expect(unchanged.history == page.history && page.history != nil)
            var delivery = try Sample.delivery(51...53)
            delivery.operations[1].body = .delete(Sample.message(45))
            delivery.operations[2].body = .delete(Sample.message(2))
            _ = try await transport.deliver(delivery)
            let changes = try #require(try await transport.changes(query))
            #expect(changes.items.map(\.serverPosition.position) == [51])
            #expect(changes.gone == [Sample.message(45)] && changes.newest == 51)
            query.limit = 1
            #expect(try await transport.changes(query) == nil, "too many")
            query.cursor = "of-another-server"
            #expect(try await transport.changes(query) == nil)
            query.channel = try Sample.channel("nowhere")
            query.cursor = changes.cursor
            let error = await #expect(throws: TransportError.self) { try await transport.changes(query) }
            #expect(error?.name == "refused(channelNotFound)")
            await transport.close()
        }
    }

    @Test func aTokenThatIsNotTheAccounts() async throws {
        try await Self.withHub { fixture in
            let transport = try HTTPTransport(
                to: "https://localhost:\(fixture.port)", token: try Sample.token(), fixture.configuration)
            for call in Exchange.allCases {
                let (name, error) = try await call.outcome(on: transport)
                #expect(name == "actionRequired(tokenRefused)")
                #expect(error?.description.contains("log in again") == true)
                #expect(error?.description.contains(Sample.tokenText) == false)
            }
            await transport.close()
        }
    }

    /// The hub commits, and the network loses its response. The repeat returns the stored result, and there is one
    /// copy.
    @Test func aLostAcknowledgement() async throws {
        try await Self.withHub { fixture in
            try await FaultProxy.run(to: fixture.port) { proxy, port in
                let transport = try fixture.transport(port: port)
                _ = try await transport.authenticate()
                try await proxy.use(.lostResponse)
                let delivery = try Sample.delivery(1...3)
                let error = await #expect(throws: TransportError.self) { try await transport.deliver(delivery) }
                #expect(error?.name == "inDoubt")

                // Asked directly, not through the proxy: the hub has them, although the client got no response.
                let direct = try fixture.transport()
                let stored = try await direct.lookup(Sample.message(3))
                #expect(stored?.position == 3)
                await direct.close()

                try await proxy.use(.none)
                let report = try await transport.deliver(delivery)
                #expect(Self.serverPositions(report).last == stored)
                let page = try await transport.messages(
                    RemoteQuery(channel: try Sample.channel(), range: .newest, limit: 10))
                #expect(page.items.map(\.id) == (1...3).map(Sample.message))
                await transport.close()
            }
        }
    }

    /// A bad network with a seed: in any case a delivery repeated until it gets a response is stored once, in order.
    @Test(arguments: [1, 2, 3, 4] as [UInt64], ["https", "wss", "auto"])
    func aBadNetwork(_ seed: UInt64, over scheme: String) async throws {
        try await Self.withHub(over: scheme) { fixture in
            try await FaultProxy.run(to: fixture.port, plan: FaultProxy.seeded(seed, bytesMax: 12_000)) { proxy, port in
                var failures: Set<String> = []
                for first in stride(from: 1, to: 200, by: 10) {
                    // Each iteration uses a new connection, so that each meets the plan.
                    while true {
                        let transport = try fixture.transport(port: port)
                        let delivery = try Sample.delivery(first...(first + 9))
                        let report: DeliveryReport?
                        do throws(TransportError) {
                            report = try await transport.deliver(delivery)
                        } catch {
                            failures.insert(error.name)
                            report = nil
                        }
                        await transport.close()
                        if let report {
                            #expect(
                                Self.serverPositions(report).map(\.position) == (first...(first + 9)).map(Int64.init))
                            break
                        }
                    }
                }
                #expect(failures.isSubset(of: ["unreachable", "inDoubt"]))
                #expect(!failures.isEmpty, "the plan did nothing: \(proxy.connectionCount) connections")
                let direct = try fixture.transport()
                let page = try await direct.messages(
                    RemoteQuery(channel: try Sample.channel(), range: .newest, limit: 1000))
                #expect(page.items.map(\.id) == (1...200).map(Sample.message))
                await direct.close()
            }
        }
    }

    /// The hub's own faults, with the classification of the table.
    @Test(arguments: ["https", "wss", "auto"]) func whatTheHubDoesWrong(over scheme: String) async throws {
        let hold = HubFaults.Hold()
        hold.release()
        let rows: [(HubFaults.Fault, String)] = [
            (.respond(status: 503, code: "busy"), "transient(busy)"),
            (.respond(status: 503, code: "busy", retryAfter: "7"), "rateLimited(7)"),
            (.respond(status: 429, code: "tooFast", retryAfter: "9"), "rateLimited(9)"),
            (.respond(status: 401, code: "tokenRefused"), "actionRequired(tokenRefused)"),
            (.respond(status: 400, code: "bad"), "refused(bad)"),
            (.foreignPage(status: 200), "inDoubt"), (.foreignPage(status: 302), "inDoubt"),
            (.cutBefore, "inDoubt"), (.cutAfter, "inDoubt"), (.hold(hold), "ok"),
        ]
        let faults = HubFaults()
        try await Self.withHub(over: scheme, faults: faults) { fixture in
            let transport = try fixture.transport()
            for (fault, expected) in rows {
                faults.inject(fault, times: 1)
                let name = try await Exchange.deliver.outcome(on: transport).name
                #expect(name == expected, "\(fault)")
            }
            await transport.close()
        }
    }
}
