import CausewayHub
import CausewayHubRules
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import NIOHTTP1
import Synchronization
import Testing

/// Typing and presence: `PUT /v1/channels/CHANNEL/typing`, and the ephemeral events of a part of the log.
@Suite struct EphemeralTests {
    /// However long a test takes, nothing ends by itself.
    private static func patient(_ configuration: inout HubConfiguration) {
        configuration.ephemeral.typingLife = .seconds(3600)
        configuration.ephemeral.presenceGrace = .seconds(3600)
    }

    @Test(arguments: EventCarrier.allCases) func everyCarrierBringsTypingAndPresence(
        by carrier: EventCarrier
    ) async throws {
        try await HubFixture.running(change: Self.patient) { hub in
            let other = try await hub.client(of: "other")
            let cursor = try await hub.client.eventCursor()
            try await other.reading(from: cursor, by: carrier) { view in
                try await view.read("the reader is present") { $0.present == ["general": ["other"]] }
                #expect(try await hub.client.typing(1).decoded(WireTypingResult.self).isShown)
                try await view.read("somebody types") { $0.typing == ["general": ["me"]] }
                // The end overtakes a beginning.
                #expect(try await hub.client.typing(3, false).decoded(WireTypingResult.self).isShown)
                #expect(try await !hub.client.typing(2).decoded(WireTypingResult.self).isShown)
                try await view.read("typing has ended") { $0.typing.isEmpty }
                _ = try await hub.client.events("cursor=\(cursor)&ephemeral=0")
                try await view.read("both are present") { $0.present == ["general": ["me", "other"]] }
                #expect(view.events == 0)
            }
            // Nothing of it is in the log.
            #expect(try await hub.client.eventCursor() == cursor)
        }
    }

    @Test func aMessageEndsTyping() async throws {
        try await HubFixture.running(change: Self.patient) { hub in
            let other = try await hub.client(of: "other")
            let cursor = try await hub.client.eventCursor()
            try await other.reading(from: cursor, by: .serverSentEvents) { view in
                _ = try await hub.client.typing(1)
                try await view.read("somebody types") { $0.typing == ["general": ["me"]] }
                _ = try await hub.client.report(delivery([send(1)]))
                try await view.read("the message is there") { $0.events > 0 && $0.typing.isEmpty }
            }
        }
    }

    /// The message is still being written: it is delivered again.
    @Test func aMessageThatIsNotAcceptedEndsNoTyping() async throws {
        try await HubFixture.running(change: Self.patient) { hub in
            _ = try await hub.client.typing(1)
            #expect(try await hub.client.report(delivery([send(2)])).kinds == [.gap])
            let shown = try await Self.channels(hub.client).flatMap(\.typing).map(\.user.value)
            #expect(shown == ["me"])
            #expect(try await hub.client.report(delivery([send(1)])).kinds == [.accepted])
            #expect(try await Self.channels(hub.client).flatMap(\.typing).isEmpty)
        }
    }

    /// A reader that knows nothing is not told that there is nothing.
    @Test func aReaderWithoutChannelsWaits() async throws {
        try await HubFixture.running(change: Self.patient) { hub in
            let stranger = try await hub.client(of: "stranger", isMember: false)
            let cursor = try await stranger.eventCursor()
            let isAnswered = Flag()
            let reading = Task {
                defer { isAnswered.raise() }
                return try await stranger.events("cursor=\(cursor)&wait=30&ephemeral=0")
            }
            try await Eventually.holds("it waits") { hub.hub.eventReaders == 1 || isAnswered.isRaised }
            let me = EventAuthor("me", hub.client, ids: 0)
            try await me.member(.add(.member), "general/stranger")
            let part = try await reading.value
            #expect(part.names.contains("channelMember general/stranger"))
        }
    }

