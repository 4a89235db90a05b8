import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let deletedMessageRules: [Rule] = [
        Rule("the commit that deletes a message leaves its tombstone, also for the next process") { factory in
            var store = try await prepared(factory)
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            let before = try await store.message(Sample.id(2))
            try await store.commit([.delete(Sample.id(2))])
            let left = left(2)
            try requireEqual(
                fold.commits.last?.changes.map(Changed.init),
                [
                    Changed(.message(before: before, after: nil, bytes: 0)),
                    Changed(.record(before: nil, after: left.stored)),
                ],
                "the changes")
            subscription.cancel()
            try requireEqual(try await kept(store), [left], "what is kept")
            store = try await factory.restarted(store)
            try requireEqual(try await kept(store), [left], "what is kept after a restart")
            try requireEqual(try await store.message(Sample.id(2)), nil, "the message")
        },
        Rule("a message that the server does not have leaves no tombstone") { factory in
            let store = try await prepared(factory)
            for number in 20..<23 { _ = try await store.enqueue(Sample.draft(number)) }
            try await store.commit([
                .attempt(Sample.id(21), previous: 0, attempts: 1, at: Sample.time(3)),
                .fail(Sample.id(22), Sample.failure(), inDoubt: true),
            ])
            try await store.commit((20..<23).map { .delete(Sample.id($0)) })
            try requireEqual(try await kept(store), [], "what is kept")
        },
        Rule("the server's word replaces what was kept, and no message that is stored") { factory in
            let store = try await prepared(factory)
            try await store.commit([.delete(Sample.id(2))])
            let reported = left(2, at: Sample.time(70))
            try await store.commit([
                .mergeRecords(RecordMerge([reported.stored, left(3, at: Sample.time(71)).stored]))
            ])
            try requireEqual(try await kept(store), [reported], "what is kept")
            // A deletion here knows less.
            try await store.commit([.mergeRecords(RecordMerge([left(2).stored])), .delete(Sample.id(2))])
            try requireEqual(try await kept(store), [reported], "what is kept")
            // The server has lost the deletion, or all that it had.
            try await store.commit([.merge(Sample.placed(2, at: 2), at: Sample.time(9))])
            try requireEqual(try await kept(store), [], "what is kept of a message that is back")
            try await store.commit([
                .delete(Sample.id(3)),
                .followHistory(Sample.history(1), Sample.otherOutboxID, marks: [:], at: Sample.time(9)),
                .mergeRecords(RecordMerge([left(3, at: Sample.time(72)).stored])),
            ])
            try requireEqual(try await kept(store), [left(3, at: Sample.time(72))], "what is kept in another history")
        },
        Rule("a channel keeps a bounded number of deleted messages: the newest ones") { factory in
            let store = try await prepared(factory)
            let reach = Limits.deletedMessagesReachMax
            let few = (0..<20).map { left($0 + 30, position: Int64($0) + 1, at: Sample.time(1)) }
            let other = left(60, position: 1, in: Sample.random, at: Sample.time(1))
            try await store.commit([.mergeRecords(RecordMerge((few + [other]).map(\.stored)))])
            let last = left(70, position: reach + 12, at: Sample.time(1))
            try await store.commit([.mergeRecords(RecordMerge([last.stored]))])
            try requireEqual(try await kept(store), few[12...] + [last], "what is kept")
            try requireEqual(try await kept(store, in: Sample.random), [other], "the other channel")
            try await store.commit([
                .mergeRecords(RecordMerge([few[3], few[12]].map(\.stored))), .delete(Sample.id(3)),
            ])
            try requireEqual(try await kept(store), few[12...] + [last], "without room for older ones")
        },
        Rule("a tombstone at a position that no message can have is not kept") { factory in
            let store = try await prepared(factory)
            let reported = left(30, position: 5, at: Sample.time(1))
            try await store.commit([.mergeRecords(RecordMerge([reported.stored]))])
            let list = DeletedMessage.list(of: Sample.general)
            for position in [Int64.min, -1, Limits.positionMax + 1, .max] {
                var record = left(31, at: Sample.time(1)).stored
                record.entries = [ListEntry(list.name, scope: list.scope, key: ListKey(position))]
                try await store.commit([.mergeRecords(RecordMerge([record]))])
                try requireEqual(try await kept(store), [reported], "what is kept beside position \(position)")
            }
        },
        Rule("pruning drops the tombstones as far as it goes") { factory in
            let store = try await prepared(factory)
            try await store.commit([1, 3, 6].map { .delete(Sample.id($0)) })
            try await store.commit([.prune([2, 5].map(Sample.id), of: Sample.account)])
            try requireEqual(try await kept(store), [left(6)], "what is kept")
        },
        Rule("tombstones belong to an account, and end with its data") { factory in
            let store = try await prepared(factory)
            try await store.commit([.delete(Sample.id(2))])
            try await store.commit([.saveSession(Sample.session(2, of: Sample.other))])
            try requireEqual(try await kept(store), [], "of another account")
            try await store.commit([.saveSession(Sample.session(3))])
            try requireEqual(try await kept(store), [left(2)], "of the account that returns")
            try await store.commit([.eraseAccount(Sample.otherOutboxID)])
            try requireEqual(try await kept(store), [], "of an erased account")
        },
    ]

    /// A store with nine messages of others in a channel, at their numbers as positions; the third is an image, and the
    /// second one replies to the first.
    private static func prepared(_ factory: StoreFactory) async throws -> any Store {
        let store = try await factory.started()
        try await store.commit([.saveSession(Sample.session(1))])
        for number in 1..<10 {
            var message = Sample.placed(number, at: Int64(number), number == 3 ? Sample.image(1) : nil)
            if number == 2 { message.parent = Sample.id(1) }
            try await store.commit([.merge(message, at: Sample.time(9))])
        }
        return store
    }

    private static func left(
        _ number: Int, position: Int64? = nil, in channel: ChannelID = Sample.general, at time: Timestamp? = nil
    ) -> DeletedMessage {
        DeletedMessage(
            id: Sample.id(number), channel: channel, sender: Sample.other, parent: number == 2 ? Sample.id(1) : nil,
            type: number == 3 ? .image : .text, createdAt: Sample.time(Int64(number)),
            serverPosition: Sample.serverPosition(position ?? Int64(number)), deletedAt: time)
    }

    private static func kept(
        _ store: any Store, in channel: ChannelID = Sample.general
    ) async throws -> [DeletedMessage?] {
        let found = try await store.allRecords(RecordListQuery(list: DeletedMessage.list(of: channel), limit: 7))
        return found.map { DeletedMessage(stored: $0) }
    }

    /// A change without the size of the content.
    private struct Changed: Equatable {
        let change: RecordChange

        init(_ change: RecordChange) {
            guard case .message(let before, let after, _) = change else {
                self.change = change
                return
            }
            self.change = .message(before: before, after: after, bytes: 0)
        }
    }
}
