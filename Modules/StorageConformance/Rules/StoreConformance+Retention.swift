import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let retentionRules: [Rule] = [
        Rule("pruning drops delivered messages, and nothing that the outbox needs") { factory in
            var store = try await prepared(factory)
            try await store.commit([.prune((0..<30).map(Sample.id), of: Sample.account)])
            try await requireRemains(store)
            // The outbox of an earlier run refers to messages as well.
            store = try await factory.restarted(store)
            try await store.commit([.prune((0..<30).map(Sample.id), of: Sample.account)], durability: .normal)
            try await requireRemains(store)
            // Without its reply, its edit or its parked reply a message need not be kept.
            try await store.commit([
                .delete(Sample.id(20)), .delete(Sample.id(23)), .delete(Sample.id(24)),
                .prune((0..<30).map(Sample.id), of: Sample.account),
            ])
            let left = try await store.allPages(MessageQuery(scope: .channel(Sample.general)))
            try requireEqual(left.map(\.id), [3, 21, 22].map(Sample.id), "without the references")
            try requireEqual(try await store.counts().undelivered, 2, "undelivered")
        },
        Rule("a pruned message was not deleted: the next page brings it again") { factory in
            let store = try await prepared(factory)
            try await store.commit([.prune([Sample.id(5)], of: Sample.account)])
            try requireEqual(try await store.message(Sample.id(5)), nil, "the pruned message")
            try requireEqual(try await store.deleteActions(before: nil, limit: 9), [], "past deletions")
            try await store.commit([.merge(Sample.placed(5, at: 5), at: Sample.time(9))])
            try requireEqual(try await store.message(Sample.id(5))?.serverPosition?.position, 5, "its position")
        },
        Rule("the feed reports pruned messages as removals, and the extent of what is gone") { factory in
            let store = try await prepared(factory)
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            try await store.commit([.prune([4, 9, 6, 0, 21, 11].map(Sample.id), of: Sample.account)])
            let commit = fold.commits.last
            let removed = commit?.changes.map { change in
                if case .message(let before?, nil, _) = change { before.id } else { MessageID?.none }
            }
            try requireEqual(removed, [4, 9, 6, 0, 11].map(Sample.id), "removals")
            try requireEqual(commit?.pruned, [Sample.general: 9, Sample.random: 11], "the extent")
            try requireEqual(commit?.appended, [], "links")
            try await store.commit([.prune([4, 0, 21].map(Sample.id), of: Sample.account), .delete(Sample.id(7))])
            try requireEqual(fold.commits.last?.pruned, [:], "the extent of nothing")
            subscription.cancel()
        },
        Rule("pruning for another account does nothing") { factory in
            let store = try await prepared(factory)
            let other = Sample.session(2, of: Sample.other).account
            try await store.commit([.prune((0..<30).map(Sample.id), of: other)])
            try requireEqual(try await store.messages((4..<10).map(Sample.id)).count, 6, "the messages")
        },
        Rule("the channels are listed once each, with the part that a number of messages keeps") { factory in
            let store = try await prepared(factory)
            for (count, general, random) in [(1, 9, 13), (2, 8, 12), (4, 6, 10), (5, 5, nil), (10, 0, nil)] {
                let expected: [ChannelID: Int64?] = [
                    Sample.general: Int64(general), Sample.random: random.map { Int64($0) },
                ]
                try requireEqual(try await parts(store, keeping: count), expected, "keeping \(count)")
            }
            try requireEqual(
                try await parts(store, keeping: 11), [Sample.general: nil, Sample.random: nil], "keeping 11")
            try await store.commit([.prune((10..<14).map(Sample.id), of: Sample.account)])
            try requireEqual(try await parts(store, keeping: 9), [Sample.general: 1], "without the pruned ones")
        },
    ]

    /// A store with ten messages of others in one channel, at their numbers as positions, and four in another one; and
    /// with an outbox that refers to some of them.
    private static func prepared(_ factory: StoreFactory) async throws -> any Store {
        let store = try await factory.started()
        try await store.commit([.saveSession(Sample.session(1))])
        for number in 0..<14 {
            let channel = number < 10 ? Sample.general : Sample.random
            try await store.commit([.merge(Sample.placed(number, at: Int64(number), in: channel), at: Sample.time(9))])
        }
        // A reply that is queued, one that failed, and one that waits for a message which is not sent yet.
        _ = try await store.enqueue(Sample.draft(20, parent: Sample.id(2)))
        _ = try await store.enqueue(Sample.draft(21, parent: Sample.id(3)))
        _ = try await store.enqueue(Sample.draft(22))
        try await store.commit([.fail(Sample.id(21), Sample.failure(), inDoubt: false)])
        try await store.enqueue(Sample.operation(23, .edit(Sample.id(1), .text("new"))))
        _ = try await store.enqueue(Sample.draft(24, lane: .media, parent: Sample.id(22)))
        return store
    }

    private static func requireRemains(_ store: any Store) async throws {
        let general = try await store.allPages(MessageQuery(scope: .channel(Sample.general)))
        try requireEqual(general.map(\.id), [1, 2, 3, 20, 21, 22, 24].map(Sample.id), "what remains")
        try requireEqual(general.first?.content, .text("new"), "the edited content")
        let random = try await store.allPages(MessageQuery(scope: .channel(Sample.random)))
        try requireEqual(random.map(\.id), [], "what remains of the other channel")
        try requireEqual(try await store.counts().undelivered, 5, "undelivered")
    }

    private static func parts(_ store: any Store, keeping count: Int) async throws -> [ChannelID: Int64?] {
        var found: [ChannelID: Int64?] = [:]
        var channel: ChannelID?
        while let part = try await store.nextChannel(after: channel, keeping: count) {
            try requireEqual(found[part.channel] == nil, true, "\(part.channel) is listed once")
            found[part.channel] = .some(part.start)
            channel = part.channel
        }
        return found
    }
}
