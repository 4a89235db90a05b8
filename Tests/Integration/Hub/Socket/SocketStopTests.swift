import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayTestSupport
import CausewayWire
import ServiceLifecycle
import Testing

/// A hub that stops while sockets are open, or opened. All of its limits of time are longer than the tests.
@Suite struct SocketStopTests {
    private struct Hub {
        let port: Int
        let token: String
        let faults: HubFaults
        private let group: ServiceGroup

        init(_ hub: HubService, _ group: ServiceGroup, _ faults: HubFaults, token: String) async throws {
            port = try await hub.port()
            (self.group, self.faults, self.token) = (group, faults, token)
        }

        func socket() async throws -> RawSocket { try await RawSocket.open(port: port, token: token) }

        func stop() async { await group.triggerGracefulShutdown() }
    }

    /// Runs a hub until it has stopped; `body` stops it.
    private static func withHub(_ body: @Sendable (Hub) async throws -> Void) async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        // Nothing else listens there when the hub has ended.
        let port = try ReservedPort()
        let configuration = HubConfiguration(folder: folder, port: port.number, security: .plainOnLoopback).patient
        let faults = HubFaults()
        let hub = try await HubService(
            configuration, opening: SQLiteHubStorage.open, faults: faults, logger: HubFixture.logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [hub], logger: HubFixture.logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await body(try await Hub(hub, group, faults, token: try HubFixture.token(in: folder)))
            try await tasks.waitForAll()
        }
        withExtendedLifetime((temporary, port)) {}
    }

    private static func expectEnd(_ socket: RawSocket) async throws {
        #expect(try await socket.closeCode() == 1001)
        await socket.respondToClose(1001)
        try await socket.ended()
    }

    @Test func itEndsStreamsAndCompletesRequests() async throws {
        try await Self.withHub { hub in
            let socket = try await hub.socket()
            try await socket.request(SocketEventTests.stream(3))
            _ = try await SocketEventTests.part(socket)
            await hub.stop()
            let last = try await socket.response()
            #expect(last.id == 3 && !last.hasMore)
            try await Self.expectEnd(socket)
        }
    }

    /// To the server a socket is no connection any more: it ends, and the hub waits for the socket.
    @Test func itCompletesARequestOfASocketWhenNothingElseIsInProgress() async throws {
        try await Self.withHub { hub in
            let socket = try await hub.socket()
            let hold = HubFaults.Hold()
            hub.faults.inject(.hold(hold), times: 1)
            try await socket.request(try SocketTests.delivering(delivery([send(1)]), id: 1))
            try await Eventually.holds("the delivery waits") { hold.isHeld }
            await hub.stop()
            var refusals = 0
            try await Eventually.holds("the server has ended") {
                if (try? await RawSocket.connect(port: hub.port)) == nil { refusals += 1 }
                return refusals == 20
            }
            hold.release()
            let response = try await socket.response()
            #expect(response.id == 1 && response.status == 200)
            try await Self.expectEnd(socket)
        }
    }

    /// A client that reads no parts of its stream keeps no hub from stopping.
    @Test func itWaitsForNoReader() async throws {
        try await Self.withHub { hub in
            let socket = try await hub.socket()
            try await socket.request(SocketEventTests.stream(3))
            _ = try await SocketEventTests.part(socket)
            var parts = 1 as Int64
            for number in 1...WireSocket.partsUnreadMax {
                try await socket.request(try SocketTests.delivering(delivery([send(number)]), id: 10 + number))
                // The last part is held back.
                let messages = number < WireSocket.partsUnreadMax ? 2 : 1
                for _ in 0..<messages where try await socket.response().hasMore { parts += 1 }
            }
            #expect(parts == WireSocket.partsUnreadMax)
            for number in 20..<30 as Range<Int64> {
                #expect(try await socket.get(WireProtocol.sessionPath, id: number).id == number)
            }
            await hub.stop()
            try await Self.expectEnd(socket)
        }
    }

    /// Its opening was a request in progress, which is completed, as is another one that keeps the hub from ending.
    @Test func itEndsASocketThatOpensMeanwhile() async throws {
        try await Self.withHub { hub in
            let earlier = try await hub.socket()
            let (opening, delivering) = (HubFaults.Hold(), HubFaults.Hold())
            hub.faults.inject(.hold(opening), on: .everything, times: 1)
            let later = Task { try await hub.socket() }
            try await Eventually.holds("the opening waits") { opening.isHeld }
            hub.faults.inject(.hold(delivering), times: 1)
            let report = Task {
                try await HubClient(port: hub.port, token: hub.token).report(delivery([send(1)]))
            }
            try await Eventually.holds("the delivery waits") { delivering.isHeld }
            await hub.stop()
            try await Self.expectEnd(earlier)
            opening.release()
            try await Self.expectEnd(try await later.value)
            delivering.release()
            #expect(try await report.value.mark == 1)
        }
    }
}
