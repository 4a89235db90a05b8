import CausewayHubRules
import CausewayHubStorage
import CausewayModels

extension HubStorageConformance {
    static let deliveryRules: [Rule] = [
        Rule("every kind of record is loaded as it was stored, also in the next run") { factory in
            var site = try await Site(factory)
            try await site.apply([
                .send(1, by: site.ada), .send(2, by: site.bob, in: Site.second, parent: 1),
                .react(1, "wave", by: site.bob), .operation(10, on: 2, by: site.bob), .note(20, by: site.ada),
                .lane("text", mark: 3, mover: 7, by: site.ada), .bar(9, by: site.ada),
                .write(11, version: 4, by: site.bob),
                .record("a", version: 4, value: "{}", lists: ["all"]),
            ])
            site = try await Site(factory.reopen(site.storage))
            try await site.storage.beginOpening(Site.bytes(2))
            var keys = Site.keys(of: [
                .send(1, by: site.ada), .send(2, by: site.bob, in: Site.second), .react(1, "wave", by: site.bob),
                .operation(10, on: 2, by: site.bob), .note(20, by: site.ada), .bar(9, by: site.ada),
                .write(11, version: 0, by: site.bob), .record("a", version: 0, value: ""),
            ])
            keys.typed = [Site.id(1)]
            let state = try await site.load(keys)
            let lane = Site.lane("text", 1, site.ada)
            try requireEqual(state.outboxes, [lane.outbox: .init(epoch: 3, opening: Site.opening(7))], "the outbox")
            let end = DeliveryState.Lane(mark: 3, mover: Site.opening(7), operation: Site.id(3), commit: 1)
            try requireEqual(state.lanes, [lane: end], "the lane")
            try requireEqual(state.barred, [Site.opening(9, 1, site.ada)], "the barred opening")
            try requireEqual(state.channels, [Site.general: 1, Site.second: 1], "the channels")
            let first = DeliveryState.Message(
                channel: Site.general, sender: site.ada, position: 1, acceptedAt: Site.time(1), changedAt: nil,
                type: "text")
            let reply = DeliveryState.Message(
                channel: Site.second, sender: site.bob, position: 1, acceptedAt: Site.time(1))
            try requireEqual(state.messages[Site.id(1)]?.type, first.type, "the type")
            try requireEqual(state.messages[Site.id(1)]?.sender, first.sender, "the sender")
            try requireEqual(state.messages[Site.id(2)], reply, "the reply")
            try requireEqual(
                state.operations,
                [Site.id(10): .init(sender: site.bob, position: 1, acceptedAt: Site.time(80))], "the operation")
            try requireEqual(
                state.writes, [Site.id(11): .init(sender: site.bob, position: 4, acceptedAt: Site.time(90))],
                "the write")
            try requireEqual(
                state.records.rows,
                [Site.record("a"): RecordRow(key: Site.record("a"), version: 4, value: "{}")], "the record")
            let wave = Reaction(name: "wave", account: site.bob)
            try requireEqual(state.reactions, [Site.id(1): .init(counts: ["wave": 1], own: [wave])], "the reactions")
            try requireEqual(
                state.earlyDeletions, [AccountMessage(account: site.ada, message: Site.id(20))], "early deletions")
        },
        Rule("only what the keys name is loaded") { factory in
            let site = try await Site(factory)
            try await site.apply([
                .send(1, by: site.ada), .react(1, "wave", by: site.bob), .operation(10, on: 1, by: site.bob),
                .note(20, by: site.ada), .lane("text", mark: 3, by: site.ada), .bar(9, by: site.ada),
            ])
            let nothing = try await site.load(DeliveryKeys())
            let opening = site.storage.opening
            try requireEqual(
                nothing,
                DeliveryState(
                    history: opening?.history ?? [], opening: opening?.id ?? [], floor: opening?.floor ?? 0,
                    lastCommit: opening?.lastCommit ?? 0),
                "no keys")
            // Names of others.
            let state = try await site.load(
                Site.keys(of: [
                    .send(2, by: site.bob, in: Site.channel("third")), .react(1, "wave", by: site.ada),
                    .operation(1, on: 10, by: site.ada), .note(20, by: site.bob),
                    .lane("media", mark: 0, by: site.ada), .lane("text", mark: 0, outbox: 2, by: site.ada),
                    .bar(8, by: site.bob),
                ]))
            try requireEqual(Set(state.messages.keys), [Site.id(1)], "messages")
            try require(state.operations.isEmpty, "a message is no operation")
            try require(state.lanes.isEmpty && state.barred.isEmpty, "lanes and openings of others")
            try requireEqual(Set(state.outboxes.keys), [Site.outbox(1, site.ada)], "outboxes")
            try require(state.earlyDeletions.isEmpty && state.channels.isEmpty, "early deletions of others")
            try requireEqual(state.reactions, [Site.id(1): .init(counts: ["wave": 1])], "no own reaction")
        },
        Rule("changes of messages and of their reactions") { factory in
            let site = try await Site(factory)
            try await site.apply((1...4).map { .send($0, by: site.ada) })
            try await site.apply([
                .edit(1, content: Site.content("edited"), at: 51), .react(2, "wave", by: site.ada, at: 61),
                .react(2, "wave", by: site.bob, at: 62), .react(3, "wave", by: site.bob),
            ])
            // Added again, and removed without having been there.
            try await site.apply([
                .react(2, "wave", by: site.ada, at: 63), .react(2, "+1", by: site.ada, isAdded: false, at: 64),
                .react(2, "+1", by: site.bob, at: 65), .delete(3),
            ])
            try await site.apply([.react(2, "wave", by: site.bob, isAdded: false, at: 66)])
            let page = try await site.page(.after(0))
            try requireEqual(page.ids, [1, 2, 4].map(Site.id), "the messages that are left")
            try requireEqual(page.messages[0].content, Site.content("edited"), "the content")
            try requireEqual(page.messages[0].editedAt, Site.time(51), "the time of the edit")
            try requireEqual(page.messages.map(\.changedAt), [Site.time(51), Site.time(66), nil], "times of changes")
            try requireEqual(
                page.messages[1].reactions,
                [.init(name: "+1", count: 1, isOwn: false), .init(name: "wave", count: 1, isOwn: true)], "reactions")
            var keys = DeliveryKeys()
            keys.messages = [Site.id(3)]
            keys.reactions = [AccountMessage(account: site.bob, message: Site.id(3))]
            let state = try await site.load(keys)
            try requireEqual(state.messages[Site.id(3)]?.isDeleted, true, "the deleted message")
            try require(state.reactions.isEmpty, "reactions to a deleted message")
        },
        Rule("a new message may be changed in its own group") { factory in
            let site = try await Site(factory)
            try await site.storage.transact(
                loading: Site.keys(of: [.send(1, by: site.ada), .send(2, by: site.ada)])
            ) { state in
                var changes = DeliveryChanges(lastCommit: state.lastCommit + 1)
                for number in 1...2 {
                    var message = DeliveryChanges.AcceptedMessage(
                        id: Site.id(number), channel: Site.general, position: Int64(number), sender: site.ada,
                        content: number == 1 ? Site.content("text") : nil, createdAt: Site.time(1),
                        acceptedAt: Site.time(2), parent: nil)
                    if number == 2 { message.deletedAt = Site.time(3) }
                    message.editedAt = Site.time(4)
                    message.changedAt = Site.time(5)
                    message.changeCommit = changes.lastCommit
                    changes.newMessages.append(message)
                }
                changes.channels[Site.general] = 2
                changes.reactions[Site.id(1)] = [Reaction(name: "wave", account: site.bob): true]
                changes.newOperations = [
                    .init(id: Site.id(3), sender: site.bob, message: Site.id(1), acceptedAt: Site.time(5))
                ]
                return DeliveryDecision(changes: changes, value: ())
            }
            let page = try await site.page(.newest)
            try requireEqual(page.ids, [Site.id(1)], "the shown message")
            try requireEqual(page.messages.first?.editedAt, Site.time(4), "its edit")
            try requireEqual(page.messages.first?.reactions.map(\.count), [1], "its reaction")
            try requireEqual(page.lastPosition, 2, "the position of the deleted one")
            try requireEqual(
                try await site.storage.message(Site.id(2), for: site.ada), .deleted(in: Site.general), "the deleted one"
            )
        },
        Rule("early deletions are taken once, and the oldest are dropped") { factory in
            let site = try await Site(factory)
            let most = HubStorageLimits.earlyDeletionsPerAccountMax
            let noted = { (numbers: Range<Int>, account: Int64) async throws -> Int in
                try await site.load(Site.keys(of: numbers.map { .note($0, by: account) })).earlyDeletions.count
            }
            try await site.apply([.note(1, by: site.ada), .note(2, by: site.ada), .note(1, by: site.bob)])
            try await site.apply([.take(1, by: site.ada), .note(2, by: site.ada)])
            try requireEqual(try await noted(1..<3, site.ada), 1, "deletions of one account")
            try requireEqual(try await noted(1..<3, site.bob), 1, "deletions of another one")
            // Noted and taken in one group.
            try await site.apply([.note(3, by: site.ada), .take(3, by: site.ada)])
            try requireEqual(try await noted(3..<4, site.ada), 0, "a deletion of the same group")
            try await site.apply((10..<(10 + most + 5)).map { .note($0, by: site.ada) })
            try requireEqual(try await noted(10..<15, site.ada), 0, "the oldest")
            try requireEqual(try await noted(2..<3, site.ada), 0, "the very oldest")
            try requireEqual(try await noted(15..<(15 + most), site.ada), most, "the newest")
            try requireEqual(try await noted(1..<3, site.bob), 1, "those of another account")
        },
        Rule("early deletions that were taken drop no others") { factory in
            let site = try await Site(factory)
            let most = HubStorageLimits.earlyDeletionsPerAccountMax
            try await site.apply((1...most).map { .note($0, by: site.ada) })
            try await site.apply((2..<most).map { .take($0, by: site.ada) })
            try await site.apply([.note(most + 1, by: site.ada)])
            let keys = Site.keys(of: [1, most, most + 1].map { .note($0, by: site.ada) })
            try requireEqual(try await site.load(keys).earlyDeletions.count, 3, "the deletions that are left")
        },
        Rule("as many keys as a group can have are loaded together") { factory in
            let site = try await Site(factory)
            let numbers = Array(1...1500)
            try await site.apply(numbers.map { .send($0, by: site.ada) })
            let state = try await site.load(Site.keys(of: numbers.map { .send($0, by: site.ada) }))
            try requireEqual(state.messages.count, numbers.count, "the loaded messages")
            try requireEqual(Set(state.messages.values.map(\.position)).count, numbers.count, "their positions")
            for count in [1, 2, 4, 5, 16, 17, 64, 65, 256, 257, 300] {
                let some = try await site.load(Site.keys(of: numbers.prefix(count).map { .delete($0) }))
                try requireEqual(some.messages.count, count, "the messages of \(count) keys")
            }
        },
        Rule("each decision sees everything that was stored before") { factory in
            let site = try await Site(factory)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...60 {
                    group.addTask {
                        try await site.apply([
                            .send(number, by: site.ada), .lane("text", mark: Int64(number), by: site.ada),
                        ])
                    }
                }
                try await group.waitForAll()
            }
            let page = try await site.page(.after(0))
            try requireEqual(page.messages.map(\.position), Array(1...60), "the positions")
            try requireEqual(site.storage.opening?.lastCommit, 60, "the commits")
        },
        Rule("a group is stored as a whole: no read sees a part of it") { factory in
            let site = try await Site(factory)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<40 {
                        try await site.apply((1...5).map { .send(number * 5 + $0, by: site.ada) })
                    }
                }
                group.addTask {
                    for _ in 0..<40 {
                        let page = try await site.page(.newest, limit: 1)
                        let top = page.messages.first?.position ?? 0
                        try require(top == page.lastPosition && top.isMultiple(of: 5), "a part of a group: \(top)")
                    }
                }
                try await group.waitForAll()
            }
        },
    ]
}
