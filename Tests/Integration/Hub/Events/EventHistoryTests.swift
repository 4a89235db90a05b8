import CausewayHub
import CausewayModels
import CausewayRecords
import CausewayWire
import Testing

/// The oracle of events: old state and all events since are the state of now, for every action, before, during and
/// after the state was read.
@Suite struct EventHistoryTests {
    /// Random changes of some accounts.
    private struct Changes {
        var random: SplitMix64
        let authors: [EventAuthor]
        private(set) var counts: [String: Int] = [:]
        private var messages: [(number: UInt64, author: Int)] = []
        private var channels = ["general"]

        init(seed: UInt64, _ authors: [EventAuthor]) {
            random = SplitMix64(seed: seed)
            self.authors = authors
        }

        private mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

        /// One change. Some are refused, as the rights have it.
        mutating func step() async throws {
            let index = draw(authors.count)
            let author = authors[index]
            let channel = channels[draw(channels.count)]
            let target = messages.isEmpty ? nil : messages[draw(messages.count)]
            let other = authors[draw(authors.count)]
            let (name, result): (String, WireResult.Kind)
            switch draw(14) {
            case 0...3:
                name = "send"
                let sent = try await author.deliver { send($0, $1, channel: channel) }
                if sent.result.kind == .accepted { messages.append((sent.number, index)) }
                result = sent.result.kind
            case 4:
                guard let target else { return }
                name = "edit"
                let writer = authors[target.author]
                result = try await writer.deliver { change(.edit, $0, $1, on: target.number) }.result.kind
            case 5, 6:
                guard let target else { return }
                let isAdded = draw(3) > 0
                name = isAdded ? "react" : "unreact"
                result = try await author.deliver {
                    change(isAdded ? .addReaction : .removeReaction, $0, $1, on: target.number)
                }.result.kind
            case 7:
                guard let target else { return }
                name = "delete"
                result = try await author.deliver { sequence, _ in delete(sequence, target.number) }.result.kind
            case 8:
                guard channels.count < 4 else { return }
                name = "create"
                let id = "channel\(channels.count)"
                result = try await author.channel(
                    ChannelAction.create, id, ChannelSettings(isPublic: draw(2) == 0))
                if result == .accepted { channels.append(id) }
            case 9:
                name = "update"
                result = try await author.channel(
                    ChannelAction.update, channel, ChannelSettings(name: "name \(draw(1000))"))
            case 10:
                name = draw(3) > 0 ? "join" : "leave"
                result = try await author.member(name == "join" ? .join : .leave, "\(channel)/\(author.user)")
            case 11:
                name = "add"
                result = try await author.member(.add([.member, .moderator][draw(2)]), "\(channel)/\(other.user)")
            case 12:
                name = "remove"
                result = try await author.member(.remove, "\(channel)/\(other.user)")
            default:
                name = "setRole"
                result = try await author.member(
                    .setRole(ChannelRole.allCases[draw(3)]), "\(channel)/\(other.user)")
            }
            if result == .accepted || result == .deleted { counts[name, default: 0] += 1 }
        }
    }

    @Test(arguments: [HubFixture.StorageKind.memory, .sqlite])
    func oldStateAndEventsAreTheStateOfNow(kind: HubFixture.StorageKind) async throws {
        var counts: [String: Int] = [:]
        let seeds: [UInt64] = kind == .memory ? [1, 2, 3] : [4]
        for seed in seeds {
            let history = try await HubFixture.running(on: kind) { hub in try await Self.history(seed: seed, hub) }
            counts.merge(history) { $0 + $1 }
        }
        let actions = [
            "send", "edit", "react", "unreact", "delete", "create", "update", "join", "leave", "add", "remove",
            "setRole",
        ]
        for action in actions where seeds.count > 1 {
            #expect(counts[action] ?? 0 > 0, "no \(action) in all histories")
        }
    }

    /// - Returns: the number of accepted changes of each action.
    private static func history(seed: UInt64, _ hub: HubFixture) async throws -> [String: Int] {
        var authors = [EventAuthor("me", hub.client, ids: 0)]
        for (index, name) in ["ada", "bob"].enumerated() {
            let client = try await hub.client(of: name, isMember: index == 0)
            authors.append(EventAuthor(name, client, ids: UInt64(index + 1) * 10_000))
        }
        var changes = Changes(seed: seed, authors)
        for _ in 0..<20 { try await changes.step() }
        var models: [EventModel] = []
        for author in authors {
            // Changes before, during and after the state is read.
            models.append(
                try await EventModel(author.user, author.client) { for _ in 0..<2 { try await changes.step() } })
        }
        for round in 0..<6 {
            for _ in 0..<8 { try await changes.step() }
            for index in models.indices where round % (index + 1) == 0 {
                // Of some parts only, while more changes; then to the end.
                try await models[index].catchUp(by: [1, 3, 1000][round % 3]) {
                    if round % 2 == 0, changes.random.next() % 4 == 0 { try await changes.step() }
                }
                try await models[index].catchUp(by: 1000)
                let fresh = try await EventModel.read(models[index].user, models[index].client)
                #expect(models[index].state == fresh, "seed \(seed), round \(round), \(models[index].user)")
                guard models[index].state == fresh else { return changes.counts }
            }
        }
        return changes.counts
    }
}
