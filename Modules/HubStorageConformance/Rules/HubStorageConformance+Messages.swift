import CausewayHubStorage
import CausewayModels

extension HubStorageConformance {
    static let messageRules: [Rule] = [
        Rule("a message is unknown, found or deleted") { factory in
            let site = try await Site(factory)
            try await site.apply([
                .send(1, by: site.ada), .send(2, by: site.bob, content: Site.content("é\u{1F30A}"), parent: 1),
            ])
            let expected = StoredMessage(
                id: Site.id(2), channel: Site.general, sender: Site.bob, position: 2, createdAt: Site.time(2),
                acceptedAt: Site.time(2), parent: Site.id(1), editedAt: nil, changedAt: nil,
                content: Site.content("é\u{1F30A}"), reactions: [])
            try requireEqual(try await site.storage.message(Site.id(2), for: site.ada), .found(expected), "a message")
            try requireEqual(try await site.storage.message(Site.id(3), for: site.ada), .unknown, "an unknown one")
            try await site.apply([.delete(2)])
            try requireEqual(
                try await site.storage.message(Site.id(2), for: site.ada), .deleted(in: Site.general), "a deleted one")
        },
        Rule("pages go both ways from a position, by a limit, without deleted messages") { factory in
            let site = try await Site(factory)
            try await site.apply((1...9).map { .send($0, by: site.ada) } + [.send(10, by: site.ada, in: Site.second)])
            try await site.apply([.delete(4), .delete(9)])
            let rows: [(MessageRange, Int, [Int], Bool)] = [
                (.newest, 100, [8, 7, 6, 5, 3, 2, 1], false), (.newest, 3, [8, 7, 6], true),
                (.newest, 7, [8, 7, 6, 5, 3, 2, 1], false), (.before(6), 2, [5, 3], true),
                (.before(3), 2, [2, 1], false),
                (.before(1), 2, [], false), (.after(0), 2, [1, 2], true), (.after(3), 2, [5, 6], true),
                (.after(6), 2, [7, 8], false), (.after(9), 2, [], false), (.before(.max), 1, [8], true),
                (.after(.max), 1, [], false),
            ]
            for (range, limit, numbers, hasMore) in rows {
                let page = try await site.page(range, limit: limit)
                try requireEqual(page.ids, numbers.map(Site.id), "\(range), at most \(limit)")
                try requireEqual(page.hasMore, hasMore, "more of \(range), at most \(limit)")
                try requireEqual(page.lastPosition, 9, "the last position")
            }
            let none = try await site.storage.page(
                of: Site.channel("third"), .newest, limit: PageLimit(count: 1, contentBytes: 1), for: site.ada)
            try requireEqual(none.messages, [], "a channel without messages")
            try require(none.lastPosition == 0 && !none.hasMore, "the end of a channel without messages")
        },
        Rule("pages of the messages that satisfy a filter lead through the channel in bounded steps") { factory in
            let site = try await Site(factory)
            let count = HubStorageLimits.messagesExaminedMax + 40
            // 1 and 2 begin threads; a few messages at both ends are images or replies, those in the middle texts.
            let isImage: (Int) -> Bool = { [3, 5, 6, count - 2, count].contains($0) }
            let parent: (Int) -> Int? = { [4: 1, 5: 1, 6: 2, count - 1: 1, count: 2][$0] }
            try await site.apply(
                (1...count).map { number in
                    let content = isImage(number) ? #"{"v":1,"type":"image"}"# : Site.content("text")
                    return .send(number, by: site.ada, content: content, parent: parent(number))
                })
            try await site.apply([.delete(6)])
            let shown = (1...count).filter { $0 != 6 }
            let rows: [(MessageFilter, [Int])] = [
                (MessageFilter(type: .image), shown.filter(isImage)),
                (MessageFilter(type: .text), shown.filter { !isImage($0) }), (MessageFilter(type: .video), []),
                (MessageFilter(parent: .noParent), shown.filter { parent($0) == nil }),
                (MessageFilter(parent: .parent(Site.id(1))), [4, 5, count - 1]),
                (MessageFilter(parent: .parent(Site.id(3))), []),
                (MessageFilter(type: .image, parent: .parent(Site.id(1))), [5]),
                (MessageFilter(type: .image, parent: .noParent), [3, count - 2]),
                (MessageFilter(type: .text, parent: .parent(Site.id(1))), [4, count - 1]),
            ]
            for (filter, numbers) in rows {
                for isDescending in [true, false] {
                    let found = try await site.search(filter, isDescending: isDescending, limit: 1_000)
                    let expected = isDescending ? numbers.reversed() : numbers
                    try requireEqual(found, expected.map(Site.id), "\(filter), descending: \(isDescending)")
                }
                let first = try await site.page(.newest, matching: filter, limit: 2)
                let newest = numbers.suffix(first.ids.count).reversed().map(Site.id)
                try requireEqual(first.ids, newest, "the newest of \(filter)")
                try require(first.ids.count <= 2, "more than two of \(filter)")
            }
        },
        Rule("tags stay with a message, choose the messages of pages, and end with it") { factory in
            let site = try await Site(factory)
            let count = HubStorageLimits.messagesExaminedMax + 40
            // The last tag has two forms that are the same text, but not the same bytes.
            let tags: (Int) -> [String] = {
                [
                    2: ["a"], 3: ["b", "a"], 4: ["e\u{301}"], 5: ["b"], 6: ["a"], count - 1: ["\u{E9}", "a b"],
                    count: ["a"],
                ][$0]
                    ?? []
            }
            try await site.apply(
                (1...count).map { .send($0, by: site.ada, parent: $0 == 3 ? 1 : nil, tags: tags($0)) })
            try await site.apply([.delete(6), .edit(2, content: Site.content("new")), .react(5, "wave", by: site.bob)])
            let shown = (1...count).filter { $0 != 6 }
            for (number, expected) in [(1, []), (2, ["a"]), (3, ["b", "a"]), (5, ["b"])] as [(Int, [String])] {
                guard case .found(let message) = try await site.storage.message(Site.id(number), for: site.ada) else {
                    throw ConformanceFailure(detail: "message \(number) is missing", file: #fileID, line: #line)
                }
                try requireEqual(message.tags, expected, "the tags of \(number)")
            }
            let filters: [MessageFilter] = [
                MessageFilter(includingTags: ["a"]), MessageFilter(includingTags: ["a", "b"]),
                MessageFilter(excludingTags: ["a"]), MessageFilter(includingTags: ["b"], excludingTags: ["a"]),
                MessageFilter(includingTags: ["\u{E9}"]), MessageFilter(excludingTags: ["e\u{301}"]),
                MessageFilter(includingTags: ["a b"]), MessageFilter(includingTags: ["A"]),
                MessageFilter(parent: .parent(Site.id(1)), includingTags: ["a"]),
                MessageFilter(type: .text, parent: .noParent, includingTags: ["a"]),
                MessageFilter(type: .image, includingTags: ["a"]),
            ]
            for filter in filters {
                let numbers = shown.filter {
                    filter.admits(type: .text, parent: $0 == 3 ? Site.id(1) : nil, tags: tags($0))
                }
                for isDescending in [true, false] {
                    let found = try await site.search(filter, isDescending: isDescending, limit: 1_000)
                    let expected = isDescending ? numbers.reversed() : numbers
                    try requireEqual(found, expected.map(Site.id), "\(filter), descending: \(isDescending)")
                }
            }
        },
        Rule("pages that include deleted messages list them in their places, without their contents") { factory in
            let site = try await Site(factory)
            let image = #"{"v":1,"type":"image"}"#
            try await site.apply(
                (1...9).map { number in
                    .send(
                        number, by: number == 4 ? site.bob : site.ada,
                        content: [4, 5].contains(number) ? image : Site.content("text"),
                        parent: [4, 6].contains(number) ? 1 : nil, tags: ["a"])
                } + [.send(10, by: site.ada, in: Site.second)])
            try await site.apply([.react(4, "wave", by: site.ada), .edit(6, content: Site.content("new"))])
            try await site.apply([.delete(4), .delete(6), .delete(9), .delete(10)])
            let rows: [(MessageRange, Int, [Int], Bool)] = [
                (.newest, 100, [9, 8, 7, 6, 5, 4, 3, 2, 1], false), (.newest, 3, [9, 8, 7], true),
                (.before(6), 2, [5, 4], true), (.before(5), 4, [4, 3, 2, 1], false),
                (.after(0), 5, [1, 2, 3, 4, 5], true),
                (.after(5), 2, [6, 7], true), (.after(7), 2, [8, 9], false), (.after(9), 2, [], false),
            ]
            for (range, limit, numbers, hasMore) in rows {
                let page = try await site.page(range, includesDeleted: true, limit: limit)
                try requireEqual(page.ids, numbers.map(Site.id), "\(range), at most \(limit)")
                try requireEqual(page.hasMore, hasMore, "more of \(range), at most \(limit)")
                let deleted = page.messages.filter { $0.deletion != nil }.map(\.id)
                try requireEqual(deleted, numbers.filter([4, 6, 9].contains).map(Site.id), "the deleted ones")
            }
            let expected = StoredMessage(
                id: Site.id(4), channel: Site.general, sender: Site.bob, position: 4, createdAt: Site.time(4),
                acceptedAt: Site.time(4), parent: Site.id(1), editedAt: nil, changedAt: nil, content: "",
                reactions: [], deletion: .init(at: Site.time(70), type: "image"))
            let one = try await site.page(.after(3), includesDeleted: true, limit: 1)
            try requireEqual(one.messages, [expected], "a deleted message")
            let second = try await site.page(.newest, includesDeleted: true, in: Site.second)
            try requireEqual(second.ids, [Site.id(10)], "a channel without other messages")
            try requireEqual(try await site.page(.newest).ids, [8, 7, 5, 3, 2, 1].map(Site.id), "a page without them")
        },
        Rule("a filter chooses deleted messages by type and parent; they have no tags") { factory in
            let site = try await Site(factory)
            let count = HubStorageLimits.messagesExaminedMax + 40
            // A few at both ends, and all between 20 and the last ten are deleted.
            let isImage: (Int) -> Bool = { [3, 5, 6, count - 2, count].contains($0) }
            let parent: (Int) -> Int? = { [4: 1, 5: 1, 6: 2, count - 1: 1, count: 2][$0] }
            let isDeleted: (Int) -> Bool = { [4, 5, 6, count].contains($0) || (20...count - 10).contains($0) }
            try await site.apply(
                (1...count).map { number in
                    let content = isImage(number) ? #"{"v":1,"type":"image"}"# : Site.content("text")
                    return .send(number, by: site.ada, content: content, parent: parent(number), tags: ["a"])
                })
            try await site.apply((1...count).filter(isDeleted).map { .delete($0) })
            let filters: [MessageFilter] = [
                MessageFilter(), MessageFilter(type: .image), MessageFilter(type: .text), MessageFilter(type: .video),
                MessageFilter(parent: .noParent), MessageFilter(parent: .parent(Site.id(1))),
                MessageFilter(type: .image, parent: .parent(Site.id(2))), MessageFilter(includingTags: ["a"]),
                MessageFilter(excludingTags: ["a"]), MessageFilter(type: .image, parent: .noParent),
            ]
            for filter in filters {
                let numbers = (1...count).filter {
                    filter.admits(
                        type: isImage($0) ? .image : .text, parent: parent($0).map(Site.id),
                        tags: isDeleted($0) ? [] : ["a"])
                }
                for isDescending in [true, false] {
                    let expected = isDescending ? numbers.reversed() : numbers
                    for limit in [7, 1_000] where limit > 7 || numbers.count < 100 {
                        let found = try await site.search(
                            filter, includesDeleted: true, isDescending: isDescending, limit: limit)
                        try requireEqual(
                            found, expected.map(Site.id), "\(filter), descending: \(isDescending), by \(limit)")
                    }
                }
            }
        },
        Rule("a page ends with the message that exceeds its bytes") { factory in
            let site = try await Site(factory)
            try await site.apply((1...4).map { .send($0, by: site.ada, content: Site.content("12345")) })
            let bytes = Site.content("12345").utf8.count
            for (most, count) in [(0, 1), (bytes - 1, 1), (bytes, 2), (2 * bytes, 3), (4 * bytes, 4)] {
                let page = try await site.page(.after(0), bytes: most)
                try requireEqual(page.messages.count, count, "the messages within \(most) bytes")
                try requireEqual(page.hasMore, count < 4, "more than \(most) bytes")
            }
        },
    ]

    static let changesRules: [Rule] = [
        Rule("changes lead from a page to the present") { factory in
            let site = try await Site(factory)
            try await site.apply((1...6).map { .send($0, by: site.ada) })
            let cursor = try await site.page(.newest).cursor
            try requireEqual(cursor.commit, site.storage.opening?.lastCommit, "the cursor's commit")
            let nothing = try await site.changes(since: cursor, through: 6)
            try requireEqual(
                nothing, .init(changed: .init(messages: [], gone: []), lastPosition: 6, cursor: cursor), "none")
            try await site.apply([.edit(2, content: Site.content("new")), .delete(3)])
            try await site.apply([.react(5, "wave", by: site.bob), .send(7, by: site.ada), .send(8, by: site.ada)])
            try await site.apply([.delete(8)])
            let all = try await site.changes(since: cursor, through: 6)
            try requireEqual(all.changed?.messages.map(\.id), [2, 5, 7].map(Site.id), "the changed messages")
            try requireEqual(all.changed.map { Set($0.gone) }, Set([3, 8].map(Site.id)), "the deleted ones")
            try requireEqual(all.cursor, try await site.page(.newest).cursor, "the next cursor")
            let later = try await site.changes(since: all.cursor, through: 8)
            try requireEqual(later.changed, .init(messages: [], gone: []), "the changes after that")
            let part = try await site.changes(since: cursor, from: 3, through: 4, isOpen: false)
            try requireEqual(part.changed, .init(messages: [], gone: [Site.id(3)]), "a part")
        },
        Rule("too many changes, or those of another history, are none at all") { factory in
            var site = try await Site(factory)
            try await site.apply((1...6).map { .send($0, by: site.ada) })
            let cursor = try await site.page(.newest).cursor
            try await site.apply([.edit(1, content: Site.content("new")), .delete(2), .send(7, by: site.ada)])
            try require(try await site.changes(since: cursor, through: 6, limit: 3).changed != nil, "three changes")
            try requireEqual(try await site.changes(since: cursor, through: 6, limit: 2).changed, nil, "one too many")
            let last = try await site.changes(since: cursor, through: 6).cursor
            for unknown in [
                ChangesCursor(opening: Site.bytes(9), commit: 1),
                ChangesCursor(opening: last.opening, commit: last.commit + 1),
            ] {
                try requireEqual(try await site.changes(since: unknown, through: 6).changed, nil, "\(unknown)")
            }
            try requireEqual(try await site.changes(since: cursor, through: 8).changed, nil, "a later position")
            site = try await Site(factory.reopen(site.storage))
            try await site.storage.beginOpening(Site.bytes(2))
            try requireEqual(
                try await site.changes(since: cursor, through: 6).changed?.gone, [Site.id(2)], "an earlier opening")
            let beyond = ChangesCursor(opening: last.opening, commit: last.commit + 1)
            try await site.apply([.edit(1, content: Site.content("newer"))])
            try requireEqual(try await site.changes(since: beyond, through: 6).changed, nil, "beyond its end")
        },
    ]
}
