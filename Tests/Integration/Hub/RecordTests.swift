import CausewayHub
import CausewayHubRules
import CausewayHubSQLite
import CausewayHubStorage
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import NIOHTTP1
import Testing

/// Records over real HTTP: reading, lists, and writes as operations of a lane.
@Suite struct RecordTests {
    private static func member(_ verb: ChannelMemberAction.Verb, _ id: String) throws -> RecordWrite {
        ChannelMemberAction(verb, try #require(ChannelMemberID(id))).write
    }

    private static func create(_ id: String, _ settings: ChannelSettings = ChannelSettings()) throws -> RecordWrite {
        ChannelAction.create(try #require(ChannelID(id)), settings).write
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aRecordIsServedToItsReaders(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let channel = try await hub.client.get(WireProtocol.recordPath("channel", "general"))
            let record = try channel.decoded(WireRecord.self)
            #expect(record.kind == Channel.kind && record.id == "general" && record.version > 0)
            #expect(record.value["name"] == .string("general") && record.value["memberCount"] == .integer(1))
            let path = WireProtocol.recordPath("channelMember", "general%2Fme")
            let own = try await hub.client.get(path).decoded(WireRecord.self)
            #expect(own.id == "general/me" && own.value["role"] == .string("owner"))
            let other = try await hub.client(of: "other", isMember: false)
            #expect(try await other.get(WireProtocol.recordPath("channel", "general")).status == 200)
            let hidden = try await other.get(path)
            let unknown = try await other.get(WireProtocol.recordPath("channelMember", "nowhere%2Fme"))
            #expect(hidden.status == 404 && hidden.errorCode == "recordNotFound")
            #expect(hidden.text == unknown.text, "as if it did not exist")
            for path in ["channel/a%20b", "unknown/x", "channelMember/general", "channel/%ff"] {
                #expect(try await other.get("/v1/records/" + path).status == 404, "\(path)")
            }
            #expect(try await other.get("/v1/records/a%20b/x").errorCode == "nameInvalid")
            #expect(try await other.send(.PUT, "/v1/records/channel/x").status == 405)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aListIsReadByPagesInBothDirections(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let names = ["a", "b", "c", "d", "e"]
            let creations = try names.enumerated().map { write(Int64($0 + 1), try Self.create($1)) }
            #expect(try await hub.client.report(delivery(creations)).kinds.allSatisfy { $0 == .accepted })
            let all = names + ["general"]
            for (order, expected) in [("ascending", all), ("descending", all.reversed())] {
                for limit in [1, 2, 6, 1000] {
                    var found: [String] = []
                    var after = ""
                    repeat {
                        let path =
                            WireProtocol.recordsPath("channel") + "?list=public&order=\(order)&limit=\(limit)\(after)"
                        let page = try await hub.client.get(path).decoded(WireRecordPage.self)
                        #expect(page.items.count <= limit)
                        found += page.items.map(\.id)
                        after = page.next.map { "&after=\($0)" } ?? ""
                    } while !after.isEmpty
                    #expect(found == expected, "\(order) by \(limit)")
                }
            }
            let own = try await hub.client.get("/v1/records/channelMember?list=byUser&scope=me")
            #expect(try own.decoded(WireRecordPage.self).items.count == 6)
            #expect(own.text.contains(#""next":null"#))
            for (query, status) in [
                ("list=all", 404), ("list=byUser&scope=other", 404), ("list=byChannel&scope=nowhere", 404), ("", 400),
                ("list=public&order=random", 400), ("list=public&after=xyz", 400), ("list=public&limit=0", 400),
                ("list=public&list=public", 400), ("list=public&after=", 400),
            ] {
                let kind = query.contains("by") ? "channelMember" : "channel"
                #expect(try await hub.client.get("/v1/records/\(kind)?\(query)").status == status, "\(query)")
            }
        }
    }

    /// It created a private channel, and is no member of it any more.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func aListHasNoRecordThatItsReaderMayNotRead(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let creator = try await hub.client(of: "creator")
            let closed = ChannelSettings(isPublic: false)
            let creations = [
                write(1, try Self.create("left", closed)), write(2, try Self.create("own", closed)),
                write(3, try Self.create("open")),
            ]
            #expect(try await creator.report(delivery(creations)).kinds.allSatisfy { $0 == .accepted })
            func created() async throws -> Set<String> {
                let page = try await creator.get("/v1/records/channel?list=byCreator&scope=creator")
                return Set(try page.decoded(WireRecordPage.self).items.map(\.id))
            }
            #expect(try await created() == ["left", "open", "own"])
            for channel in ["left", "open"] {
                let id = try #require(ChannelMemberID("\(channel)/creator"))
                try await hub.hub.administration.removeMember(id)
            }
            #expect(try await creator.get(WireProtocol.recordPath("channel", "left")).status == 404)
            #expect(try await created() == ["open", "own"])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aWriteIsAppliedOnceAndAnsweredTheSame(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let create = write(1, try Self.create("new", ChannelSettings(name: "New")))
            let first = try await hub.client.report(delivery([create]))
            #expect(first.kinds == [.accepted] && (first.positions[0] ?? 0) > 0)
            let path = WireProtocol.recordPath("channel", "new")
            let version = try await hub.client.get(path).decoded(WireRecord.self).version
            #expect(first.positions == [version])
            // A repeat, in its place, in another outbox, and as a fence.
            #expect(try await hub.client.report(delivery([create])).results == first.results)
            let elsewhere = delivery([create, fence(2, 1)], outbox: 2)
            #expect(try await hub.client.report(elsewhere).results == [first.results[0], first.results[0]])
            #expect(try await hub.client.get(path).decoded(WireRecord.self).version == version)
            let other = try await hub.client(of: "other")
            #expect(try await other.report(delivery([create])).codes == ["idTaken"])
            #expect(try await other.report(delivery([fence(2, 1)])).kinds == [.fenced])
            // Below the mark, and unknown.
            let late = write(1, 77, try Self.member(.join, "new/other"))
            #expect(try await other.report(delivery([late])).kinds == [.late])
            // Deleted before it arrived.
            let deleted = [delete(2, 78), write(3, 78, try Self.member(.join, "new/other"))]
            #expect(try await other.report(delivery(deleted)).codes == [nil, "operationDeleted"])
        }
    }

