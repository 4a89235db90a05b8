import CausewayHubRules
import CausewayHubStorage
import CausewayModels

extension HubStorageConformance {
    static let recordRules: [Rule] = [
        Rule("a record is loaded as it was stored, also deleted, and in the next run") { factory in
            var site = try await Site(factory)
            let value = #"{"text":"é🌊","deep":{"a":[1,2.5,null]}}"#
            try await site.put(
                Site.change("a/b", version: 3, value: value, lists: ["all"]),
                Site.change("é", version: 1, value: "{}", lists: []))
            site = try await Site(factory.reopen(site.storage))
            let state = try await site.storage.records(
                RecordKeys(records: [Site.record("a/b"), Site.record("é"), Site.record("none")]))
            try requireEqual(
                state.rows,
                [
                    Site.record("a/b"): RecordRow(key: Site.record("a/b"), version: 3, value: value),
                    Site.record("é"): RecordRow(key: Site.record("é"), version: 1, value: "{}", isDeleted: true),
                ], "the records")
            let other = RecordKey(kind: "other", id: "a/b")
            try requireEqual(try await site.storage.records(RecordKeys(records: [other])).rows, [:], "another kind")
        },
        Rule("a list goes both ways from a position, by a limit, equal keys by id") { factory in
            let site = try await Site(factory)
            let keys: [(String, Int64)] = [("e", -5), ("b", 0), ("d", 0), ("é", 0), ("a", 7), ("c", .max)]
            for (id, key) in keys {
                try await site.put(Site.change(id, version: 1, value: "{}", lists: ["all", "of/\(id)"], key: key))
            }
            let order = ["e", "b", "d", "é", "a", "c"]
            for count in [1, 2, 5, 6, 7] {
                try requireEqual(try await site.list("all", by: count), order, "by \(count)")
                try requireEqual(
                    try await site.list("all", descending: true, by: count), order.reversed(), "descending by \(count)")
            }
            for (after, rest) in [(("b", 0), 2), (("c", 0), 2), (("zz", Int64.max), 6), (("", Int64.min), 0)] {
                let cursor = ListCursor(key: ListKey(after.1), id: after.0)
                try requireEqual(
                    try await site.list("all", after: cursor), Array(order.dropFirst(rest)), "after \(after)")
            }
            let last = ListCursor(key: ListKey(Int64(0)), id: "d")
            try requireEqual(
                try await site.list("all", descending: true, by: 1, after: last), ["b", "e"], "before an equal key")
            try requireEqual(try await site.list("of", scope: "b"), ["b"], "a scope")
            try requireEqual(try await site.list("of"), [], "another scope")
            let full = try await site.storage.records(
                in: .init(kind: Site.kind, name: "all"), RecordRange(), limit: PageLimit(count: 6, contentBytes: .max))
            try requireEqual(full.next, nil, "the end of the list")
            let one = RecordRow(key: Site.record("e"), version: 1, value: "{}").bytes
            let bytes = try await site.storage.records(
                in: .init(kind: Site.kind, name: "all"), RecordRange(), limit: PageLimit(count: 6, contentBytes: one))
            try requireEqual(bytes.rows.map(\.key.id), ["e", "b"], "the page ends with the record that exceeds it")
        },
        Rule("a record leaves a list with its entry, and a deleted one all of them") { factory in
            let site = try await Site(factory)
            try await site.put(Site.change("a", version: 1, value: "{}", lists: ["all", "red"], key: 1))
            try await site.put(Site.change("b", version: 1, value: "{}", lists: ["all", "red"], key: 2))
            try await site.put(Site.change("a", version: 2, value: #"{"n":1}"#, lists: nil))
            try requireEqual(try await site.list("red"), ["a", "b"], "a change that keeps the lists")
            try await site.put(Site.change("a", version: 3, value: "{}", lists: ["all", "blue"], key: 3))
            try requireEqual(try await site.list("red"), ["b"], "the list that it left")
            try requireEqual(try await site.list("blue"), ["a"], "the list that it entered")
            try requireEqual(try await site.list("all"), ["b", "a"], "the list in which it moved")
            try await site.put(Site.change("a", version: 4, value: "{}", lists: []))
            try requireEqual(try await site.list("all"), ["b"], "the list of what is left")
            let red = RecordList(kind: Site.kind, name: "red")
            let keys = RecordKeys(counted: [red, RecordList(kind: Site.kind, name: "blue")])
            let counts = try await site.storage.records(keys).counts
            try requireEqual(counts[red], 1, "the length of a list")
            try requireEqual(counts.values.reduce(0, +), 1, "the length of an empty list")
            try await site.put(Site.change("a", version: 5, value: "{}", lists: ["red"], key: 9))
            try requireEqual(try await site.list("red"), ["b", "a"], "a record that was created again")
        },
        Rule("the accounts among the keys are those that exist") { factory in
            let site = try await Site(factory)
            try await site.storage.removeAccount(Site.bob, at: Site.time(5))
            let state = try await site.storage.records(RecordKeys(users: [Site.ada, Site.bob, Site.user("zoe")]))
            try requireEqual(state.users, [Site.ada, Site.bob], "the accounts, also removed ones")
        },
        Rule("records change without an opening, and nothing after the end") { factory in
            let storage = try await factory.make()
            let site = try await Site(storage)
            try await site.put(Site.change("a", version: 1, value: "{}", lists: ["all"]))
            try requireEqual(try await site.list("all"), ["a"], "a record")
            storage.close()
            try await requireError("a list after the end", \.isRecovering) { _ = try await site.list("all") }
            try await requireError("a change after the end", \.isRecovering) {
                try await site.put(Site.change("b", version: 1, value: "{}", lists: ["all"]))
            }
        },
        Rule("records of a group are stored with its messages, and need no commit of their own") { factory in
            let site = try await Site(factory)
            try await site.apply([.send(1, by: site.ada), .record("a", version: 1, value: "{}", lists: ["all"])])
            try await site.apply([.send(2, by: site.ada), .record("a", version: 2, value: #"{"n":2}"#)])
            try requireEqual(try await site.list("all"), ["a"], "the list")
            let before = site.storage.opening
            try await site.put(Site.change("a", version: 3, value: "{}", lists: nil))
            try requireEqual(site.storage.opening, before, "the commits")
            let row = try await site.storage.records(RecordKeys(records: [Site.record("a")])).rows[Site.record("a")]
            try requireEqual(row?.version, 3, "the version")
        },
        Rule("rights are loaded for the channel of a stored message") { factory in
            let site = try await Site(factory)
            try await site.apply([.send(1, by: site.ada), .send(2, by: site.ada, in: Site.second)])
            let wanted = RecordKeys.rights(of: Site.bob, in: Site.second).records
            try await site.storage.changeRecords(loading: RecordKeys(records: wanted)) { _ in
                let changes = wanted.map { key in
                    (key, RecordChange(row: RecordRow(key: key, version: 1, value: "{}"), entries: []))
                }
                return RecordDecision(changes: Dictionary(changes) { $1 }, value: ())
            }
            var keys = DeliveryKeys()
            keys.messages = [Site.id(1), Site.id(2)]
            keys.rights = [MessageRights(message: Site.id(1), user: Site.bob)]
            try requireEqual(try await site.load(keys).records.rows, [:], "the rights in another channel")
            keys.rights.insert(MessageRights(message: Site.id(2), user: Site.bob))
            try requireEqual(Set(try await site.load(keys).records.rows.keys), wanted, "the rights in the channel")
        },
    ]
}
