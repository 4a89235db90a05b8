import CausewayHubRules
import CausewayHubStorage
import CausewayModels

/// Which part of the log an account reads, and from where.
extension HubStorageConformance {
    static let eventRightsRules: [Rule] = [
        Rule("only members read the log of a channel, and only the account its own") { factory in
            let site = try await eventSite(factory)
            let cursor = try await site.end()
            try await site.apply([
                .send(1, by: site.ada), .send(2, by: site.bob, in: Site.second),
                .member(Site.bob, in: Site.channel("third"), version: 1),
            ])
            let page = try await site.log(after: cursor)
            try requireEqual(page.names, ["1"], "what ada reads")
            try requireEqual(page.cursor, try await site.end(), "the end, also when others changed last")
            let names = try await site.log(after: cursor, for: Site.bob).names
            try requireEqual(Set(names), ["1", "2", "third/bob"], "what bob reads")
            let asked = try await site.log(
                after: cursor, topics: [.channel(Site.second), .account(Site.bob), .channel(Site.channel("third"))])
            try requireEqual(asked.names, [], "what ada may not read")
        },
        Rule("a reader of some topics reads these and its own") { factory in
            let site = try await eventSite(factory)
            let cursor = try await site.end()
            try await site.apply([
                .send(1, by: site.ada), .send(2, by: site.bob, in: Site.second),
                .member(Site.bob, in: Site.channel("third"), version: 1),
            ])
            let page = try await site.log(after: cursor, for: Site.bob, topics: [.channel(Site.second)])
            try requireEqual(Set(page.names), ["2", "third/bob"], "the topics")
            try requireEqual(page.cursor, try await site.end(), "the end")
        },
        Rule("a removed member reads that it was removed, and nothing more of the channel") { factory in
            let site = try await eventSite(factory)
            let cursor = try await site.end()
            try await site.apply([.send(1, by: site.ada)])
            try await site.apply([.member(Site.bob, version: 2, isMember: false)])
            try await site.apply([.send(2, by: site.ada)])
            for topics in [nil, [LogTopic.channel(Site.general)]] {
                let page = try await site.log(after: cursor, for: Site.bob, topics: topics)
                try requireEqual(page.names, ["-general/bob"], "the log")
                try requireEqual(page.entries.map(\.change.topic), [.account(Site.bob)], "its topic")
            }
            try await site.apply([.member(Site.bob, version: 3)])
            let names = try await site.log(after: cursor, for: Site.bob).names
            try requireEqual(Set(names), ["1", "2", "general/bob"], "after it was added again")
        },
    ]

