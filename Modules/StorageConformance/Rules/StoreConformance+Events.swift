import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let eventRules: [Rule] = [
        Rule("the event cursor is kept with what it brought, over restarts") { factory in
            var store = try await factory.started()
            try requireEqual(try await store.outbox().eventCursor, nil, "the cursor of a new store")
            try await store.commit([.merge(Sample.placed(1, at: 3), at: Sample.time(9)), .setEventCursor(cursor(1))])
            try requireEqual(try await store.outbox().eventCursor, cursor(1), "the cursor")
            store = try await factory.reopen(store)
            let snapshot = try await store.start(Sample.opening())
            try requireEqual(snapshot.eventCursor, cursor(1), "the cursor in the next run")
            try require(try await store.message(Sample.id(1)) != nil, "what came with the cursor is missing")
            try await store.commit([.setEventCursor(cursor(2)), .setEventCursor(nil)])
            try requireEqual(try await store.outbox().eventCursor, nil, "the cursor, cleared")
        },
        Rule("a commit that does not wait for the disk is one like any other, also after a restart") { factory in
            var store = try await factory.started()
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            for number in 1...3 {
                try await store.commit(
                    [
                        .merge(Sample.placed(number, at: Int64(number)), at: Sample.time(9)),
                        .setEventCursor(cursor(number)),
                    ], durability: .normal)
                try requireEqual(fold.commits.count, 2 * number - 1, "commits in the feed")
                try require(try await store.message(Sample.id(number)) != nil, "the merged message is missing")
                _ = try await store.enqueue(Sample.draft(10 + number))
            }
            let taken = Sample.draft(11)
            try await requireError(.duplicate(taken.id), "a commit with a draft that exists") {
                try await store.commit(
                    [.setEventCursor(cursor(9)), .enqueue(OperationDraft(taken))], durability: .normal)
            }
            try await store.commit([.delete(Sample.id(3)), .setEventCursor(cursor(4))], durability: .normal)
            // It rests on the one before, and changes nothing.
            try await store.commit([.delete(Sample.id(3)), .setEventCursor(cursor(4))])
            subscription.cancel()
            try requireEqual(fold.problem, nil, "the feed")
            store = try await factory.reopen(store)
            let snapshot = try await store.start(Sample.opening())
            try requireEqual(snapshot.eventCursor, cursor(4), "the cursor in the next run")
            let found = try await store.messages([1, 2, 3, 11, 12, 13].map(Sample.id)).map(\.id)
            try requireEqual(found, [1, 2, 11, 12, 13].map(Sample.id), "the messages in the next run")
        },
        Rule("a commit that fails leaves the event cursor") { factory in
            let store = try await factory.started()
            let draft = Sample.draft(1)
            _ = try await store.enqueue(draft)
            try await store.commit([.setEventCursor(cursor(1))])
            try await requireError(.duplicate(draft.id), "a commit with a draft that exists") {
                try await store.commit([.setEventCursor(cursor(2)), .enqueue(OperationDraft(draft))])
            }
            try requireEqual(try await store.outbox().eventCursor, cursor(1), "the cursor")
        },
        Rule("each account has its event cursor, and another history of the server has none") { factory in
            let store = try await factory.started()
            try await store.commit([.saveSession(Sample.session(1)), .setEventCursor(cursor(1))])
            try await store.commit([.saveSession(Sample.session(2, of: Sample.other))])
            try requireEqual(try await store.outbox().eventCursor, nil, "the cursor of another account")
            try await store.commit([.setEventCursor(cursor(2))])
            try await store.commit([.forkOutbox(Sample.otherOutboxID, at: Sample.time(9))])
            try requireEqual(try await store.outbox().eventCursor, cursor(2), "the cursor of an outbox that was copied")
            try await store.commit([.saveSession(Sample.session(3))])
            try requireEqual(try await store.outbox().eventCursor, cursor(1), "the cursor of the first account")
            try await store.commit([
                .followHistory(Sample.history(2), Sample.otherOutboxID, marks: [:], at: Sample.time(9))
            ])
            try requireEqual(try await store.outbox().eventCursor, nil, "the cursor in another history")
        },
    ]

    private static func cursor(_ number: Int) -> EventCursor? { Sample.cursor(number) }
}
