import CausewayModels
import CausewayRecords
import Testing

/// The coded forms of records and writes, pinned: hub and clients of different versions share them.
@Suite struct RecordFormTests {
    private static func channel() throws -> Channel {
        var channel = Channel(
            id: try #require(ChannelID("general")), name: "Général", metadata: .object(["a": .array([.integer(1)])]),
            isPublic: false, createdBy: UserID("ann"), createdAt: Timestamp(milliseconds: 5))
        channel.lastActivityAt = Timestamp(milliseconds: 7)
        channel.messageCount = 3
        channel.memberCount = 2
        channel.lastPosition = 4
        channel.version = 9
        return channel
    }

    private static func member() throws -> ChannelMember {
        ChannelMember(
            channel: try #require(ChannelID("general")), user: try #require(UserID("ann")), role: .moderator,
            joinedAt: Timestamp(milliseconds: 6))
    }

    @Test func aChannelIsCodedAsItAlwaysWas() throws {
        let golden =
            #"{"createdAt":5,"createdBy":"ann","id":"general","isPublic":false,"lastActivityAt":7,"lastPosition":4,"#
            + #""memberCount":2,"messageCount":3,"metadata":{"a":[1]},"name":"Général"}"#
        let channel = try Self.channel()
        #expect(String(decoding: try RecordCoding.encode(channel), as: UTF8.self) == golden)
        #expect(try RecordCoding.decode(Channel.self, from: Array(golden.utf8), version: 9) == channel)
    }

    @Test func aMemberIsCodedAsItAlwaysWas() throws {
        let golden = #"{"channel":"general","joinedAt":6,"role":"moderator","user":"ann"}"#
        let member = try Self.member()
        #expect(String(decoding: try RecordCoding.encode(member), as: UTF8.self) == golden)
        #expect(try RecordCoding.decode(ChannelMember.self, from: Array(golden.utf8), version: 0) == member)
        #expect(member.id.description == "general/ann")
    }

    @Test func countsFromOutsideAreClamped() throws {
        let text =
            #"{"createdAt":5,"id":"general","isPublic":true,"lastActivityAt":7,"lastPosition":-4,"memberCount":-1,"#
            + #""messageCount":9223372036854775807,"metadata":{},"name":"x","fieldOfALaterVersion":1}"#
        let channel = try RecordCoding.decode(Channel.self, from: Array(text.utf8), version: 1)
        #expect(channel.lastPosition == 0 && channel.memberCount == 0 && channel.messageCount == Limits.positionMax)
        #expect(channel.createdBy == nil)
    }

    @Test func recordsBelongToTheirLists() throws {
        var channel = try Self.channel()
        #expect(
            channel.entries == [
                ListEntry("all", key: ListKey("general")),
                ListEntry("byCreator", scope: "ann", key: ListKey(Timestamp(milliseconds: 5))),
            ])
        channel.isPublic = true
        #expect(channel.entries.contains(ListEntry("public", key: ListKey("Général"))))
        let joined = ListKey(Timestamp(milliseconds: 6))
        #expect(
            try Self.member().entries == [
                ListEntry("byChannel", scope: "general", key: joined), ListEntry("byUser", scope: "ann", key: joined),
                ListEntry("byRole", scope: "general/moderator", key: joined),
            ])
        #expect(RecordKinds.all.map { $0.kind.value } == ["channel", "channelMember"])
    }

    @Test(arguments: ["general", "general/", "/ann", "general/ann/x", "a b/ann", "general/ann "])
    func aMembershipsIDIsTwoNames(text: String) { #expect(ChannelMemberID(text) == nil) }

    // MARK: - Writes

    private static let channelWrites: [(RecordWrite, ChannelAction?)] = {
        guard let id = ChannelID("c") else { return [] }
        func write(_ action: String, _ arguments: JSONValue = .null, on record: String = "c") -> RecordWrite {
            RecordWrite(kind: Channel.kind, record: record, action: action, arguments: arguments)
        }
        func deep(_ levels: Int) -> JSONValue { levels == 0 ? .object([:]) : .object(["a": deep(levels - 1)]) }
        let settings: JSONValue = .object([
            "name": .string("C"), "metadata": .object(["k": .integer(1)]), "isPublic": .bool(false),
        ])
        let all = ChannelSettings(name: "C", metadata: .object(["k": .integer(1)]), isPublic: false)
        let long = String(repeating: "n", count: Limits.channelNameBytesMax)
        let large = JSONValue.object(["k": .string(String(repeating: "v", count: Limits.channelMetadataBytesMax - 8))])
        return [
            (write("create"), .create(id, ChannelSettings())), (write("create", settings), .create(id, all)),
            (write("update", settings), .update(id, all)), (write("update"), nil),
            (write("update", .object(["unknown": .integer(1)])), nil), (write("rename", settings), nil),
            (write("create", on: "a/b"), nil), (write("create", .string("x")), nil),
            (write("create", .object(["name": .string("")])), nil),
            (write("create", .object(["name": .string(long)])), .create(id, ChannelSettings(name: long))),
            (write("create", .object(["name": .string(long + "n")])), nil),
            (write("create", .object(["name": .string("a\u{7}")])), nil),
            (write("create", .object(["metadata": .array([])])), nil),
            (write("create", .object(["metadata": large])), .create(id, ChannelSettings(metadata: large))),
            (write("create", .object(["metadata": .object(["k": .array([large])])])), nil),
            (write("create", .object(["metadata": .object(["k": .double(.infinity)])])), nil),
            (write("create", .object(["metadata": deep(Limits.channelMetadataDepthMax)])), nil),
            (write("create", .object(["isPublic": .integer(1)])), nil),
        ]
    }()

    @Test(arguments: channelWrites.indices) func aWriteToAChannelIsValidated(index: Int) throws {
        let (write, expected) = Self.channelWrites[index]
        #expect((try? ChannelAction(write)) == expected)
        #expect((Channel.problem(with: write) == nil) == (expected != nil))
        if let expected { #expect(try ChannelAction(expected.write) == expected) }
    }

    @Test func aWriteToAMembershipIsValidated() throws {
        let id = try #require(ChannelMemberID("c/ann"))
        let verbs: [(String, JSONValue, ChannelMemberAction.Verb)] = [
            ("join", .null, .join), ("leave", .null, .leave), ("add", .null, .add(.member)),
            ("add", .object(["role": .string("owner")]), .add(.owner)), ("remove", .null, .remove),
            ("setRole", .object(["role": .string("moderator")]), .setRole(.moderator)),
        ]
        for (name, arguments, verb) in verbs {
            let write = RecordWrite(kind: ChannelMember.kind, record: "c/ann", action: name, arguments: arguments)
            #expect(try ChannelMemberAction(write) == ChannelMemberAction(verb, id))
            #expect(try ChannelMemberAction(ChannelMemberAction(verb, id).write) == ChannelMemberAction(verb, id))
        }
        for (record, action, arguments, code) in [
            ("c", "join", JSONValue.null, "idInvalid"), ("c/ann", "create", .null, "actionUnknown"),
            ("c/ann", "setRole", .null, "argumentsInvalid"),
            ("c/ann", "add", .object(["role": .string("king")]), "argumentsInvalid"),
            ("c/ann", "add", .object(["role": .integer(1)]), "argumentsInvalid"),
        ] {
            let write = RecordWrite(kind: ChannelMember.kind, record: record, action: action, arguments: arguments)
            #expect(ChannelMember.problem(with: write)?.code == code)
        }
    }
}
