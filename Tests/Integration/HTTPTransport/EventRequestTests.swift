import CausewayHTTPTransport
import CausewayModels
import CausewayTestSupport
import CausewayTransport
import CausewayWire
import Foundation
import NIOCore
import Testing

/// Requests for parts of the log and for typing signals, and the responses that no hub sends.
@Suite(.timeLimit(.minutes(5))) struct EventRequestTests {
    private static func cursor(_ text: String = "a") throws -> EventCursor {
        try #require(EventCursor(rawValue: text))
    }

    private static func withEvents(
        script: @escaping ScriptedHTTPServer.Script,
        body: (_ server: ScriptedHTTPServer, _ transport: HTTPTransport, _ events: any EventSource) async throws -> Void
    ) async throws {
        try await ScriptedHTTPServer.run(script: script) { server, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                try await body(server, transport, try #require(transport.events))
            }
        }
    }

    private static func part(
        _ cursor: String = "b", events: [String] = [], isUpToDate: Bool = true, isReset: Bool = false,
        ephemeral: String? = nil, headers: [(String, String)] = []
    ) -> ScriptedHTTPServer.Step {
        let seen = ephemeral.map { #","ephemeral":\#($0)"# } ?? ""
        let text =
            #"{"events":[\#(events.joined(separator: ","))],"limited":[],"cursor":"\#(cursor)","#
            + #""isUpToDate":\#(isUpToDate),"isReset":\#(isReset)\#(seen)}"#
        return .hub(200, text, headers)
    }

    /// - Parameter value: as JSON; without it, the record was deleted.
    private static func event(
        topic: String = "channel:general", kind: String = "message", id: String = "\(Sample.message(1))",
        version: Int = 1, value: String? = nil
    ) -> String {
        let value = value.map { #","value":\#($0)"# } ?? ""
        return #"{"topic":"\#(topic)","kind":"\#(kind)","id":"\#(id)","version":\#(version)\#(value)}"#
    }

    private static func message(_ number: Int) -> String {
        #"{"id":"\#(Sample.message(number))","channel":"general","sender":"ada","#
            + #""content":{"v":1,"type":"text","text":"a"},"createdAt":1,"position":1,"acceptedAt":2}"#
    }

    /// The name of an error; `ok` without one.
    private static func outcome(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "ok"
        } catch {
            return (error as? TransportError)?.name ?? "\(error)"
        }
    }

    // MARK: - Requests

    @Test func aReaderWaitsOnceItIsUpToDate() async throws {
        let ephemeral = #"{"seen":"s1","isComplete":true,"channels":[]}"#
        try await Self.withEvents { request in
            switch request.number {
            case 1: [Self.part("b", events: [Self.event()], isUpToDate: false)]
            case 2: [Self.part("c", ephemeral: ephemeral)]
            case 3: [Self.part("c")]
            default: [Self.part("d", isUpToDate: false)]
            }
        } body: { server, _, events in
            let stream = try await events.open(from: try Self.cursor(), knowing: nil)
            for _ in 1...4 { _ = try await stream.next(knowing: nil) }
            let last = await Self.outcome { _ = try await stream.next(knowing: nil) }
            #expect(last == "inDoubt", "a part that leads nowhere")
            #expect(
                server.requests.map { "\($0.method) \($0.path)" } == [
                    "GET /v1/events?cursor=a&wait=0&limit=1000&ephemeral=0",
                    "GET /v1/events?cursor=b&wait=0&limit=1000&ephemeral=0",
                    "GET /v1/events?cursor=c&wait=25&limit=1000&ephemeral=s1",
                    "GET /v1/events?cursor=c&wait=25&limit=1000&ephemeral=s1",
                    // A reader that is behind has cleared what it knew of ephemeral events.
                    "GET /v1/events?cursor=d&wait=0&limit=1000&ephemeral=0",
                ])
        }
    }

    /// A name of what has been seen that cannot stand in a request is not repeated.
    @Test func whatWasSeenIsNamedOnlyAsAHubNamesIt() async throws {
        let ephemeral = #"{"seen":"s 1&wait=0","isComplete":true,"channels":[]}"#
        try await Self.withEvents { _ in
            [Self.part("b", ephemeral: ephemeral)]
        } body: { server, _, events in
            let stream = try await events.open(from: try Self.cursor(), knowing: nil)
            for _ in 1...2 { _ = try await stream.next(knowing: nil) }
            #expect(server.requests.last?.path == "/v1/events?cursor=b&wait=25&limit=1000&ephemeral=0")
        }
    }

    @Test func theOutboxOfTheClientIsNamed() async throws {
        try await Self.withEvents { request in
            request.path.hasPrefix("/v1/events") ? [Self.part()] : [.hub(200, #"{"user":"ada","server":"test"}"#)]
        } body: { server, transport, events in
            let stream = try await events.open(from: try Self.cursor(), knowing: nil)
            _ = try await transport.authenticate(knowing: nil, outbox: Sample.outbox(7))
            _ = try await transport.authenticate(knowing: nil, outbox: nil)
            _ = try await stream.next(knowing: nil)
            #expect(server.requests.last?.path.hasSuffix("&ephemeral=0&outbox=\(Sample.outbox(7))") == true)
            // The response does not fit a delivery, which may have been applied all the same.
            let name = try await Exchange.deliver.outcome(on: transport).name
            #expect(name == "inDoubt")
            _ = try await stream.next(knowing: nil)
            #expect(server.requests.last?.path.hasSuffix("&outbox=\(Sample.outbox(1))") == true)
        }
    }

    @Test func theHistoryIsNamedAndRead() async throws {
        let (id, seal) = (String(repeating: "a", count: 32), String(repeating: "0", count: 64))
        let text = "\(id).\(id).0.\(id).5.\(seal)"
        try await Self.withEvents { request in
            switch request.number {
            case 1: [Self.part("b", headers: [("Causeway-History", text)])]
            case 2: [Self.part("c", headers: [("Causeway-History", text), ("Causeway-History", text)])]
            default: [Self.part("d", headers: [("Causeway-History", text + "0")])]
            }
        } body: { server, _, events in
            let known = ServerHistory(server: "s", id: "h", commit: 1, claim: "claim")
            let stream = try await events.open(from: try Self.cursor(), knowing: known)
            var commits: [Int64?] = []
            for _ in 1...3 {
                guard case .batch(let batch) = try await stream.next(knowing: known) else { continue }
                commits.append(batch.history?.commit)
            }
            #expect(commits == [5, nil, nil])
            #expect(server.requests.map { $0.header("Causeway-History") } == ["claim", "claim", "claim"])
        }
    }

    @Test func aCursorOfAnotherServerIsNotSent() async throws {
        try await Self.withEvents { _ in
            [Self.part()]
        } body: { server, _, events in
            for text in ["a b", "a&wait=0", String(repeating: "a", count: 201)] {
                let name = await Self.outcome {
                    _ = try await events.open(from: try Self.cursor(text), knowing: nil)
                }
                #expect(name == "refused(cursorInvalid)")
            }
            #expect(server.requests.isEmpty)
        }
    }

    // MARK: - Responses

    @Test func theEndOfTheLogIsEmpty() async throws {
        try await Self.withEvents { request in
            request.number == 1 ? [Self.part("z")] : [Self.part("z", events: [Self.event()])]
        } body: { server, _, events in
            let first = try await events.currentCursor(knowing: nil).cursor
            #expect(first.rawValue == "z")
            let name = await Self.outcome { _ = try await events.currentCursor(knowing: nil) }
            #expect(name == "inDoubt")
            #expect(server.requests.map(\.path) == ["/v1/events", "/v1/events"])
        }
    }

    static let unfit: [(why: String, part: ScriptedHTTPServer.Step)] = [
        ("a cursor that needs escaping", part("b c")),
        ("no cursor", part("")),
        ("more to come, and no progress", part("a", isUpToDate: false)),
        ("more than asked for", part(events: (1...1001).map { event(id: "\(Sample.message($0))") })),
        ("a record twice", part(events: [event(), event(version: 2)])),
        ("a version below zero", part(events: [event(version: -1)])),
        ("a version beyond all", part(events: [event(version: .max)])),
        ("a message without an id", part(events: [event(id: "x")])),
        ("another message", part(events: [event(value: message(2))])),
        ("a message of another channel", part(events: [event(topic: "channel:other", value: message(1))])),
        ("a message that is none", part(events: [event(value: #"{"a":1}"#)])),
        ("a record without an id", part(events: [event(kind: "channel", id: "", value: "{}")])),
        ("a record with a long id", part(events: [event(kind: "channel", id: longID, value: "{}")])),
        ("a record without a version", part(events: [event(kind: "channel", id: "c", version: 0, value: "{}")])),
        ("a reset with events", part(events: [event()], isReset: true)),
    ]

    private static let longID = String(repeating: "x", count: Limits.recordIDBytesMax + 1)

    @Test(arguments: unfit)
    func aPartThatDoesNotFitEndsTheStream(_ row: (why: String, part: ScriptedHTTPServer.Step)) async throws {
        try await Self.withEvents { _ in
            [row.part]
        } body: { server, _, events in
            let stream = try await events.open(from: try Self.cursor(), knowing: nil)
            let first = await Self.outcome { _ = try await stream.next(knowing: nil) }
            #expect(first == "inDoubt")
            let second = await Self.outcome { _ = try await stream.next(knowing: nil) }
            #expect(second == "unreachable", "the stream has ended")
            #expect(server.requests.count == 1)
        }
    }

    @Test func aResetEndsTheStream() async throws {
        try await Self.withEvents { _ in
            [Self.part("z", isReset: true)]
        } body: { server, _, events in
            let stream = try await events.open(from: try Self.cursor(), knowing: nil)
            let part = try await stream.next(knowing: nil)
            let end = try Self.cursor("z")
            #expect(part == .reset(EventStart(cursor: end)))
            let name = await Self.outcome { _ = try await stream.next(knowing: nil) }
            #expect(name == "unreachable")
            #expect(server.requests.count == 1)
        }
    }

    /// Topics and kinds of a later version are no reason to refuse the rest.
    @Test func whatIsUnknownIsLeftOut() async throws {
        let record = #"{"a":1}"#
        let events = [
            Self.event(value: Self.message(1)), Self.event(topic: "later", value: Self.message(1)),
            Self.event(kind: "no kind!", id: "", value: record),
            Self.event(kind: "membership", id: "m", value: record),
            Self.event(topic: "account", kind: "membership", id: "m"),
        ]
        try await Self.withEvents { _ in
            [Self.part(events: events)]
        } body: { _, _, source in
            let stream = try await source.open(from: try Self.cursor(), knowing: nil)
            guard case .batch(let batch) = try await stream.next(knowing: nil) else {
                Issue.record("no batch")
                return
            }
            let channel = EventTopic.channel(try Sample.channel())
            #expect(batch.events.map(\.topic) == [channel, .unknown("later"), channel, .account])
            let value = Data(record.utf8)
            let stored = RemoteRecord(kind: "membership", id: "m", version: 1, value: value)
            #expect(batch.events.map(\.change).suffix(2) == [.record(stored), .recordDeleted("membership", "m")])
        }
    }

    @Test func refusalsAreNamed() async throws {
        try await Self.withEvents { _ in
            [.hubError(404, "eventsUnknown")]
        } body: { _, _, events in
            let name = await Self.outcome { _ = try await events.currentCursor(knowing: nil) }
            #expect(name == "refused(eventsUnknown)")
        }
    }

    // MARK: - Ephemeral events

    @Test func ephemeralEventsAreLimited() async throws {
        let users = (1...201).map { #""u\#($0)""# }.joined(separator: ",")
        let typing = (1...201).map { #"{"user":"u\#($0)","milliseconds":\#($0 == 1 ? 60_001 : $0 - 3)}"# }
        let first =
            #"{"channel":"general","typing":[\#(typing.joined(separator: ","))],"present":[\#(users)]}"#
        let rest = (1...10_000).map { #"{"channel":"c\#($0)","typing":[],"present":[]}"# }
        let channels = ([first] + rest).joined(separator: ",")
        let ephemeral = #"{"seen":"s","isComplete":false,"channels":[\#(channels)]}"#
        try await Self.withEvents { _ in
            [Self.part(ephemeral: ephemeral)]
        } body: { _, _, events in
            let stream = try await events.open(from: try Self.cursor(), knowing: nil)
            guard case .batch(let batch) = try await stream.next(knowing: nil), let update = batch.ephemeral else {
                Issue.record("no ephemeral events")
                return
            }
            #expect(update.channels.count == 10_000 && !update.isComplete)
            let channel = try #require(update.channels.first)
            #expect(channel.present.count == 200 && channel.typing.count == 200)
            #expect(
                channel.typing.prefix(4).map(\.remaining) == [
                    .seconds(60), .zero, .zero, .milliseconds(1),
                ])
        }
    }

    @Test func aTypingSignalIsOneRequest() async throws {
        try await Self.withEvents { request in
            switch request.number {
            case 1: [.hub(200, #"{"isShown":false}"#)]
            case 2: [.hub(200, "{}")]
            default: [.hubError(404, "channelNotFound")]
            }
        } body: { server, transport, _ in
            let ephemeral = try #require(transport.ephemeral)
            let channel = try Sample.channel()
            for (device, expected) in [
                ("d", "ok"), ("d", "inDoubt"), ("d", "refused(channelNotFound)"), ("", "refused(unsendable)"),
                ("a b", "refused(unsendable)"), (String(repeating: "d", count: 65), "refused(unsendable)"),
            ] {
                let name = await Self.outcome {
                    try await ephemeral.setTyping(
                        TypingSignal(channel: channel, isTyping: true, device: device, sequence: 3))
                }
                #expect(name == expected)
            }
            let request = try #require(server.requests.first)
            #expect("\(request.method) \(request.path)" == "PUT /v1/channels/general/typing")
            let sent = try JSONDecoder().decode(WireTyping.self, from: Data(request.body.readableBytesView))
            #expect(sent == WireTyping(device: "d", sequence: 3, isTyping: true))
            #expect(server.requests.count == 3, "none of those that cannot be sent")
        }
    }
}
