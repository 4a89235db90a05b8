import CausewayHub
import CausewayModels
import CausewayRecords
import CausewayWire
import NIOHTTP1
import Testing

/// Only members read and write a channel.
@Suite struct RightsTests {
    private static func member(
        _ verb: ChannelMemberAction.Verb, _ id: String, _ sequence: Int64, _ number: UInt64? = nil
    ) throws -> WireOperation {
        write(
            sequence, number ?? UInt64(sequence),
            ChannelMemberAction(verb, try #require(ChannelMemberID(id))).write)
    }

    private static func create(_ id: String, isPublic: Bool, _ sequence: Int64) throws -> WireOperation {
        let settings = ChannelSettings(isPublic: isPublic)
        return write(sequence, ChannelAction.create(try #require(ChannelID(id)), settings).write)
    }

    /// Reads everything of a channel that an account may not read, and compares it with a channel that does not exist.
    private static func expectHidden(_ channel: String, _ message: UInt64, from client: HubClient) async throws {
        let cursor = String(repeating: "0", count: 32) + "-1"
        for path: @Sendable (String) -> String in [
            { WireProtocol.messagesPath($0) }, { WireProtocol.changesPath($0) + "?since=\(cursor)&through=1" },
        ] {
            let answer = try await client.get(path(channel))
            let unknown = try await client.get(path("nowhere"))
            #expect(answer.status == 404 && answer.errorCode == "channelNotFound")
            #expect(answer.text == unknown.text.replacing("nowhere", with: channel))
        }
        let answer = try await client.get(WireProtocol.messagePath(id(message).description))
        let unknown = try await client.get(WireProtocol.messagePath(id(999_999).description))
        #expect(answer.status == 404)
        #expect(answer.text == unknown.text.replacing(id(999_999).description, with: id(message).description))
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aNonMemberFindsNothingAndIsRefused(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1, 1), send(2, 2), delete(3, 2)]))
            let other = try await hub.client(of: "other", isMember: false)
            for message in [1, 2] as [UInt64] { try await Self.expectHidden("general", message, from: other) }
            let refused = try await other.report(
                delivery([
                    send(1, 11), change(.edit, 2, 12, on: 1), change(.addReaction, 3, 13, on: 1),
                    change(.removeReaction, 4, 14, on: 1), delete(5, 1),
                ]))
            #expect(refused.codes == ["notMember", "notMember", "notMember", "notMember", "notYours"])
            #expect(refused.results[0].detail?.contains("join the channel first") == true)
            // In one delivery: what follows the join is accepted.
            let join = try Self.member(.join, "general/other", 6, 15)
            let joined = try await other.report(delivery([join, send(7, 16)]))
            #expect(joined.kinds == [.accepted, .accepted])
            #expect(try await other.messages().count == 2)
            // After leaving, its own message can still be withdrawn, but not changed.
            let left = try await other.report(
                delivery([
                    try Self.member(.leave, "general/other", 8, 17), send(9, 18), change(.edit, 10, 19, on: 16),
                    delete(11, 16),
                ]))
            #expect(left.kinds == [.accepted, .refused, .refused, .deleted])
            try await Self.expectHidden("general", 1, from: other)
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aPrivateChannelDoesNotExistForOthers(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let created = try await hub.client.report(
                delivery([try Self.create("secret", isPublic: false, 1), send(2, channel: "secret")]))
            #expect(created.kinds == [.accepted, .accepted])
            let other = try await hub.client(of: "other")
            try await Self.expectHidden("secret", 2, from: other)
            #expect(try await other.get(WireProtocol.recordPath("channel", "secret")).status == 404)
            let list = try await other.get("/v1/records/channel?list=public").decoded(WireRecordPage.self)
            #expect(list.items.map(\.id) == ["general"])
            let report = try await other.report(
                delivery([
                    send(1, 11, channel: "secret"), try Self.member(.join, "secret/other", 2, 12),
                    change(.addReaction, 3, 13, on: 2),
                ]))
            #expect(report.kinds == [.refused, .refused, .unrelated])
            #expect(report.codes == ["channelNotFound", "channelNotFound", nil])
            // A name is unique: only creating a channel of the same name reveals it.
            #expect(try await other.send(.PUT, WireProtocol.channelPath("secret")).errorCode == "channelExists")
            #expect(
                try await hub.client.report(delivery([try Self.member(.add(.member), "secret/other", 3)])).kinds
                    == [.accepted])
            #expect(try await other.report(delivery([send(4, 14, channel: "secret")])).kinds == [.accepted])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aRemovedMemberLosesTheChannel(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let other = try await hub.client(of: "other")
            #expect(try await other.report(delivery([send(1, 11)])).kinds == [.accepted])
            let page = try await other.get(WireProtocol.messagesPath("general")).decoded(WirePage.self)
            let cursor = try #require(page.cursor)
            _ = try await hub.client.report(delivery([try Self.member(.remove, "general/other", 1), send(2)]))
            let changes = WireProtocol.changesPath("general") + "?since=\(cursor)&through=1&open=1"
            #expect(try await other.get(changes).status == 404, "its cursor yields nothing more")
            try await Self.expectHidden("general", 11, from: other)
            let refused = try await other.report(
                delivery([send(2, 12), try Self.member(.join, "general/other", 3, 13), delete(4, 11)]))
            #expect(refused.codes == ["notMember", "notMember", nil] && refused.kinds[2] == .deleted)
            #expect(try await hub.client.messages().map(\.id) == [id(2)])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func moderatorsDeleteTheMessagesOfOthers(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let (ann, bob) = (try await hub.client(of: "ann"), try await hub.client(of: "bob"))
            _ = try await hub.client.report(
                delivery([try Self.member(.setRole(.moderator), "general/ann", 1), send(2, 2)]))
            _ = try await bob.report(delivery([send(1, 11), send(2, 12)]))
            #expect(try await bob.report(delivery([delete(3, 2)])).codes == ["notYours"])
            let report = try await ann.report(delivery([delete(1, 11), delete(2, 2), change(.edit, 3, 21, on: 12)]))
            #expect(report.kinds == [.deleted, .deleted, .refused] && report.codes[2] == "notYours")
            #expect(try await hub.client.messages().map(\.id) == [id(12)])
            let channel = try await hub.channel("general")
            #expect(channel.messageCount == 1 && channel.lastPosition == 3 && channel.memberCount == 3)
            // The delivery of a deleted message is still answered as at first.
            #expect(try await bob.report(delivery([send(1, 11)])).kinds == [.accepted])
        }
    }

