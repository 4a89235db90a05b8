import CausewayHubStorage
import CausewayModels

extension HubStorageConformance {
    static let accountRules: [Rule] = [
        Rule("a token finds its account until it is replaced or removed") { factory in
            let storage = try await factory.make()
            try await storage.addAccount(Site.ada, tokenDigest: Site.digest(1), at: Site.time(5))
            try await storage.addAccount(Site.bob, tokenDigest: Site.digest(2), at: Site.time(6))
            let ada = try await storage.account(tokenDigest: Site.digest(1))
            try requireEqual(ada?.user, Site.ada, "the account of the first token")
            try requireEqual(ada?.createdAt, Site.time(5), "its creation")
            try requireEqual(try await storage.account(tokenDigest: Site.digest(3)), nil, "an unknown token")
            try await storage.renewAccount(Site.ada, tokenDigest: Site.digest(3))
            try requireEqual(try await storage.account(tokenDigest: Site.digest(1)), nil, "the replaced token")
            try requireEqual(try await storage.account(tokenDigest: Site.digest(3)), ada, "the new token")
            try await storage.removeAccount(Site.bob, at: Site.time(7))
            try requireEqual(try await storage.account(tokenDigest: Site.digest(2)), nil, "the removed token")
        },
        Rule("a removed account keeps its name and its number") { factory in
            var storage = try await factory.make()
            try await storage.addAccount(Site.bob, tokenDigest: Site.digest(2), at: Site.time(6))
            try await storage.addAccount(Site.ada, tokenDigest: Site.digest(1), at: Site.time(5))
            let before = try await storage.accounts()
            try requireEqual(before.map(\.user), [Site.ada, Site.bob], "the accounts by name")
            try await storage.removeAccount(Site.ada, at: Site.time(7))
            storage = try await factory.reopen(storage)
            let removed = try await storage.accounts()
            try requireEqual(removed.map(\.removedAt), [Site.time(7), nil], "the removals")
            try requireEqual(removed.map(\.number), before.map(\.number), "the numbers")
            try await requireError(.taken(kind: "account", name: "ada"), "adding a removed account") {
                try await storage.addAccount(Site.ada, tokenDigest: Site.digest(3), at: Site.time(8))
            }
            try await storage.renewAccount(Site.ada, tokenDigest: Site.digest(4))
            let back = try await storage.account(tokenDigest: Site.digest(4))
            try requireEqual(back?.number, before[0].number, "the number after the return")
            try requireEqual(back?.removedAt, nil, "the removal after the return")
        },
        Rule("unknown accounts are neither renewed nor removed") { factory in
            let storage = try await factory.make()
            try await requireError(.unknownAccount(name: "ada"), "renewing") {
                try await storage.renewAccount(Site.ada, tokenDigest: Site.digest(1))
            }
            try await requireError(.unknownAccount(name: "ada"), "removing") {
                try await storage.removeAccount(Site.ada, at: Site.time(1))
            }
            try await storage.addAccount(Site.ada, tokenDigest: Site.digest(1), at: Site.time(5))
            try await storage.removeAccount(Site.ada, at: Site.time(7))
            try await requireError(.unknownAccount(name: "ada"), "removing twice") {
                try await storage.removeAccount(Site.ada, at: Site.time(8))
            }
            try requireEqual(try await storage.accounts().map(\.removedAt), [Site.time(7)], "the first removal")
        },
    ]

    static let channelRules: [Rule] = [
        Rule("a channel is created once and listed by name") { factory in
            var storage = try await factory.make()
            let second = try await storage.addChannel(Site.second, creator: nil, at: Site.time(1))
            try require(second.isNew && second.channel == Channel(id: Site.second, lastPosition: 0), "a new channel")
            let again = try await storage.addChannel(Site.second, creator: nil, at: Site.time(2))
            try require(!again.isNew && again.channel == second.channel, "the same channel")
            _ = try await storage.addChannel(Site.general, creator: nil, at: Site.time(3))
            storage = try await factory.reopen(storage)
            try requireEqual(try await storage.channels().map(\.id), [Site.general, Site.second], "the channels")
            try requireEqual(try await storage.channel(Site.general)?.lastPosition, 0, "the position of an empty one")
            try requireEqual(try await storage.channel(Site.channel("third")), nil, "an unknown channel")
        },
        Rule("an account creates a limited number of channels, the operator any") { factory in
            let site = try await Site(factory)
            for number in 0..<HubStorageLimits.channelsPerAccountMax {
                _ = try await site.storage.addChannel(
                    Site.channel("c\(number)"), creator: site.ada, at: Site.time(1))
            }
            try await requireError("one channel more", \.isTooMany) {
                _ = try await site.storage.addChannel(Site.channel("more"), creator: site.ada, at: Site.time(1))
            }
            let own = try await site.storage.addChannel(Site.channel("c0"), creator: site.ada, at: Site.time(1))
            try require(!own.isNew, "an existing channel is no new one")
            for creator in [site.bob, nil] {
                let name = Site.channel("of-\(creator ?? 0)")
                try require(
                    try await site.storage.addChannel(name, creator: creator, at: Site.time(1)).isNew, "another creator"
                )
            }
        },
        Rule("only a channel that never had a message is removed") { factory in
            let site = try await Site(factory)
            try await site.apply([.send(1, by: site.ada)])
            try await site.apply([.delete(1)])
            try await requireError(.channelInUse(name: "general"), "removing a used channel") {
                try await site.storage.removeChannel(Site.general)
            }
            try await site.storage.removeChannel(Site.second)
            try requireEqual(try await site.storage.channels().map(\.id), [Site.general], "the channels")
            try await requireError(.unknownChannel(name: "second"), "removing it twice") {
                try await site.storage.removeChannel(Site.second)
            }
        },
    ]
}
