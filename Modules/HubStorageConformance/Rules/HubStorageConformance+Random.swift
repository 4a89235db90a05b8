import CausewayHubRules
import CausewayHubStorage
import CausewayModels

extension HubStorageConformance {
    /// Random groups, compared with a storage in memory: what the other rules show for examples holds for any history.
    static let randomRules: [Rule] = [
        Rule("random groups: the storage and the reference agree") { factory in
            for seed in 1...8 {
                let site = try await Site(factory)
                let reference = try await Site(
                    HubStorageFactory(
                        make: {
                            MemoryHubStorage(hub: Site.bytes(1), sealKey: Site.digest(1), history: Site.bytes(2))
                        }, reopen: { $0 }))
                try await compare(site, reference, seed: UInt64(seed))
            }
        }
    ]

    private static func compare(_ site: Site, _ reference: Site, seed: UInt64) async throws {
        var generator = GroupGenerator(seed: seed, accounts: [site.ada, site.bob])
        var cursors = (try await site.page(.newest).cursor, try await reference.page(.newest).cursor)
        var ends = (try await site.end(), try await reference.end())
        for number in 0..<40 {
            let group = generator.next()
            let what = "seed \(seed), group \(number)"
            if number % 8 == 0 { ends = (try await site.end(), try await reference.end()) }
            var (loaded, expected) = (try await site.apply(group), try await reference.apply(group))
            (loaded.history, expected.history) = ([], [])
            try requireEqual(loaded, expected, what)
            for range in [MessageRange.newest, .after(Int64(number)), .before(Int64(number))] {
                for limit in [2, 50] {
                    var (page, other) = (
                        try await site.page(range, limit: limit), try await reference.page(range, limit: limit)
                    )
                    other.cursor = page.cursor
                    page.messages = page.messages.map(Self.sorted)
                    try requireEqual(page, other, "\(what), \(range)")
                }
            }
            for (name, scope) in [("all", ""), ("byColor", "red")] {
                for descending in [false, true] {
                    try requireEqual(
                        try await site.list(name, scope: scope, descending: descending, by: 3),
                        try await reference.list(name, scope: scope, descending: descending),
                        "\(what): the list \(name)")
                }
            }
            if number % 4 == 3 { try await compareLogs(site, reference, after: ends, what) }
            let last = try await site.page(.newest).lastPosition
            var changes = try await site.changes(since: cursors.0, from: 2, through: last / 2, limit: 30).changed
            var others = try await reference.changes(since: cursors.1, from: 2, through: last / 2, limit: 30).changed
            changes?.gone.sort { $0.value.low < $1.value.low }
            others?.gone.sort { $0.value.low < $1.value.low }
            try requireEqual(changes, others, "\(what): the changes")
            if number % 5 == 0 {
                cursors = (try await site.page(.newest).cursor, try await reference.page(.newest).cursor)
            }
        }
    }

    private static func compareLogs(
        _ site: Site, _ reference: Site, after ends: (LogCursor, LogCursor), _ what: String
    ) async throws {
        for user in [Site.ada, Site.bob] {
            let expected = try await reference.states(after: ends.1, for: user)
            for limit in [3, 1000] {
                var states = try await site.states(after: ends.0, for: user, limit: limit)
                for case (let pair, .message(let message)) in states { states[pair] = .message(sorted(message)) }
                try requireEqual(states, expected, "\(what): the log for \(user), by \(limit)")
            }
        }
    }

    private static func sorted(_ message: StoredMessage) -> StoredMessage {
        var message = message
        message.reactions.sort { $0.name < $1.name }
        return message
    }
}

/// Draws groups of changes that are possible one after the other.
private struct GroupGenerator {
    private var random: SplitMix64
    private let accounts: [Int64]
    /// Messages that are not deleted, by number, with their channel.
    private var alive: [Int] = []
    private var last = 0
    private var lastOperation = 100_000
    private var mark: Int64 = 0
    private var version: Int64 = 0

    init(seed: UInt64, accounts: [Int64]) {
        random = SplitMix64(seed: seed)
        self.accounts = accounts
    }

    mutating func next() -> [Site.Step] {
        var steps: [Site.Step] = []
        // One change for each message: a group stores its final state.
        var untouched = alive
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let account = accounts[Int.random(in: 0..<accounts.count, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0...2:
                last += 1
                alive.append(last)
                steps.append(
                    .send(last, by: account, in: Bool.random(using: &random) ? Site.general : Site.second))
            case 3:
                guard let target = draw(&untouched) else { continue }
                steps.append(.edit(target, content: Site.content("\(random.next())"), at: Int64(last)))
            case 4:
                guard let target = draw(&untouched) else { continue }
                alive.removeAll { $0 == target }
                steps.append(.delete(target))
            case 5...6:
                guard let target = draw(&untouched) else { continue }
                lastOperation += 1
                let name = ["wave", "+1", "tada"][Int.random(in: 0..<3, using: &random)]
                steps.append(.react(target, name, by: account, isAdded: Bool.random(using: &random), at: Int64(last)))
                steps.append(.operation(lastOperation, on: target, by: account))
            case 7: steps.append(drawRecord())
            case 8: steps.append(drawMember())
            default:
                let number = 1_000_000 + Int.random(in: 0..<20, using: &random)
                steps.append(Bool.random(using: &random) ? .note(number, by: account) : .take(number, by: account))
            }
        }
        mark += 1
        steps.append(.lane(["text", "media"][Int(mark % 2)], mark: mark, by: accounts[0]))
        return steps
    }

    /// Few records, so that they are created, changed, deleted and created again.
    private mutating func drawRecord() -> Site.Step {
        version += 1
        let id = "record \(Int.random(in: 0..<12, using: &random))"
        let lists = [[], ["all"], ["all", "byColor/red"], ["all", "byColor/blue"]]
        return .record(
            id, version: version, value: #"{"number":\#(version)}"#,
            lists: lists[Int.random(in: 0..<lists.count, using: &random)], key: Int64.random(in: -3...3, using: &random)
        )
    }

    private mutating func drawMember() -> Site.Step {
        version += 1
        return .member(
            Bool.random(using: &random) ? Site.ada : Site.bob,
            in: Bool.random(using: &random) ? Site.general : Site.second,
            version: version, isMember: Int.random(in: 0..<4, using: &random) > 0)
    }

    private mutating func draw(_ numbers: inout [Int]) -> Int? {
        guard !numbers.isEmpty else { return nil }
        return numbers.remove(at: Int.random(in: 0..<numbers.count, using: &random))
    }
}