    @Test func malformedWritesAreRefusedAlone() async throws {
        try await HubFixture.running { hub in
            let large = JSONValue.object(["name": .string(String(repeating: "x", count: Limits.recordBytesMax))])
            let id = String(repeating: "i", count: Limits.recordIDBytesMax + 1)
            var bare = write(1, try Self.create("x"))
            bare.record = nil
            let operations = [
                bare, write(2, RecordWrite(kind: "channel", record: "x", action: "create", arguments: large)),
                write(3, RecordWrite(kind: "channel", record: id, action: "create")),
                write(4, RecordWrite(kind: "channel", record: "x", action: "explode")),
                write(5, RecordWrite(kind: "unknown", record: "x", action: "create")),
                write(6, RecordWrite(kind: "channel", record: "a b", action: "create")),
                write(7, try Self.create("general")), write(8, try Self.create("fine")), send(9, channel: "fine"),
            ]
            let report = try await hub.client.report(delivery(operations))
            #expect(
                report.codes == [
                    "argumentsInvalid", "argumentsInvalid", "idInvalid", "actionUnknown", "kindUnknown", "idInvalid",
                    "channelExists", nil, nil,
                ])
        }
    }

    @Test func createdChannelsCountForTheirAddress() async throws {
        try await HubFixture.running {
            $0.newChannelsPerPeerMax = 2
            $0.newChannelRefill = .seconds(86_400)
        } _: { hub in
            let report = try await hub.client.report(
                delivery([write(1, try Self.create("a")), write(2, try Self.create("b"))]))
            #expect(report.kinds == [.accepted, .accepted])
            let more = try await hub.client.report(delivery([write(3, try Self.create("c")), send(4)]))
            #expect(more.kinds == [.tryLater, .notAttempted] && more.codes[0] == "tooManyNewChannels")
            #expect((more.results[0].retryAfterMilliseconds ?? 0) > 0)
            #expect(hub.log.contains("notice channel created account=me channel=a peer=127.0.0.1"))
            // The limit of new channels does not delay a refusal.
            #expect(try await hub.client.report(delivery([write(3, try Self.create("a"))])).codes == ["channelExists"])
        }
    }

    /// Random writes of several accounts. Every derived value equals a recount after each of them.
    @Test(arguments: [1, 2, 3] as [UInt64], HubFixture.StorageKind.allCases)
    func derivedValuesEqualARecount(seed: UInt64, kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            var random = SplitMix64(seed: seed)
            let accounts = ["me", "ann", "bob"]
            var clients = ["me": hub.client]
            for account in accounts.dropFirst() { clients[account] = try await hub.client(of: account) }
            var sequences: [String: Int64] = [:]
            var sent: UInt64 = 0
            for round in 0..<60 {
                let account = accounts[Int.random(in: 0..<3, using: &random)]
                guard let client = clients[account] else { continue }
                var operations: [WireOperation] = []
                for _ in 0...Int.random(in: 0..<4, using: &random) {
                    let sequence = (sequences[account] ?? 0) + 1
                    sequences[account] = sequence
                    sent += 1
                    let user = "general/" + accounts[Int.random(in: 0..<3, using: &random)]
                    let any = UInt64.random(in: 1...sent, using: &random)
                    let role = ChannelRole.allCases[Int.random(in: 0..<3, using: &random)]
                    switch Int.random(in: 0..<12, using: &random) {
                    case 0: operations.append(write(sequence, sent, try Self.member(.join, "general/\(account)")))
                    case 1: operations.append(write(sequence, sent, try Self.member(.leave, "general/\(account)")))
                    case 2: operations.append(write(sequence, sent, try Self.member(.add(role), user)))
                    case 3: operations.append(write(sequence, sent, try Self.member(.remove, user)))
                    case 4: operations.append(write(sequence, sent, try Self.member(.setRole(role), user)))
                    case 5...6: operations.append(delete(sequence, any))
                    case 7: operations.append(change(.edit, sequence, sent, on: any))
                    default: operations.append(send(sequence, sent))
                    }
                }
                _ = try await client.report(delivery(operations))
                try await Self.recount(hub, "seed \(seed), round \(round)")
            }
        }
    }

    private static func recount(_ hub: HubFixture, _ what: String) async throws {
        let channel = try await hub.channel("general")
        let members = try await hub.hub.administration.members(of: channel.id)
        #expect(channel.memberCount == Int64(members.count), "\(what): the members")
        #expect(members.contains { $0.role == .owner }, "\(what): an owner")
        let page = try await hub.hub.storage.page(
            of: channel.id, .newest, limit: .init(count: 1000, contentBytes: .max), for: 1)
        #expect(channel.messageCount == Int64(page.messages.count), "\(what): the messages")
        #expect(channel.lastPosition == page.lastPosition, "\(what): the last position")
        let newest = page.messages.map(\.acceptedAt).max() ?? channel.createdAt
        #expect(channel.lastActivityAt >= newest, "\(what): the last activity")
        for member in members {
            let lists = try await hub.hub.storage.records(
                in: ChannelMember.channels(of: member.user), .init(), limit: .init(count: 9, contentBytes: .max))
            #expect(lists.rows.map(\.key.id) == [member.id.description], "\(what): the list of \(member.user)")
        }
    }
}