    /// A message and operations on it by another member may share a transaction.
    @Test func operationsOnAMessageOfTheSameGroupFindTheirRights() async throws {
        try await HubFixture.running { hub in
            let others = [try await hub.client(of: "ann"), try await hub.client(of: "bob")]
            for number in 1...30 as ClosedRange<UInt64> {
                try await withThrowingTaskGroup(of: [WireResult].self) { group in
                    group.addTask { try await hub.client.report(delivery([send(Int64(number), number)])).results }
                    for (index, client) in others.enumerated() {
                        group.addTask {
                            let own = 1000 * UInt64(index + 1) + number
                            let reaction = change(.addReaction, Int64(number), own, on: number)
                            return try await client.report(delivery([reaction])).results
                        }
                    }
                    for try await results in group {
                        #expect(results.allSatisfy { $0.code == nil }, "accepted, or unrelated before the message")
                    }
                }
            }
        }
    }

    @Test func creatingAnExistingChannelReturnsItToItsReaders() async throws {
        try await HubFixture.running { hub in
            let made = try await hub.client.send(.PUT, WireProtocol.channelPath("new"))
            #expect(made.status == 201)
            #expect(try made.decoded(WireRecord.self).value["createdBy"] == .string("me"))
            let other = try await hub.client(of: "other")
            let found = try await other.send(.PUT, WireProtocol.channelPath("new"))
            #expect(found.status == 200 && found.text == made.text)
            #expect(try await other.report(delivery([send(1, channel: "new")])).codes == ["notMember"])
            #expect(try await other.report(delivery([send(2, channel: "nowhere")])).codes == ["channelNotFound"])
        }
    }
}