    static let eventCursorRules: [Rule] = [
        Rule("the changed topics are known, those that changed first before the others") { factory in
            let site = try await eventSite(factory)
            let position = try await site.end().position
            try await site.apply([.send(1, by: site.ada)])
            try await site.apply([.send(2, by: site.ada, in: Site.second)])
            try await site.apply([.send(3, by: site.ada)])
            let last = try await site.end().position
            let topics: [LogTopic: Int64] = [.channel(Site.general): last, .channel(Site.second): last - 1]
            func changed(after position: Int64, limit: Int) async throws -> [LogTopic: Int64] {
                try await site.storage.changedTopics(after: position, limit: limit)
            }
            try requireEqual(try await changed(after: position, limit: 2), topics, "all")
            try requireEqual(
                try await changed(after: position, limit: 1), [.channel(Site.second): last - 1], "the first one")
            try requireEqual(
                try await changed(after: last - 1, limit: 2), [.channel(Site.general): last], "the last one")
            try await site.storage.trimLog(LogRetention(entriesMax: 0, ageSecondsMax: 1000), at: Site.time(3))
            try requireEqual(try await changed(after: position, limit: 3), topics, "without entries")
        },
        Rule("the log begins empty, needs an opening, and survives a restart") { factory in
            let storage = try await factory.make()
            try await requireError("the end", \.isRecovering) { _ = try await storage.logEnd() }
            try requireEqual(try await Site(factory).end().position, 0, "the first position")
            var site = try await eventSite(factory)
            let cursor = try await site.end()
            try await site.apply([.send(1, by: site.ada)])
            let last = try await site.end()
            let reopened = try await factory.reopen(site.storage)
            try await reopened.beginOpening(Site.bytes(2))
            site = try await Site(reopened)
            try requireEqual(try await site.end().position, last.position, "the end")
            try await site.apply([.send(2, by: site.ada)])
            try requireEqual(try await site.log(after: cursor).names, ["1", "2"], "from the first opening")
            try requireEqual(try await site.log(after: last).names, ["2"], "from its end")
        },
        Rule("a cursor of another history, another opening or a later position is reset") { factory in
            var site = try await eventSite(factory)
            let cursor = try await site.end()
            try await site.apply([.send(1, by: site.ada)])
            let reopened = try await factory.reopen(site.storage)
            try await reopened.beginOpening(Site.bytes(2))
            site = try await Site(reopened)
            try await site.apply([.send(2, by: site.ada)])
            let end = try await site.end()
            let invalid = [
                LogCursor(history: Site.bytes(99), opening: end.opening, position: end.position),
                LogCursor(history: end.history, opening: Site.bytes(99), position: cursor.position),
                LogCursor(history: end.history, opening: end.opening, position: end.position + 1),
                // The first opening ended before this position.
                LogCursor(history: end.history, opening: cursor.opening, position: end.position),
            ]
            for other in invalid {
                try requireEqual(try await site.read(after: other), .reset(end), "the reading from \(other)")
            }
            guard let present = site.storage.opening?.history else { return try require(false, "no opening") }
            _ = try await site.storage.beginHistory(Site.bytes(8), above: 0, after: present, at: Site.time(1))
            let next = try await site.end()
            try requireEqual(next.history, Site.bytes(8), "the history of the end")
            for former in [cursor, end] {
                try requireEqual(try await site.read(after: former), .reset(next), "a cursor of the former history")
            }
            try await site.apply([.send(3, by: site.ada)])
            try requireEqual(try await site.log(after: next).names, ["3"], "the log of the new history")
        },
        Rule("the retention keeps a number of entries, and drops cursors before them") { factory in
            let site = try await eventSite(factory)
            let start = try await site.end()
            var cursors: [LogCursor] = []
            for number in 1...6 {
                try await site.apply([.send(number, by: site.ada), .send(number + 10, by: site.ada, in: Site.second)])
                cursors.append(try await site.end())
            }
            let retention = LogRetention(entriesMax: 8, ageSecondsMax: 1000)
            try await site.storage.trimLog(retention, at: Site.time(1))
            for _ in 0..<2 {
                try requireEqual(try await site.log(after: cursors[1]).names, ["3", "4", "5", "6"], "what is kept")
                for dropped in [start, cursors[0]] {
                    try requireEqual(try await site.read(after: dropped), .reset(cursors[5]), "a dropped cursor")
                }
                // Less is never kept again.
                try await site.storage.trimLog(
                    LogRetention(entriesMax: 100, ageSecondsMax: 1000), at: Site.time(2))
            }
            try await site.storage.trimLog(LogRetention(entriesMax: 0, ageSecondsMax: 1000), at: Site.time(3))
            try requireEqual(try await site.end().position, cursors[5].position, "the end without entries")
            try requireEqual(try await site.log(after: cursors[5]).names, [], "the empty log")
            try await site.apply([.send(7, by: site.ada)])
            try requireEqual(try await site.log(after: cursors[5]).names, ["7"], "the next entry")
        },
        Rule("the retention keeps what is not certainly too old") { factory in
            let site = try await eventSite(factory)
            let retention = LogRetention(entriesMax: 1000, ageSecondsMax: 5000)
            func trim(_ seconds: Int64) async throws {
                try await site.storage.trimLog(retention, at: Site.time(seconds * 1000))
            }
            let first = try await site.end()
            try await site.apply([.send(1, by: site.ada)])
            let second = try await site.end()
            try await trim(10_000)
            try await site.apply([.send(2, by: site.ada)])
            try await trim(12_000)
            try await site.apply([.send(3, by: site.ada)])
            try await trim(14_999)
            try requireEqual(try await site.log(after: first).names, ["1", "2", "3"], "entries that may be young")
            try await trim(15_000)
            try requireEqual(try await site.read(after: first), .reset(try await site.end()), "an old cursor")
            try requireEqual(try await site.log(after: second).names, ["2", "3"], "younger entries")
        },
        Rule("more entries than one transaction removes are dropped") { factory in
            let site = try await eventSite(factory)
            let count = HubStorageLimits.logTrimmedMax * 2 + 10
            try await site.apply((1...count).map { .send($0, by: site.ada) })
            let end = try await site.end()
            try await site.storage.trimLog(LogRetention(entriesMax: 5, ageSecondsMax: 1000), at: Site.time(1))
            let cursor = LogCursor(history: end.history, opening: end.opening, position: end.position - 5)
            try requireEqual(try await site.log(after: cursor).entries.count, 5, "what is kept")
        },
    ]
}
