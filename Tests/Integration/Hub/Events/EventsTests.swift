import CausewayHub
import CausewayHubStorage
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import NIOHTTP1
import Testing

/// `GET /v1/events`: parts of the log, and waiting for the next one.
@Suite struct EventsTests {
    /// Starts a request that waits, and returns when the hub knows it.
    private static func waiting(
        _ hub: HubFixture, _ client: HubClient, _ query: String
    ) async throws -> Task<WireEvents, any Error> {
        let task = Task { try await client.events(query) }
        try await Eventually.holds("a reader waits") { hub.hub.eventReaders == 1 }
        return task
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func everyChangeOfAnotherAccountWakesAReader(kind: HubFixture.StorageKind) async throws {
        // The commit wakes the reader, not the look at the log from time to time; nor does the wait end.
        let configure: @Sendable (inout HubConfiguration) -> Void = { $0.eventCheck = .seconds(3600) }
        try await HubFixture.running(on: kind, change: configure) { hub in
            let other = EventAuthor("other", try await hub.client(of: "other"), ids: 0)
            let third = EventAuthor("third", try await hub.client(of: "third", isMember: false), ids: 100)
            try await hub.hub.administration.setMember(try #require(ChannelMemberID("general/other")), .owner)
            let actions: [(String, () async throws -> Void)] = [
                ("message \(id(1))", { try await other.send() }),
                ("message \(id(1))", { try await other.deliver { change(.edit, $0, $1, on: 1) } }),
                ("message \(id(1))", { try await other.deliver { change(.addReaction, $0, $1, on: 1) } }),
                ("message \(id(1))", { try await other.deliver { change(.removeReaction, $0, $1, on: 1) } }),
                ("-message \(id(1))", { try await other.deliver { sequence, _ in delete(sequence, 1) } }),
                (
                    "channel general",
                    { try await other.channel(ChannelAction.update, "general", ChannelSettings(name: "New")) }
                ),
                ("channelMember general/third", { try await third.member(.join, "general/third") }),
                (
                    "channelMember general/third",
                    { try await other.member(.setRole(.moderator), "general/third") }
                ),
                ("-channelMember general/third", { try await other.member(.remove, "general/third") }),
                ("channelMember general/third", { try await other.member(.add(.member), "general/third") }),
                ("-channelMember general/third", { try await third.member(.leave, "general/third") }),
                (
                    "channelMember general/third",
                    {
                        try await hub.hub.administration.setMember(
                            try #require(ChannelMemberID("general/third")), .member)
                    }
                ),
            ]
            var cursor = try await hub.client.eventCursor()
            var versions: [String: Int64] = [:]
            for (index, (name, act)) in actions.enumerated() {
                let reading = try await Self.waiting(hub, hub.client, "cursor=\(cursor)&wait=30")
                try await act()
                let part = try await reading.value
                #expect(part.names.contains(name), "action \(index): \(part.names)")
                #expect(part.events.allSatisfy { $0.topic == "channel:general" })
                for event in part.events {
                    #expect(event.version > versions[event.kind + event.id] ?? 0, "versions ascend")
                    versions[event.kind + event.id] = event.version
                }
                cursor = try await hub.client.allEvents(after: part.cursor).cursor
                try await Eventually.holds("the reader has left") { hub.hub.eventReaders == 0 }
            }
        }
    }

    /// The token is checked again after the wait, which lasts longer than anything else that a request does.
    @Test(arguments: [false, true]) func aWaitingRequestOfAFormerTokenGetsNothing(isRemoved: Bool) async throws {
        try await HubFixture.running { hub in
            let other = try await hub.client(of: "other")
            let cursor = try await other.eventCursor()
            let reading = try await Self.waiting(hub, other, "cursor=\(cursor)&wait=30")
            if isRemoved {
                try await hub.hub.administration.removeAccount("other")
            } else {
                _ = try await hub.hub.administration.renewAccount("other")
            }
            #expect(try await hub.client.report(delivery([send(1)])).kinds == [.accepted])
            let error = await #expect(throws: HubClient.Unexpected.self) { try await reading.value }
            #expect(error?.status == 401)
        }
    }

    @Test func ownDeliveriesEndAWaitWithTheNextLookAtTheLog() async throws {
        let outbox = outbox(1)
        // Without a look at the log only the delivery of another outbox ends the wait.
        let rarely: @Sendable (inout HubConfiguration) -> Void = { $0.eventCheck = .seconds(3600) }
        try await HubFixture.running(change: rarely) { hub in
            let other = EventAuthor("other", try await hub.client(of: "other"), ids: 100)
            var hasWaited = false
            for number in UInt64(1)...20 where !hasWaited {
                let cursor = try await hub.client.eventCursor()
                let reading = try await Self.waiting(hub, hub.client, "cursor=\(cursor)&wait=30&outbox=\(outbox)")
                _ = try await hub.client.report(delivery([send(Int64(number))]))
                // A reader that had not begun to wait finds the delivery by itself: once more then.
                hasWaited = hub.hub.eventReaders == 1
                if hasWaited { try await other.send() }
                let part = try await reading.value
                guard hasWaited else { continue }
                #expect(part.names == ["message \(id(number))", "message \(id(101))", "channel general"])
            }
            #expect(hasWaited)
        }
        let often: @Sendable (inout HubConfiguration) -> Void = { $0.eventCheck = .milliseconds(20) }
        try await HubFixture.running(change: often) { hub in
            let cursor = try await hub.client.eventCursor()
            let reading = try await Self.waiting(hub, hub.client, "cursor=\(cursor)&wait=30&outbox=\(outbox)")
            _ = try await hub.client.report(delivery([send(1)]))
            #expect(try await reading.value.names == ["message \(id(1))", "channel general"])
            let refused = try await hub.client.get("/v1/events?cursor=\(cursor)&outbox=1")
            #expect(refused.status == 400)
        }
    }

    @Test func anEventHasTheRecordAsTheReaderSeesIt() async throws {
        try await HubFixture.running { hub in
            let other = try await hub.client(of: "other")
            let cursor = try await hub.client.eventCursor()
            _ = try await hub.client.report(
                delivery([send(1, 1), send(2, 2), change(.addReaction, 3, 3, on: 1), delete(4, 2)]))
            for client in [hub.client, other] {
                let part = try await client.events("cursor=\(cursor)")
                #expect(part.names == ["message \(id(1))", "-message \(id(2))", "channel general"])
                let message = try await client.get(WireProtocol.messagePath(id(1).description))
                #expect(part.events[0].value == (try message.decoded(JSONValue.self)))
                let channel = try await client.get(WireProtocol.recordPath("channel", "general"))
                let record = try channel.decoded(WireRecord.self)
                #expect(part.events[2].value == record.value && part.events[2].version == record.version)
            }
        }
    }

    @Test func oneThatBecomesAMemberReadsThePages() async throws {
        try await HubFixture.running { hub in
            let me = EventAuthor("me", hub.client, ids: 0)
            let new = EventAuthor("new", try await hub.client(of: "new", isMember: false), ids: 100)
            try await me.send()
            var cursor = try await new.client.eventCursor()
            try await me.member(.add(.member), "general/new")
            try await me.send()
            let added = try await new.client.events("cursor=\(cursor)")
            #expect(added.names == ["channelMember general/new"] && added.events[0].topic == "account")
            #expect(added.limited == ["channel:general"] && added.isUpToDate)
            try await me.member(.setRole(.moderator), "general/new")
            let changed = try await new.client.events("cursor=\(added.cursor)")
            #expect(changed.limited.isEmpty, "the role of a member")
            #expect(Set(changed.events.map(\.topic)) == ["account", "channel:general"])
            cursor = changed.cursor
            try await new.channel(ChannelAction.create, "fresh", ChannelSettings())
            let created = try await new.client.events("cursor=\(cursor)")
            #expect(created.names == ["channelMember fresh/new"] && created.limited == ["channel:fresh"])
            // Removed, and nothing more of the channel.
            try await me.send()
            try await me.member(.remove, "general/new")
            try await me.send()
            let removed = try await new.client.events("cursor=\(created.cursor)")
            #expect(removed.names == ["-channelMember general/new"] && removed.events[0].topic == "account")
            try await me.send()
            let nothing = try await new.client.events("cursor=\(removed.cursor)")
            #expect(nothing.events.isEmpty && nothing.isUpToDate && nothing.cursor != removed.cursor)
        }
    }

    @Test func aReaderOfSomeTopics() async throws {
        try await HubFixture.running { hub in
            let me = EventAuthor("me", hub.client, ids: 0)
            try await me.channel(ChannelAction.create, "a", ChannelSettings())
            let cursor = try await hub.client.eventCursor()
            try await me.send(to: "a")
            try await me.send()
            try await me.channel(ChannelAction.create, "b", ChannelSettings())
            func read(_ topics: String) async throws -> WireEvents {
                try await hub.client.events("cursor=\(cursor)&topics=\(topics)")
            }
            #expect(Set(try await read("channel:a").events.map(\.topic)) == ["channel:a"])
            #expect(Set(try await read("channel:a,account").events.map(\.topic)) == ["channel:a", "account"])
            let b = try await read("channel:b")
            #expect(b.limited == ["channel:b"] && b.events.isEmpty)
            #expect(try await read("channel:nowhere").events.isEmpty)
            let longest = "channel:" + String(repeating: "x", count: Limits.nameBytesMax)
            let many = Array(repeating: longest, count: WireProtocol.eventTopicsMax).joined(separator: ",")
            #expect(try await read(many).events.isEmpty)
            let reading = try await Self.waiting(
                hub, hub.client, "cursor=\(b.cursor)&topics=channel:a&wait=30")
            try await me.send()
            try await me.send(to: "a")
            #expect(Set(try await reading.value.events.map(\.topic)) == ["channel:a"])
        }
    }

    @Test func aWaitEnds() async throws {
        try await HubFixture.running { hub in
            let cursor = try await hub.client.eventCursor()
            let part = try await hub.client.events("cursor=\(cursor)&wait=1")
            #expect(part.events.isEmpty && part.isUpToDate && part.cursor == cursor)
        }
    }

    /// The operator's commands are processes of their own.
    @Test func aChangeByAnotherProcessWakesAReader() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.eventCheck = .milliseconds(20) }
        try await HubFixture.running(change: change) { hub in
            _ = try await hub.client(of: "other", isMember: false)
            let reading = try await Self.waiting(hub, hub.client, "cursor=\(hub.client.eventCursor())&wait=30")
            let command = HubAdministration(try hub.storage)
            try await command.setMember(try #require(ChannelMemberID("general/other")), .member)
            #expect(try await reading.value.names.contains("channelMember general/other"))
        }
    }

    @Test func manyMissedChangesComeInParts() async throws {
        try await HubFixture.running { hub in
            let cursor = try await hub.client.eventCursor()
            for batch in 0..<3 {
                let first = Int64(batch * 500 + 1)
                _ = try await hub.client.report(delivery((first..<first + 500).map { send($0) }))
            }
            let all = try await hub.client.allEvents(after: cursor, limit: 400)
            #expect(Set(all.names).count == 1501)
            let messages = all.events.filter { $0.kind == "message" }.map(\.id)
            #expect(messages == (1...1500).map { id($0).description })
        }
    }

    @Test func invalidRequests() async throws {
        try await HubFixture.running { hub in
            let cursor = try await hub.client.eventCursor()
            let rows: [(String, String)] = [
                ("cursor=x", "cursorInvalid"), ("cursor=", "cursorInvalid"), ("cursor=\(cursor)0x", "cursorInvalid"),
                ("cursor=\(cursor)&wait=31", "queryInvalid"), ("cursor=\(cursor)&wait=-1", "queryInvalid"),
                ("cursor=\(cursor)&limit=0", "queryInvalid"), ("cursor=\(cursor)&limit=1001", "queryInvalid"),
                ("topics=", "queryInvalid"), ("topics=user:me", "queryInvalid"), ("topics=account:me", "queryInvalid"),
                ("topics=" + Array(repeating: "account", count: 65).joined(separator: ","), "queryInvalid"),
            ]
            for (query, code) in rows {
                let answer = try await hub.client.get(WireProtocol.eventsPath + "?" + query)
                #expect(answer.status == 400 && answer.errorCode == code, "\(query)")
            }
            #expect(try await HubClient(port: hub.port, token: nil).get(WireProtocol.eventsPath).status == 401)
        }
    }

    @Test func aCursorOfAnotherHistoryIsReset() async throws {
        try await HubFixture.running { hub in
            let cursor = try await hub.client.eventCursor()
            let present = try #require(hub.hub.storage.opening)
            _ = try await hub.client.report(delivery([send(1)]))
            _ = try await hub.hub.storage.beginHistory(
                Array(repeating: 7, count: 16), above: 0, after: present.history, at: Timestamp(milliseconds: 1))
            let part = try await hub.client.events("cursor=\(cursor)&wait=30")
            #expect(part.isReset && part.events.isEmpty && part.limited.isEmpty && !part.isUpToDate)
            _ = try await hub.client.report(delivery([send(2)]))
            #expect(try await hub.client.events("cursor=\(part.cursor)").names.contains("message \(id(2))"))
        }
    }

    /// A waiting request is not one in progress: with as many as an account may have, deliveries still pass.
    @Test func waitingReadersLeaveRoomForDeliveries() async throws {
        try await HubFixture.running { hub in
            let cursor = try await hub.client.eventCursor()
            let readers = (0..<HubLimits.eventReadersPerAccountMax).map { _ in
                Task {
                    // On a busy machine a wait may end before the delivery comes.
                    var part = try await hub.client.events("cursor=\(cursor)&wait=30")
                    while part.events.isEmpty {
                        part = try await hub.client.events("cursor=\(part.cursor)&wait=30")
                    }
                    return part
                }
            }
            try await Eventually.holds("all wait") { hub.hub.eventReaders == readers.count }
            let refused = try await hub.client.get(WireProtocol.eventsPath + "?cursor=\(cursor)&wait=30")
            #expect(refused.status == 503 && refused.errorCode == "busy")
            let other = try await hub.client(of: "other", isMember: false)
            #expect(try await other.events("cursor=\(cursor)&wait=1").isUpToDate)
            #expect(try await hub.client.report(delivery([send(1)])).kinds == [.accepted])
            for reader in readers {
                // All of them read at the same moment.
                #expect(try await reader.value.names == ["message \(id(1))", "channel general"])
            }
        }
    }

    @Test func aClosedConnectionFreesItsReader() async throws {
        try await HubFixture.running { hub in
            let cursor = try await hub.client.eventCursor()
            let reading = try await Self.waiting(hub, hub.client, "cursor=\(cursor)&wait=30")
            reading.cancel()
            _ = await reading.result
            try await Eventually.holds("the reader has left") { hub.hub.eventReaders == 0 }
        }
    }
}