    @Test func typingAndPresenceEndByThemselves() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.ephemeral.typingLife = .milliseconds(200)
            $0.ephemeral.presenceGrace = .milliseconds(20)
            $0.eventCheck = .milliseconds(10)
        }
        try await HubFixture.running(change: change) { hub in
            let other = try await hub.client(of: "other")
            let cursor = try await hub.client.eventCursor()
            _ = try await hub.client.typing(1)
            try await Eventually.holds("typing has ended") {
                try await Self.channels(other).allSatisfy(\.typing.isEmpty)
            }
            try await hub.client.reading(from: cursor, by: .serverSentEvents) { view in
                try await other.reading(from: cursor, by: .socket) { other in
                    try await other.read("two are present") { $0.present == ["general": ["me", "other"]] }
                }
                try await view.read("one has left") { $0.present == ["general": ["me"]] }
            }
        }
    }

    /// The ephemeral events that a reader without any gets.
    private static func channels(_ client: HubClient) async throws -> [WireEphemeral.Channel] {
        let cursor = try await client.eventCursor()
        return try await client.events("cursor=\(cursor)&ephemeral=0").ephemeral?.channels ?? []
    }

    // MARK: - Rights

    @Test func onlyMembersSeeIt() async throws {
        try await HubFixture.running(change: Self.patient) { hub in
            let other = try await hub.client(of: "other")
            let stranger = try await hub.client(of: "stranger", isMember: false)
            #expect(try await stranger.typing(1).errorCode == "channelNotFound")
            #expect(try await stranger.typing(1, in: "nothing").errorCode == "channelNotFound")
            _ = try await hub.client.typing(1)
            #expect(try await Self.channels(stranger).isEmpty)
            #expect(try await Self.channels(other).map(\.channel.value) == ["general"])
            // The rights of a removed member end with the removal, for what it reads and for what it is shown as.
            _ = try await other.typing(1)
            let me = EventAuthor("me", hub.client, ids: 0)
            try await me.member(.remove, "general/other")
            #expect(try await Self.channels(other).isEmpty)
            #expect(try await other.typing(2).status == 404)
            let general = try #require(try await Self.channels(hub.client).first)
            #expect(general.typing.map(\.user.value) == ["me"] && general.present.map(\.value) == ["me"])
            try await me.member(.add(.member), "general/other")
            #expect(try await Self.channels(other).first?.present.map(\.value) == ["me", "other"])
        }
    }

    /// More channels than those in which an account is shown as present.
    @Test func aMemberThatLeavesManyChannelsAtOnceIsNotShownInAny() async throws {
        try await HubFixture.running(change: Self.patient) { hub in
            let other = try await hub.client(of: "other")
            let names = (0...HubLimits.presentChannelsMax).map { "c\($0)" }
            let channels = try names.map { try #require(ChannelID($0)) }
            let members = try names.map { try #require(ChannelMemberID("\($0)/other")) }
            let writes =
                channels.map { ChannelAction.create($0, ChannelSettings()).write }
                + members.map { ChannelMemberAction(.add(.member), $0).write }
            let made = try await hub.client.report(
                delivery(writes.enumerated().map { write(Int64($0.offset + 1), $0.element) }))
            #expect(made.kinds.allSatisfy { $0 == .accepted })
            #expect(try await other.typing(1, in: "c0").decoded(WireTypingResult.self).isShown)
            #expect(try await Self.channels(hub.client).flatMap(\.typing).map(\.user.value) == ["other"])
            let removals = members.map { ChannelMemberAction(.remove, $0).write }
            let first = writes.count + 1
            // Further operations of the same lane.
            let removed = try await hub.client.report(
                delivery(removals.enumerated().map { write(Int64(first + $0.offset), $0.element) }))
            #expect(removed.kinds.allSatisfy { $0 == .accepted })
            #expect(try await Self.channels(hub.client).allSatisfy(\.typing.isEmpty))
        }
    }

    /// The reader of the outbox that removes a member is woken, too: by the end of the typing.
    @Test func aRemovalEndsTypingForTheOneWhoRemoves() async throws {
        let rarely: @Sendable (inout HubConfiguration) -> Void = {
            Self.patient(&$0)
            $0.eventCheck = .seconds(3600)
        }
        try await HubFixture.running(change: rarely) { hub in
            let other = try await hub.client(of: "other")
            let cursor = try await hub.client.eventCursor()
            let query = "cursor=\(cursor)&ephemeral=0&outbox=\(outbox(1))"
            try await hub.client.streaming(query) { stream in
                #expect(try await stream.nextPart() != nil)
                #expect(try await other.typing(1).status == 200)
                let shown = try await stream.nextPart()?.ephemeral?.channels.first
                #expect(shown?.typing.map(\.user.value) == ["other"])
                try await EventAuthor("me", hub.client, ids: 0).member(.remove, "general/other")
                let ended = try await stream.nextPart()?.ephemeral?.channels.first
                #expect(ended?.typing.isEmpty == true)
            }
        }
    }

    /// The hub looks at its log for the commits of other processes, and finds those that it has published itself, too.
    @Test func aLookAtTheLogEndsNothingOfANewMember() async throws {
        let often: @Sendable (inout HubConfiguration) -> Void = {
            Self.patient(&$0)
            $0.eventCheck = .milliseconds(25)
        }
        try await HubFixture.running(change: often) { hub in
            let other = try await hub.client(of: "other")
            let me = EventAuthor("me", hub.client, ids: 0)
            // As long as there is a reader, the hub looks.
            try await hub.client.reading(from: try await hub.client.eventCursor(), by: .socket) { view in
                for round in 1...20 as ClosedRange<Int64> {
                    try await me.member(.remove, "general/other")
                    try await me.member(.add(.member), "general/other")
                    #expect(try await other.typing(round).decoded(WireTypingResult.self).isShown)
                    for _ in 1...5 {
                        let seen = try await Self.channels(other).first
                        #expect(seen?.present.map(\.value) == ["me", "other"], "round \(round)")
                        #expect(seen?.typing.map(\.user.value) == ["other"], "round \(round)")
                    }
                }
                try await view.read("the new member is shown") { $0.present == ["general": ["me", "other"]] }
            }
        }
    }

    // MARK: - Positions

    /// More than a part has room for. Nothing changes meanwhile that would wake the reader.
    @Test(arguments: EventCarrier.allCases) func everyCarrierBringsAllChannels(by carrier: EventCarrier) async throws {
        let rarely: @Sendable (inout HubConfiguration) -> Void = {
            Self.patient(&$0)
            $0.eventCheck = .seconds(3600)
        }
        try await HubFixture.running(change: rarely) { hub in
            let name = String(repeating: "o", count: 100)
            let other = try await hub.client(of: name)
            // With the one in which both are already.
            let names = (1..<HubLimits.presentChannelsMax).map { String(repeating: "c", count: 80) + "\($0)" }
            let channels = try names.map { try #require(ChannelID($0)) }
            let members = try names.map { try #require(ChannelMemberID("\($0)/\(name)")) }
            let writes =
                channels.map { ChannelAction.create($0, ChannelSettings()).write }
                + members.map { ChannelMemberAction(.add(.member), $0).write }
            let made = try await hub.client.report(
                delivery(writes.enumerated().map { write(Int64($0.offset + 1), $0.element) }))
            #expect(made.kinds.allSatisfy { $0 == .accepted })
            let cursor = try await hub.client.eventCursor()
            for client in [hub.client, other] { _ = try await client.events("cursor=\(cursor)&ephemeral=0") }
            try await other.reading(from: cursor, by: carrier) { view in
                try await view.read("all channels are there") { $0.present.count == HubLimits.presentChannelsMax }
                #expect(view.present.values.allSatisfy { $0.count == 2 })
            }
        }
    }

    @Test func aReaderNamesWhatItHasSeen() async throws {
        try await HubFixture.running(change: Self.patient) { hub in
            let cursor = try await hub.client.eventCursor()
            let client = hub.client
            func part(_ seen: String) async throws -> WireEphemeral? {
                try await client.events("cursor=\(cursor)&ephemeral=\(seen)").ephemeral
            }
            #expect(try await client.events("cursor=\(cursor)").ephemeral == nil)
            _ = try await client.typing(1)
            let first = try #require(try await part("0"))
            #expect(first.isComplete && first.channels.count == 1)
            #expect(try await part(first.seen) == nil, "seen already")
            // Text of another run of a hub, or of none.
            for foreign in ["1f-1", "1f-7", "x", "1-2-3", "-1"] {
                let part = try #require(try await part(foreign))
                #expect(part.isComplete && part.channels.count == 1)
            }
            _ = try await client.typing(2, false)
            let second = try #require(try await part(first.seen))
            #expect(!second.isComplete && second.channels.map(\.typing) == [[]])
            // A reader that is behind gets none.
            _ = try await client.report(delivery([send(1), send(2, 2), send(3, 3)]))
            let behind = try await client.events("cursor=\(cursor)&limit=1&ephemeral=0")
            #expect(!behind.isUpToDate && behind.ephemeral == nil)
            let long = String(repeating: "a", count: 65)
            #expect(try await client.get("/v1/events?cursor=\(cursor)&ephemeral=\(long)").errorCode == "queryInvalid")
            // Texts that no hub issues: empty, with a space, a slash, a NUL.
            for text in ["", "a%20b", "1f/7", "%00"] {
                let response = try await client.get("/v1/events?cursor=\(cursor)&ephemeral=\(text)")
                #expect(response.errorCode == "queryInvalid", "\(text)")
            }
        }
    }

    // MARK: - Hostile input

    @Test func signalsThatNoClientSendsAreRefused() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.typingSignalsMax = 1000 }
        try await HubFixture.running(change: change) { hub in
            let long = String(repeating: "d", count: 65)
            let bodies: [(String, Int, String)] = [
                (#"{"device":"d","sequence":1}"#, 400, "jsonInvalid"),
                (#"{"device":"d","sequence":1,"isTyping":1}"#, 400, "jsonInvalid"),
                (#"{"device":"a b","sequence":1,"isTyping":true}"#, 400, "typingInvalid"),
                (#"{"device":"","sequence":1,"isTyping":true}"#, 400, "typingInvalid"),
                (#"{"device":"\#(long)","sequence":1,"isTyping":true}"#, 400, "typingInvalid"),
                (#"{"device":"d","sequence":-1,"isTyping":true}"#, 400, "typingInvalid"),
                (#"{"device":"d","sequence":9223372036854775807,"isTyping":true}"#, 400, "typingInvalid"),
                ("[[[[[[1]]]]]]", 400, "jsonInvalid"), ("nothing", 400, "jsonInvalid"),
                (String(repeating: " ", count: HubLimits.typingBodyBytesMax + 1), 413, "bodyTooLarge"),
            ]
            for (body, status, code) in bodies {
                let answer = try await hub.client.setTyping(in: "general", Array(body.utf8))
                #expect(answer.status == status && answer.errorCode == code, "\(body): \(answer.text)")
            }
            let name = String(repeating: "c", count: 129)
            #expect(try await hub.client.typing(1, in: name).errorCode == "nameInvalid")
            let text: HTTPHeaders = ["Content-Type": "text/plain"]
            #expect(try await hub.client.setTyping(in: "general", [1], headers: text).status == 415)
            #expect(try await HubClient(port: hub.port, token: "wrong").typing(1).status == 401)
        }
    }

    @Test func theSignalsOfAnAccountAreLimited() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.typingSignalsMax = 3
            $0.typingSignalRefill = .seconds(3600)
        }
        try await HubFixture.running(change: change) { hub in
            let other = try await hub.client(of: "other")
            for number in 1...3 as ClosedRange<Int64> { #expect(try await hub.client.typing(number).status == 200) }
            let refused = try await hub.client.typing(4)
            #expect(refused.status == 429 && refused.errorCode == "tooManySignals")
            let wait = refused.headers.first(name: "Retry-After").flatMap { Int($0) }
            #expect(wait.map { (1...3600).contains($0) } == true)
            #expect(try await other.typing(1).status == 200, "the limit of one account")
        }
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .relaxed) }

    func raise() { value.store(true, ordering: .relaxed) }
}
