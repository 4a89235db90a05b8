import CausewayHub
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWebSocket
import CausewayWire
import Testing

/// Events over a socket: long polls, and streams in parts.
@Suite struct SocketEventTests {
    static func stream(_ id: Int64, _ query: String = "") -> WireSocket.Request {
        WireSocket.Request(
            id: id, method: "GET", path: WireProtocol.eventsPath + query, headers: ["accept": "text/event-stream"])
    }

    static func part(_ socket: RawSocket) async throws -> (WireSocket.Response, WireEvents) {
        let response = try await socket.response()
        #expect(response.status == 200 && response.hasMore)
        return (response, try JSONCoding.decode(WireEvents.self, from: try #require(response.body)))
    }

    private static func send(_ message: WireSocket.ClientMessage, _ socket: RawSocket) async throws {
        try await socket.send(RawSocket.Frame(opcode: 1, payload: message.text))
    }

    @Test func aWaitingRequestIsAnsweredByTheNextChange() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            let cursor = try await hub.client.eventCursor()
            try await socket.request(
                WireSocket.Request(id: 1, method: "GET", path: "/v1/events?cursor=\(cursor)&wait=30"))
            try await Eventually.holds("the reader waits") { hub.hub.eventReaders == 1 }
            // Other requests pass it.
            #expect(try await socket.get(WireProtocol.sessionPath, id: 2).id == 2)
            _ = try await hub.client.report(delivery([CausewayHubTests.send(1)]))
            let response = try await socket.response()
            #expect(response.id == 1 && !response.hasMore)
            let events = try JSONCoding.decode(WireEvents.self, from: try #require(response.body))
            #expect(events.events.contains { $0.id == id(1).description })
        }
    }

    @Test func aStreamHasPartsAndAnEnd() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            try await socket.request(Self.stream(3))
            #expect(try await Self.part(socket).1.isUpToDate)
            _ = try await hub.client.report(delivery([CausewayHubTests.send(1)]))
            let (response, events) = try await Self.part(socket)
            #expect(response.id == 3)
            #expect(events.events.contains { $0.id == id(1).description })
            try await Self.send(.cancel(id: 3), socket)
            let last = try await socket.response()
            #expect(last.id == 3 && !last.hasMore && last.body == nil)
            try await Eventually.holds("the reader has left") { hub.hub.eventReaders == 0 }
            // The id is free, and the stream continues from its cursor.
            _ = try await hub.client.report(delivery([CausewayHubTests.send(2)]))
            try await socket.request(Self.stream(3, "?cursor=\(events.cursor)"))
            #expect(try await Self.part(socket).1.events.contains { $0.id == id(2).description })
        }
    }

    /// Parts that the client has not read hold back the next ones, and nothing else.
    @Test func aStreamWaitsForItsReader() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            let cursor = try await hub.client.eventCursor()
            let text = String(repeating: "x", count: 20_000)
            for number in 1...12 as ClosedRange<Int64> {
                _ = try await hub.client.report(delivery([CausewayHubTests.send(number, content: .text(text))]))
            }
            try await socket.request(Self.stream(3, "?cursor=\(cursor)&topics=channel:general"))
            var names: [String] = []
            for _ in 0..<WireSocket.partsUnreadMax {
                names += try await Self.part(socket).1.events.filter { $0.kind == "message" }.map(\.id)
            }
            // The next message is the response to a request, not a part; parts that were not sent cannot be read.
            try await Self.send(.read(id: 3, parts: 1_000), socket)
            for number in 10..<20 as Range<Int64> {
                #expect(try await socket.get(WireProtocol.sessionPath, id: number).id == number)
            }
            var read = WireSocket.partsUnreadMax
            while names.count < 12 {
                try await Self.send(.read(id: 3, parts: read), socket)
                names += try await Self.part(socket).1.events.filter { $0.kind == "message" }.map(\.id)
                read += 1
            }
            #expect(Set(names) == Set((1...12).map { id($0).description }))
        }
    }

    /// The texts are short, so that most of the bytes are those of the events around them.
    @Test func aPartCountsAllOfItsBytes() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            let cursor = try await hub.client.eventCursor()
            let text = String(repeating: "x", count: 300)
            for first in [1, 101] as [Int64] {
                let operations = (first..<first + 100).map { CausewayHubTests.send($0, content: .text(text)) }
                _ = try await hub.client.report(delivery(operations))
            }
            try await socket.request(Self.stream(3, "?cursor=\(cursor)"))
            var names: Set<String> = []
            var parts = 0 as Int64
            while names.count < 200 {
                let (response, events) = try await Self.part(socket)
                #expect(try #require(response.body).count <= HubLimits.eventStreamPartBytesMax)
                names.formUnion(events.events.filter { $0.kind == "message" }.map(\.id))
                parts += 1
                try await Self.send(.read(id: 3, parts: parts), socket)
            }
        }
    }

    @Test func requestsForEventsAreBounded() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            let cursor = try await hub.client.eventCursor()
            for number in 1...WireSocket.eventRequestsMax {
                try await socket.request(
                    WireSocket.Request(id: Int64(number), method: "GET", path: "/v1/events?cursor=\(cursor)&wait=30"))
            }
            let response = try await socket.get("/v1/events?cursor=\(cursor)&wait=30", id: 9)
            #expect(response.id == 9 && response.status == 503)
            #expect(response.headers[WireProtocol.historyHeader.lowercased()] != nil)
            #expect(try await socket.get(WireProtocol.sessionPath, id: 10).status == 200)
        }
    }

    /// A client that reads no refusals is not read either: they cannot collect.
    @Test func aFloodOfRequestsForEventsIsNotRead() async throws {
        // However slow the machine is, the client that does not read stays connected.
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.sockets.write = .seconds(3_600) }
        try await HubFixture.running(change: change) { hub in
            let socket = try await RawSocket.open(hub, buffer: 4_096)
            // Streams outlast the test: when one has ended, a request of the flood would be admitted.
            for number in 1...WireSocket.eventRequestsMax { try await socket.request(Self.stream(Int64(number))) }
            try await Eventually.holds("all wait") { hub.hub.eventReaders == WireSocket.eventRequestsMax }
            try await socket.stopReading()
            // Their refusals are more than the system buffers.
            let refused = RawSocket.Frame(
                opcode: 1,
                payload: WireSocket.Request(id: 9, method: "GET", path: WireProtocol.eventsPath).text)
            let last = WireSocket.Request(
                id: 10, method: "POST", path: WireProtocol.deliveriesPath,
                body: try HubClient.coded(delivery([CausewayHubTests.send(1)])))
            let frames = Array(repeatElement(refused.bytes, count: 1_600).joined())
            async let flood: Void = socket.write(frames + RawSocket.Frame(opcode: 1, payload: last.text).bytes)
            for _ in 0..<20 { #expect(try await hub.client.get(WireProtocol.sessionPath).status == 200) }
            #expect(try await hub.channel("general").messageCount == 0)
            try await socket.readOn()
            // However slow the machine is, as long as responses come.
            var response = try await socket.response()
            while response.id == 9 || response.hasMore {
                #expect(response.hasMore || response.status == 503)
                response = try await socket.response()
            }
            #expect(response.id == 10 && response.status == 200)
            try await flood
            #expect(try await hub.channel("general").messageCount == 1)
        }
    }
}
