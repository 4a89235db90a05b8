import CausewayHub
import CausewayModels
import CausewayRecords
import CausewayWire
import Testing

/// Old state and events are the state of now: for each action alone, at every moment of reading the state, which has
/// one before, one after, and one between any two requests. ``EventHistoryTests`` mixes them at random.
@Suite struct ActionTableTests {
    /// A channel with an owner, the reader of the state, who moderates it, and a third member; and one that the reader
    /// may join.
    struct Scene {
        let owner, reader, third: EventAuthor
        let channel: String
        let joinable: String
        /// Messages of the owner and of the reader, each with a reaction of the owner.
        let ownersMessage, readersMessage: UInt64

        init(_ number: Int, owner: EventAuthor, _ hub: HubFixture) async throws {
            self.owner = owner
            (channel, joinable) = ("channel\(number)", "joinable\(number)")
            let base = UInt64(number + 1) * 1000
            let names = ["reader\(number)", "third\(number)"]
            reader = EventAuthor(names[0], try await hub.client(of: names[0], isMember: false), ids: base)
            third = EventAuthor(names[1], try await hub.client(of: names[1], isMember: false), ids: base + 500)
            try await owner.channel(ChannelAction.create, channel, ChannelSettings(isPublic: true))
            try await owner.channel(ChannelAction.create, joinable, ChannelSettings(isPublic: true))
            try await owner.member(.add(.moderator), "\(channel)/\(reader.user)")
            try await owner.member(.add(.member), "\(channel)/\(third.user)")
            ownersMessage = try await owner.send(to: channel)
            readersMessage = try await reader.send(to: channel)
            for message in [ownersMessage, readersMessage] {
                #expect(try await react(.addReaction, message, by: owner) == .accepted)
            }
        }

        func react(
            _ kind: WireOperation.Kind, _ message: UInt64, by author: EventAuthor
        ) async throws -> WireResult.Kind {
            try await author.deliver { sequence, number in
                var operation = change(kind, sequence, number, on: message)
                operation.reaction = "wave"
                return operation
            }.result.kind
        }

        func edit(_ message: UInt64, by author: EventAuthor) async throws -> WireResult.Kind {
            try await author.deliver { change(.edit, $0, $1, on: message) }.result.kind
        }

        func remove(_ message: UInt64, by author: EventAuthor) async throws -> WireResult.Kind {
            try await author.deliver { sequence, _ in delete(sequence, message) }.result.kind
        }

        func write(_ author: EventAuthor, parent: UInt64? = nil) async throws -> WireResult.Kind {
            try await author.deliver { send($0, $1, channel: channel, parent: parent) }.result.kind
        }
    }

    struct Action: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (Scene) async throws -> WireResult.Kind

        init(_ name: String, _ run: @escaping @Sendable (Scene) async throws -> WireResult.Kind) {
            testDescription = name
            self.run = run
        }
    }

    private static let messageActions = [
        Action("another's message") { try await $0.write($0.owner) },
        Action("a message of one's own") { try await $0.write($0.reader) },
        Action("a reply") { try await $0.write($0.third, parent: $0.readersMessage) },
        Action("an edit") { try await $0.edit($0.ownersMessage, by: $0.owner) },
        Action("an edit of one's own") { try await $0.edit($0.readersMessage, by: $0.reader) },
        Action("a reaction") { try await $0.react(.addReaction, $0.readersMessage, by: $0.third) },
        Action("a reaction of one's own") { try await $0.react(.addReaction, $0.ownersMessage, by: $0.reader) },
        Action("a reaction's end") { try await $0.react(.removeReaction, $0.readersMessage, by: $0.owner) },
        Action("a deletion") { try await $0.remove($0.ownersMessage, by: $0.owner) },
        Action("a deletion of one's own") { try await $0.remove($0.readersMessage, by: $0.reader) },
    ]

    private static let recordActions = [
        Action("a channel of one's own") {
            try await $0.reader.channel(ChannelAction.create, "new-\($0.channel)", ChannelSettings())
        },
        Action("a channel's name") {
            try await $0.owner.channel(ChannelAction.update, $0.channel, ChannelSettings(name: "new"))
        },
        Action("one joins") { try await $0.reader.member(.join, "\($0.joinable)/\($0.reader.user)") },
        Action("one leaves") { try await $0.reader.member(.leave, "\($0.channel)/\($0.reader.user)") },
        Action("one is added") { try await $0.owner.member(.add(.member), "\($0.joinable)/\($0.reader.user)") },
        Action("one is removed") { try await $0.owner.member(.remove, "\($0.channel)/\($0.reader.user)") },
        Action("one's role") { try await $0.owner.member(.setRole(.member), "\($0.channel)/\($0.reader.user)") },
        Action("another joins") { try await $0.third.member(.join, "\($0.joinable)/\($0.third.user)") },
        Action("another leaves") { try await $0.third.member(.leave, "\($0.channel)/\($0.third.user)") },
        Action("another is removed") { try await $0.reader.member(.remove, "\($0.channel)/\($0.third.user)") },
        Action("another's role") {
            try await $0.owner.member(.setRole(.moderator), "\($0.channel)/\($0.third.user)")
        },
    ]

    @Test(arguments: messageActions + recordActions) func oldStateAndEventsAreTheStateOfNow(
        after action: Action
    ) async throws {
        try await HubFixture.running(on: .memory) { hub in
            let owner = EventAuthor("me", hub.client, ids: 1_000_000)
            let moments = try await Self.read(Scene(0, owner: owner, hub), at: .max) { _ in .accepted }
            #expect(moments > 3)
            for moment in 0...(moments + 1) {
                _ = try await Self.read(Scene(moment + 1, owner: owner, hub), at: moment, action.run)
            }
        }
    }

    /// Reads the state while something happens, then the events, and compares with the state of now.
    ///
    /// - Parameter moment: 0 for before everything, then the pauses between the requests, then after all of them.
    /// - Returns: the number of pauses.
    private static func read(
        _ scene: Scene, at moment: Int, _ action: (Scene) async throws -> WireResult.Kind
    ) async throws -> Int {
        func act() async throws {
            let result = try await action(scene)
            #expect(result == .accepted || result == .deleted, "moment \(moment)")
        }
        var pauses = 0
        if moment == 0 { try await act() }
        let reader = scene.reader
        var model = try await EventModel(reader.user, reader.client) {
            pauses += 1
            if pauses == moment { try await act() }
        }
        if moment == pauses + 1 { try await act() }
        try await model.catchUp(by: 1)
        let fresh = try await EventModel.read(reader.user, reader.client)
        #expect(model.state == fresh, "moment \(moment)")
        return pauses
    }
}
