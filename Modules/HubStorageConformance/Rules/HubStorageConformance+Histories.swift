import CausewayHubRules
import CausewayHubStorage
import CausewayModels

extension HubStorageConformance {
    static let historyRules: [Rule] = [
        Rule("no deliveries and no pages without an opening, and nothing after the end") { factory in
            let storage = try await factory.make()
            try require(storage.opening == nil, "an opening before the first one")
            try await storage.addAccount(Site.ada, tokenDigest: Site.digest(1), at: Site.time(1))
            let site = try await Site(storage)
            try await requireError("a page", \.isRecovering) { _ = try await site.page(.newest) }
            try await requireError("a delivery", \.isRecovering) { _ = try await site.load(DeliveryKeys()) }
            try await storage.beginOpening(Site.bytes(1))
            _ = try await site.page(.newest)
            try require(storage.isHealthy, "a healthy storage")
            storage.close()
            try require(!storage.isHealthy, "a closed storage is not healthy")
            try await requireError("a page after the end", \.isRecovering) { _ = try await site.page(.newest) }
            try await requireError("a delivery after the end", \.isRecovering) {
                _ = try await site.load(DeliveryKeys())
            }
            try await requireError("a look-up after the end", \.isRecovering) {
                _ = try await storage.account(tokenDigest: Site.digest(1))
            }
            try await requireError("a write after the end", \.isRecovering) {
                try await storage.addAccount(Site.ada, tokenDigest: Site.digest(1), at: Site.time(1))
            }
        },
        Rule("commits are counted over openings, each of which ends with its last one") { factory in
            var site = try await Site(factory)
            let first = site.storage.opening
            try requireEqual(first?.lastCommit, 0, "the first commit")
            for number in 1...3 {
                try await site.apply([.send(number, by: site.ada), .lane("text", mark: 1, by: site.ada)])
            }
            try requireEqual(site.storage.opening?.lastCommit, 3, "the confirmed commits")
            try requireEqual(try await site.load(DeliveryKeys()).lastCommit, 3, "the commits in a transaction")
            try requireEqual(
                try await site.storage.lastCommit(ofOpening: Site.bytes(1)), nil, "an opening that goes on")
            site = try await Site(factory.reopen(site.storage))
            try await site.storage.beginOpening(Site.bytes(2))
            try requireEqual(site.storage.opening?.lastCommit, 3, "the commits after a restart")
            try requireEqual(site.storage.opening?.hub, first?.hub, "the hub")
            try requireEqual(site.storage.opening?.sealKey, first?.sealKey, "its key")
            try requireEqual(site.storage.opening?.history, first?.history, "its history")
            try requireEqual(site.storage.opening?.id, Site.bytes(2), "the opening")
            try requireEqual(try await site.storage.lastCommit(ofOpening: Site.bytes(1)), 3, "the ended opening")
            try requireEqual(try await site.storage.lastCommit(ofOpening: Site.bytes(9)), nil, "an unknown opening")
            // An opening without commits.
            site = try await Site(factory.reopen(site.storage))
            try await site.storage.beginOpening(Site.bytes(3))
            try requireEqual(try await site.storage.lastCommit(ofOpening: Site.bytes(2)), 3, "the idle opening")
            let state = try await site.apply([.send(4, by: site.ada), .lane("text", mark: 2, by: site.ada)])
            try requireEqual(state.lastCommit, 3, "the commit before the next one")
            try requireEqual(site.storage.opening?.lastCommit, 4, "the next commit")
        },
        Rule("a decision without changes is no commit") { factory in
            let site = try await Site(factory)
            try await site.apply([.send(1, by: site.ada)])
            let before = site.storage.opening
            _ = try await site.load(Site.keys(of: [.send(1, by: site.ada)]))
            try requireEqual(site.storage.opening, before, "the opening")
        },
        Rule("another history raises every position, and begins once") { factory in
            var site = try await Site(factory)
            try await site.apply([.send(1, by: site.ada)])
            guard let first = site.storage.opening else { return try require(false, "no opening") }
            let begins = {
                try await site.storage.beginHistory(
                    Site.bytes(8), above: 10, after: first.history, at: Site.time(1))
            }
            try require(try await begins(), "another history")
            try require(try await !begins(), "no third one")
            guard let second = site.storage.opening else { return try require(false, "no opening") }
            try requireEqual(second.history, Site.bytes(8), "the history")
            try require(second.floor > 10 && second.floor > first.floor, "the floor \(second.floor)")
            try requireEqual(second.id, first.id, "the opening")
            try requireEqual(try await site.load(DeliveryKeys()).history, second.history, "the history of a delivery")
            for channel in [Site.general, Site.second] {
                try requireEqual(
                    try await site.page(.newest, in: channel).lastPosition, second.floor,
                    "the last position of \(channel)")
            }
            var keys = DeliveryKeys()
            keys.channels = [Site.general, Site.second]
            let state = try await site.load(keys)
            try requireEqual(state.channels, [Site.general: second.floor], "the positions in a transaction")
            try requireEqual(state.records.floor, second.floor, "the floor in a transaction")
            try requireEqual(try await site.storage.records(RecordKeys()).floor, second.floor, "the floor of records")
            try await site.apply([.send(2, by: site.ada)])
            try requireEqual(try await site.page(.newest).messages.map(\.position), [second.floor + 1, 1], "positions")
            site = try await Site(factory.reopen(site.storage))
            try await site.storage.beginOpening(Site.bytes(2))
            try requireEqual(site.storage.opening?.history, second.history, "the history after a restart")
            try requireEqual(site.storage.opening?.floor, second.floor, "the floor after a restart")
            try require(
                try await site.storage.beginHistory(
                    Site.bytes(9), above: second.floor << 1, after: second.history, at: Site.time(1)), "a third history"
            )
            try require(site.storage.opening.map { $0.floor > second.floor << 1 } == true, "the requested floor")
        },
        Rule("the marks of an outbox are those of its lanes") { factory in
            let site = try await Site(factory)
            try await site.apply([
                .lane("text", mark: 4, by: site.ada), .lane("media", mark: 5, by: site.ada),
                .lane("text", mark: 6, outbox: 2, by: site.ada), .lane("text", mark: 7, by: site.bob),
            ])
            try await site.apply([.lane("text", mark: 8, mover: 3, by: site.ada)])
            let marks = try await site.storage.marks(of: Site.outbox(1, site.ada))
            try requireEqual(marks.mapValues(\.mark), ["text": 8, "media": 5], "the marks")
            try requireEqual(marks.compactMapValues(\.mover), ["text": Site.opening(3)], "the openings that moved them")
            try requireEqual(try await site.storage.marks(of: Site.outbox(3, site.ada)), [:], "an unknown outbox")
        },
        Rule("calls count as activity") { factory in
            let storage = try await factory.make()
            let before = storage.activity
            _ = try await storage.accounts()
            try require(storage.activity > before, "a read")
            let after = storage.activity
            try require(await storage.rest(), "an idle storage rests")
            try requireEqual(storage.activity, after, "the rest itself")
            _ = try await storage.changedTopics(after: 0, limit: 1)
            try requireEqual(storage.activity, after, "a look at the changed topics")
        },
    ]
}
