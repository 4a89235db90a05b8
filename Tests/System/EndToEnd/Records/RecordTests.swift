import Causeway
import CausewayHubRules
import CausewayModels
import CausewayRecords
import Testing

/// Records from a client through the real hub to the live collections of another client.
struct RecordTests {
    /// A kind that only a test knows is written, served, stored, queried and observed.
    @Test func aKindOfATestTravelsThroughEverything() async throws {
        try await RecordServer.run([NoteRules.self], kinds: [Note.kind]) { server in
            let ann = try #require(UserID("ann"))
            try await server.withClient("desk", server.ann) { desk in
                let notes = await desk.records.getRecords(Note.self, in: Note.notes(of: ann)).changes
                #expect(await notes.first { $0.dataStatus == .fresh }?.snapshot.isEmpty == true)
                #expect(try await desk.records.write(Note.putting("milk", as: "a/ä"), of: Note.self) == 1)
                #expect(await notes.first { $0.snapshot.count == 1 }?.snapshot.first?.text == "milk")

                try await server.withClient("phone", server.ann) { phone in
                    try await phone.records.write(Note.putting("bread", as: "b"), of: Note.self)
                    #expect(try await phone.records.write(Note.putting("cheese", as: "a/ä"), of: Note.self) == 2)
                    let list = await phone.records.getRecords(Note.self, in: Note.notes(of: ann)).changes
                    let texts = await list.first { $0.dataStatus == .fresh && $0.snapshot.count == 2 }
                    #expect(texts?.snapshot.map(\.text) == ["bread", "cheese"])
                }
                let one = await desk.records.getRecord(Note.self, "a/ä").changes
                #expect(await one.first { $0.snapshot.first?.version == 2 }?.snapshot.first?.text == "cheese")
                let shown = await notes.first { $0.snapshot.first?.text == "cheese" }
                #expect(shown?.snapshot.map(\.id) == ["a/ä"])
            }
            // Records that were read stay available without a server.
            try await server.withClient("desk", nil) { desk in
                let notes = await desk.records.getRecords(Note.self, in: Note.notes(of: ann)).changes
                #expect(await notes.first { !$0.snapshot.isEmpty }?.snapshot.map(\.text) == ["cheese"])
            }
            try await server.withClient("other", server.bob) { other in
                let foreign = await other.records.getRecords(Note.self, in: Note.notes(of: ann)).changes
                #expect(await foreign.first { $0.loadingStatus == .error }?.snapshot.isEmpty == true)
                let missing = await other.records.getRecord(Note.self, "b")
                #expect(await missing.changes.first { $0.dataStatus == .notExist } != nil)
                await #expect(throws: Self.refusal("forbidden", "only its author changes a note")) {
                    try await other.records.write(Note.putting("x", as: "b"), of: Note.self)
                }
            }
        }
    }

    @Test func channelsAreCreatedJoinedAndLeft() async throws {
        let kinds: Set<RecordKind> = [Channel.kind, ChannelMember.kind]
        try await RecordServer.run([ChannelRules.self, ChannelMemberRules.self], kinds: kinds, on: .file) { server in
            let tea = try #require(ChannelID("tea"))
            let (ann, bob) = (try #require(UserID("ann")), try #require(UserID("bob")))
            try await server.withClient("ann", server.ann) { owner in
                let settings = ChannelSettings(name: "Tea room", metadata: .object(["topic": .string("green")]))
                try await owner.channels.createChannel(tea, settings)
                let channel = await owner.channels.getChannel(tea).changes
                #expect(await channel.first { $0.dataStatus == .fresh }?.snapshot.first?.name == "Tea room")
                let members = await owner.channelMembers.getMembers(of: tea).changes
                #expect(await members.first { $0.dataStatus == .fresh }?.snapshot.map(\.role) == [.owner])

                try await server.withClient("bob", server.bob) { guest in
                    let all = await guest.channels.getChannels().changes
                    let found = await all.first { $0.dataStatus == .fresh }
                    #expect(found?.snapshot.map(\.name) == ["Tea room", "general"])
                    try await guest.channels.joinChannel(tea)
                    try await guest.channels.joinChannel(tea)
                    let mine = try await guest.channelMembers.getMemberships().changes
                    #expect(await mine.first { $0.dataStatus == .fresh }?.snapshot.map(\.channel) == [tea])
                    let handle = try await guest.messages.createTextMessage("hello", in: tea)
                    _ = try await handle.delivered()
                    await #expect(throws: ClientError.self) {
                        try await guest.channels.updateChannel(tea, ChannelSettings(name: "Mine"))
                    }
                    try await owner.channelMembers.setRole(.moderator, of: bob, in: tea)
                    let role = await owner.channelMembers.searchMembers(of: tea, with: .moderator).changes
                    #expect(await role.first { $0.dataStatus == .fresh }?.snapshot.map(\.user) == [bob])
                    try await guest.channels.leaveChannel(tea)
                    #expect(await mine.first { $0.snapshot.isEmpty } != nil)
                }
                try await owner.channelMembers.addMembers([bob], to: tea)
                let both = await members.first { $0.snapshot.count == 2 }
                #expect(both?.snapshot.map(\.user) == [ann, bob])
                try await owner.channelMembers.removeMembers([bob], from: tea)
                #expect(await members.first { $0.snapshot.map(\.user) == [ann] } != nil)
                #expect(await channel.first { $0.snapshot.first?.memberCount == 1 } != nil)
            }
        }
    }

    private static func refusal(_ code: String, _ detail: String) -> ClientError {
        .transport(.refused(code: code, detail: detail))
    }
}
