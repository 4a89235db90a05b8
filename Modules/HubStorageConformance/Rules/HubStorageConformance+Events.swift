import CausewayHubRules
import CausewayHubStorage
import CausewayModels

extension HubStorageConformance {
    static let eventRules: [Rule] = [
        Rule("every change of a message is logged, in its newest state") { factory in
            let site = try await eventSite(factory)
            var cursor = try await site.end()
            var versions: [Int64] = []
            let steps: [(Site.Step, String)] = [
                (.send(1, by: site.ada), "1"), (.edit(1, content: Site.content("new")), "1"),
                (.react(1, "wave", by: site.ada), "1"), (.react(1, "wave", by: site.ada, isAdded: false), "1"),
                (.delete(1), "-1"),
            ]
            for (step, name) in steps {
                try await site.apply([step])
                let page = try await site.log(after: cursor)
                try requireEqual(page.names, [name], "the log after \(step)")
                try requireEqual(page.entries.map(\.change.topic), [.channel(Site.general)], "its topic")
                try require(page.isUpToDate && page.crowded.isEmpty, "the end of the log")
                try requireEqual(page.cursor, try await site.end(), "the cursor")
                versions += page.entries.map(\.change.version)
                if case .message(let message) = page.entries.first?.state {
                    try requireEqual(
                        try await site.storage.message(Site.id(1), for: site.ada), .found(message), "the state")
                }
                cursor = page.cursor
            }
            try require(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }, "versions ascend: \(versions)")
        },
        Rule("the log has the tombstone of a deleted message") { factory in
            let site = try await eventSite(factory)
            let cursor = try await site.end()
            try await site.apply([
                .send(1, by: site.ada), .send(2, by: site.bob, content: #"{"v":1,"type":"image"}"#, parent: 1),
            ])
            try await site.apply([.delete(2)])
            let page = try await site.log(after: cursor)
            let left = StoredMessage(
                id: Site.id(2), channel: Site.general, sender: Site.bob, position: 2, createdAt: Site.time(2),
                acceptedAt: Site.time(2), parent: Site.id(1), editedAt: nil, changedAt: nil, content: "",
                reactions: [], deletion: .init(at: Site.time(70), type: "image"))
            try requireEqual(page.entries.last?.state, .deleted(left), "the state")
            try await site.put(Site.change("a", version: 1, value: "{}", lists: ["all"]))
            try await site.put(Site.change("a", version: 2, value: "{}", lists: []))
            try requireEqual(
                try await site.log(after: page.cursor).entries.map(\.state), [.deleted(nil)], "another record")
        },
        Rule("queries of one call are read as each alone") { factory in
            let site = try await eventSite(factory)
            let start = try await site.end()
            try await site.apply([
                .send(1, by: site.ada), .send(2, by: site.bob), .send(3, by: site.bob, in: Site.second),
                .member(Site.bob, in: Site.channel("third"), version: 1),
            ])
            let middle = try await site.end()
            try await site.apply([
                .react(1, "wave", by: site.bob), .send(4, by: site.ada), .delete(2),
                .send(5, by: site.bob, in: Site.second),
            ])
            let late = try await site.end()
            try await site.apply([.send(6, by: site.bob, in: Site.second)])
            let end = try await site.end()
            let lost = LogCursor(history: end.history, opening: end.opening, position: end.position + 1)
            var queries: [LogQuery] = []
            // Neighbours of the same position, which may share something, and of other ones.
            for cursor in [late, middle, start, end, lost, middle] {
                for user in [Site.ada, Site.bob] {
                    queries.append(site.query(after: cursor, for: user))
                    queries.append(site.query(after: cursor, for: user, topics: [.channel(Site.second)]))
                    queries.append(site.query(after: cursor, for: user, limit: 1))
                    queries.append(site.query(after: cursor, for: user, bytes: 1))
                }
            }
            let together = try await site.read(queries)
            for (query, reading) in zip(queries, together) {
                try requireEqual(reading, try await site.read([query])[0], "the reading of \(query)")
            }
            try requireEqual(try await site.read([]), [], "no queries")
        },
        Rule("own reactions of the reader are marked in the log") { factory in
            let site = try await eventSite(factory)
            let cursor = try await site.end()
            try await site.apply([.send(1, by: site.ada)])
            try await site.apply([.react(1, "wave", by: site.bob)])
            for (user, isOwn) in [(Site.ada, false), (Site.bob, true)] {
                let page = try await site.log(after: cursor, for: user)
                guard case .message(let message)? = page.entries.first?.state else {
                    return try require(false, "no message")
                }
                try requireEqual(message.reactions, [.init(name: "wave", count: 1, isOwn: isOwn)], "of \(user)")
            }
        },
        Rule("every change of a record is logged in each of its topics, also without a delivery") { factory in
            let site = try await eventSite(factory)
            let cursor = try await site.end()
            try await site.put(Site.change("a", version: 1, value: "{}", lists: ["all"]))
            try await site.apply([.record("b", version: 4, value: "{}", lists: ["all"])])
            try requireEqual(try await site.log(after: cursor).names, ["a", "b"], "the log")
            let middle = try await site.end()
            try await site.put(Site.change("a", version: 2, value: #"{"n":2}"#, lists: nil))
            try await site.put(Site.change("b", version: 5, value: "{}", lists: []))
            let page = try await site.log(after: middle)
            try requireEqual(page.names, ["a", "-b"], "the log")
            try requireEqual(page.entries.map(\.change.version), [2, 5], "the versions")
            try requireEqual(
                page.entries.first?.state,
                .record(RecordRow(key: Site.record("a"), version: 2, value: #"{"n":2}"#)), "the state")
            try await site.apply([.member(Site.bob, in: Site.second, version: 2)])
            let other = try await site.log(after: page.cursor, for: Site.bob)
            try requireEqual(
                other.entries.map(\.change.topic), [.channel(Site.second), .account(Site.bob)], "the topics")
            try require(other.entries.allSatisfy(\.change.isNew), "a record that is new")
        },
        Rule("a record that changed often is in a page once, at its last change") { factory in
            let site = try await eventSite(factory)
            let cursor = try await site.end()
            try await site.apply([.send(1, by: site.ada), .send(2, by: site.ada)])
            for number in 1...5 {
                try await site.apply([.edit(1, content: Site.content("\(number)"), at: Int64(50 + number))])
            }
            let page = try await site.log(after: cursor)
            try requireEqual(page.names, ["2", "1"], "the log")
            try require(page.entries.allSatisfy(\.change.isNew), "messages that are new")
            let part = try await site.log(after: cursor, limit: 1)
            try requireEqual(part.names, ["1"], "the first record")
            try require(!part.isUpToDate, "more records follow")
        },
        Rule("pages of the log lead to the end, by a limit of records and of bytes") { factory in
            let site = try await eventSite(factory)
            let cursor = try await site.end()
            let content = Site.content("0123456789")
            try await site.apply((1...9).map { .send($0, by: site.ada, content: content) })
            try await site.apply([.delete(3), .edit(5, content: content)])
            let all = try await site.states(after: cursor)
            try requireEqual(all.count, 9, "the changes")
            for limit in [1, 2, 8, 9, 10] {
                try requireEqual(try await site.states(after: cursor, limit: limit), all, "by \(limit)")
            }
            // An event counts with more than its content: three would be too many.
            let bytesOfTwo = 3 * HubStorageLimits.eventHeadBytes - 1
            for bytes in [1, bytesOfTwo] {
                try requireEqual(try await site.states(after: cursor, bytes: bytes), all, "by \(bytes) bytes")
            }
            let page = try await site.log(after: cursor, bytes: bytesOfTwo)
            try requireEqual(page.names, ["1", "2"], "a page of two events")
            try requireEqual(try await site.log(after: site.end()).entries, [], "nothing after the end")
        },
        Rule("a topic with too many changes is named and not listed") { factory in
            let site = try await eventSite(factory)
            let cursor = try await site.end()
            let count = HubStorageLimits.logEntriesPerTopicMax
            try await site.apply([.send(1, by: site.ada, in: Site.second)])
            try await site.apply((2...count + 1).map { .send($0, by: site.ada) })
            let full = try await site.log(after: cursor, for: Site.bob, limit: 10)
            try requireEqual(full.crowded, [], "as many changes as are listed")
            try await site.apply([.send(count + 2, by: site.ada), .send(count + 3, by: site.ada, in: Site.second)])
            let page = try await site.log(after: cursor, for: Site.bob)
            try requireEqual(page.crowded, [.channel(Site.general)], "one more")
            try requireEqual(page.entries.count, 2, "the other topic")
            try require(page.isUpToDate, "nothing else")
            let rest = try await site.log(after: full.cursor, for: Site.bob, limit: 10)
            try requireEqual(rest.crowded, [], "after some of them")
        },
        Rule("many changed topics: the readable ones are listed") { factory in
            let site = try await eventSite(factory)
            let cursor = try await site.end()
            let channels = (0..<HubStorageLimits.logTopicsScannedMax + 20).map { Site.channel("c\($0)") }
            try await site.apply(channels.enumerated().map { .send($0 + 10, by: site.ada, in: $1) })
            try await site.apply([.send(1, by: site.ada), .send(2, by: site.ada, in: Site.second)])
            try requireEqual(try await site.log(after: cursor).names, ["1"], "for a member of one")
            try requireEqual(try await site.log(after: cursor, for: Site.bob).names, ["1", "2"], "for a member of two")
            let steps = channels.map { Site.Step.member(Site.bob, in: $0, version: 1) }
            try await site.apply(steps)
            let all = try await site.states(after: cursor, for: Site.bob, limit: 50)
            try requireEqual(all.count, 2 + 3 * channels.count, "for a member of all")
        },
    ]

    /// A site on which both accounts are members of the channel `general`, and bob of the second one.
    static func eventSite(_ factory: HubStorageFactory) async throws -> Site {
        let site = try await Site(factory)
        try await site.apply([
            .member(Site.ada, version: 1), .member(Site.bob, version: 1),
            .member(Site.bob, in: Site.second, version: 1),
        ])
        return site
    }
}
