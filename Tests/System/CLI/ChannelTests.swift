import CausewayTestSupport
import Foundation
import Testing

/// `causeway channel`: ann through her daemon, bob without one.
@Suite struct ChannelTests {
    private struct World {
        let hub: TestHub
        let ann: Home
        let bob: Home
        let daemon: RunningProgram
    }

    private static func run(_ body: (World) async throws -> Void) async throws {
        let ann = try Home()
        let bob = try Home()
        let hub = try await TestHub.start(in: ann)
        let added = try await Program.hub.run(
            ["account", "add", "bob", "--data", hub.folder], environment: ann.environment)
        try #require(added.status == 0)
        let daemon = try Program.causewayd.start([], environment: ann.environment)
        try await daemon.says("ready")
        for (home, name) in [(ann, "ann"), (bob, "bob")] {
            let login = try await home.causeway(
                "login", hub.address, "--ca", hub.authority, "--token-file", "\(hub.folder)/tokens/\(name).token")
            try #require(login.status == 0)
        }
        try await body(World(hub: hub, ann: ann, bob: bob, daemon: daemon))
        await daemon.stop()
        await hub.process.stop()
    }

    /// The rows of a table, without its head, as words.
    private func rows(_ outcome: Program.Outcome) -> [[String]] {
        outcome.lines.dropFirst().map { $0.split(separator: " ").map(String.init) }
    }

    @Test func aChannelIsCreatedJoinedAndLeft() async throws {
        try await Self.run { world in
            #expect(try await world.bob.causeway("channel", "list").output.hasPrefix("No channels"))
            let refused = try await world.bob.causeway("send", "general", "hi", "--wait")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("join the channel first"))
            #expect(rows(try await world.bob.causeway("channel", "list", "--public")).map(\.first) == ["general"])

            #expect(try await world.bob.causeway("channel", "join", "general").lines == ["Joined general"])
            #expect(try await world.bob.causeway("send", "general", "hi", "--wait").status == 0)
            let channels = rows(try await world.bob.causeway("channel", "list"))
            #expect(channels.map { $0.prefix(2) } == [["general", "member"]])
            let members = rows(try await world.ann.causeway("channel", "members", "general"))
            #expect(members.map { $0.prefix(2) } == [["ann", "owner"], ["bob", "member"]])

            #expect(try await world.bob.causeway("channel", "leave", "general").lines == ["Left general"])
            #expect(rows(try await world.ann.causeway("channel", "members", "general")).map(\.first) == ["ann"])
            let stays = try await world.ann.causeway("channel", "leave", "general")
            #expect(stays.status == 1)
            #expect(stays.errors.contains("make another member an owner first"))
        }
    }

    @Test func ownersAdministerAPrivateChannel() async throws {
        try await Self.run { world in
            let created = try await world.ann.causeway(
                "channel", "create", "team", "--name", "The team", "--private", "--metadata", #"{"color":"red"}"#)
            #expect(created.lines == ["Created team"])
            let hidden = try await world.bob.causeway("channel", "members", "team")
            #expect(hidden.status == 1)
            #expect(hidden.errors.contains("team does not exist, or you are not a member"))

            // Those before the one who cannot be added are members.
            let added = try await world.ann.causeway("channel", "add", "team", "bob", "nobody")
            #expect(added.lines == ["Added bob to team"])
            #expect(added.status == 1)
            #expect(added.errors.contains("no account named nobody"))
            #expect(try await world.bob.causeway("channel", "remove", "team", "ann").status == 1)
            let role = try await world.ann.causeway("channel", "set-role", "team", "bob", "moderator")
            #expect(role.lines == ["bob is a moderator of team"])
            let moderators = try await world.ann.causeway("channel", "members", "team", "--role", "moderator")
            #expect(rows(moderators).map(\.first) == ["bob"])

            #expect(try await world.bob.causeway("channel", "update", "team", "--public").lines == ["Updated team"])
            let listed = try await world.bob.causeway("channel", "list", "--public", "--limit", "1", "--json")
            #expect(listed.output.contains(#""name":"The team""#))
            #expect(listed.output.contains(#""metadata":{"color":"red"}"#))
            #expect(listed.output.contains(#""refreshed":true"#))
            let page = try JSONDecoder().decode(Page.self, from: Data(listed.output.utf8))
            let next = try #require(page.next)
            let rest = try await world.bob.causeway("channel", "list", "--public", "--after", next)
            #expect(rows(rest).map(\.first) == ["general"])
            #expect(try await world.ann.causeway("channel", "remove", "team", "bob").lines == ["Removed bob from team"])
            // One document for all that were changed, whatever ends the command.
            let changed = try await world.ann.causeway("channel", "add", "team", "bob", "ann", "nobody", "--json")
            #expect(changed.status == 1)
            let changes = try JSONDecoder().decode(Changes.self, from: Data(changed.output.utf8))
            #expect(changes.records.map(\.kind) == ["channelMember", "channelMember"])
        }
    }

    private struct Page: Decodable { let next: String? }

    private struct Changes: Decodable {
        struct Record: Decodable { let kind: String }
        let records: [Record]
    }

    @Test func withoutAConnectionListsAreTheStoredOnesAndChangesFail() async throws {
        try await Self.run { world in
            #expect(rows(try await world.ann.causeway("channel", "members", "general")).map(\.first) == ["ann"])
            await world.hub.process.stop()
            let stored = try await world.ann.causeway("channel", "members", "general")
            #expect(rows(stored).map(\.first) == ["ann"])
            #expect(stored.errors.contains("the list was not refreshed"))
            #expect(try await world.ann.causeway("channel", "members", "general", "--offline").errors.isEmpty)
            for home in [world.ann, world.bob] {
                let change = try await home.causeway("channel", "join", "general", "--json")
                #expect(change.status == 69)
                #expect(change.errors.contains(#""code":"unreachable""#))
            }
        }
    }

    @Test func badInputIsNamed() async throws {
        try await Self.run { world in
            let invalid: [([String], Int32, String)] = [
                (["join", "a b"], 65, "the channel's name"), (["add", "general", "a/b"], 65, "the user's name"),
                (["add", "general"], 64, "Missing expected argument"), (["update", "general"], 64, "Give --name"),
                (["create", "x", "--metadata", "{"], 65, "the metadata is not valid JSON"),
                (["create", "x", "--metadata", "[]"], 1, "metadata: must be an object"),
                (["set-role", "general", "ann", "king"], 64, "king"),
                (["list", "--after", "x"], 64, "--after takes the `next` value"),
                (["list", "--limit", "0"], 64, "--limit is 1 to"),
            ]
            for (arguments, status, words) in invalid {
                let outcome = try await Program.causeway.run(
                    ["channel"] + arguments, environment: world.ann.environment)
                #expect(outcome.status == status, "\(arguments)")
                #expect(outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
            }
        }
    }
}
