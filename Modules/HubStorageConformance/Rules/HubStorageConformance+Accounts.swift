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
}
