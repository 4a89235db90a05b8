import CausewayModels
import CausewayWire
import NIOHTTP1
import Testing

/// The carriers of events.
enum EventCarrier: CaseIterable {
    case longPoll, serverSentEvents, socket
}

/// The ephemeral events of a reader, put together from the parts that it got.
struct EphemeralView {
    private(set) var typing: [String: [String]] = [:]
    private(set) var present: [String: [String]] = [:]
    /// Events of the log that came with them.
    private(set) var events = 0
    private let next: () async throws -> WireEvents

    fileprivate init(_ next: @escaping () async throws -> WireEvents) { self.next = next }

    mutating func apply(_ part: WireEvents) {
        events += part.events.count
        if !part.isUpToDate || part.ephemeral?.isComplete == true { (typing, present) = ([:], [:]) }
        #expect(part.isUpToDate || part.ephemeral == nil)
        for channel in part.ephemeral?.channels ?? [] {
            let name = channel.channel.value
            typing[name] = channel.typing.isEmpty ? nil : channel.typing.map(\.user.value)
            present[name] = channel.present.isEmpty ? nil : channel.present.map(\.value)
            #expect(channel.typing.allSatisfy { $0.milliseconds > 0 })
        }
    }

    /// Reads parts until a condition holds.
    mutating func read(_ what: String, until holds: (EphemeralView) -> Bool) async throws {
        var parts = 0
        while !holds(self) {
            parts += 1
            guard parts < 100 else {
                Issue.record("it never came about that \(what): \(typing) \(present)")
                return
            }
            apply(try await next())
        }
    }
}

extension HubClient {
    func typing(
        _ sequence: Int64, _ isTyping: Bool = true, in channel: String = "general", device: String = "desk"
    ) async throws -> Answer {
        let signal = WireTyping(device: device, sequence: sequence, isTyping: isTyping)
        return try await setTyping(in: channel, try #require(JSONWriter.text(of: Self.value(signal))))
    }

    func setTyping(in channel: String, _ body: [UInt8], headers: HTTPHeaders = [:]) async throws -> Answer {
        try await send(.PUT, WireProtocol.typingPath(channel), body, headers: headers)
    }

    private static func value(_ signal: WireTyping) -> JSONValue {
        .object([
            "device": .string(signal.device), "sequence": .integer(signal.sequence),
            "isTyping": .bool(signal.isTyping),
        ])
    }

    /// Reads events from a cursor with this carrier, with ephemeral events from the start.
    func reading(
        from cursor: String, by carrier: EventCarrier, _ body: (inout EphemeralView) async throws -> Void
    ) async throws {
        switch carrier {
        case .longPoll:
            var (cursor, seen) = (cursor, WireEphemeral.unseen)
            var view = EphemeralView {
                let part = try await events("cursor=\(cursor)&wait=30&ephemeral=\(seen)")
                (cursor, seen) = (part.cursor, part.ephemeral?.seen ?? seen)
                return part
            }
            try await body(&view)
        case .serverSentEvents:
            try await streaming("cursor=\(cursor)&ephemeral=\(WireEphemeral.unseen)") { stream in
                var stream = stream
                var view = EphemeralView { try #require(try await stream.nextPart()) }
                try await body(&view)
            }
        case .socket:
            let socket = try await RawSocket.open(port: port, token: token ?? "")
            let path = "\(WireProtocol.eventsPath)?cursor=\(cursor)&ephemeral=\(WireEphemeral.unseen)"
            try await socket.request(
                WireSocket.Request(id: 3, method: "GET", path: path, headers: ["accept": "text/event-stream"]))
            var parts: Int64 = 0
            var view = EphemeralView {
                let response = try await socket.response()
                parts += 1
                let read = WireSocket.ClientMessage.read(id: 3, parts: parts)
                try await socket.send(RawSocket.Frame(opcode: 1, payload: read.text))
                return try JSONCoding.decode(WireEvents.self, from: try #require(response.body))
            }
            try await body(&view)
            await socket.close()
        }
    }
}
