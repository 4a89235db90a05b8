import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let accountRules: [Rule] = [
        Rule("one account sees, counts and changes nothing of another") { factory in
            let store = try await visited(factory)
            try requireEqual(try await store.counts(), StoreCounts(), "the counts of the other account")
            let scopes: [MessageQuery.Scope] = [
                .channel(Sample.general), .undelivered, .undeliveredIn(Sample.general), .failed(in: nil),
                .failed(in: Sample.general),
            ]
            for scope in scopes {
                try requireEqual(try await store.page(MessageQuery(scope: scope)).messages, [], "\(scope)")
            }
            let outboxScopes: [OperationQuery.Scope] = [
                .undelivered(in: nil), .undelivered(in: Sample.general), .failed(in: nil),
                .failed(in: Sample.general),
                .pending(.created), .pending(.syncing),
            ]
            for scope in outboxScopes {
                try requireEqual(
                    try await store.operations(OperationQuery(scope: scope)).operations, [], "\(scope)")
            }
            let ids = (0..<6).map(Sample.id)
            try requireEqual(try await store.operations(ids), [], "operations by id")
            try requireEqual(try await store.messages(ids), [], "messages by id")
            try requireEqual(try await store.dependants(of: Sample.id(0)), [], "dependants")
            try requireEqual(try await store.deleteActions(before: nil, limit: 9), [], "past deletions")
            let outbox = try await store.outbox()
            try requireEqual(outbox.entries, [], "what is to be sent")
            try requireEqual(outbox.lastTransmitted, [:], "what was transmitted")
            try requireEqual(outbox.outboxID, OutboxID(Sample.id(20).value), "the outbox of the other account")
        },
        Rule("an account finds everything as it left it, over visits and restarts") { factory in
            var store = try await factory.started()
            try await fill(store)
            let before = try await everything(store)
            let numbers = [Int64.min] + before.messages.map(\.ordinal)
            for visit in 20..<23 {
                try await store.commit([.saveSession(Sample.session(visit, of: Sample.other))])
                let own = try await store.enqueue(Sample.draft(visit))
                try require(
                    own.ordinal > numbers.max() ?? 0, "a number that was handed out before: \(own.ordinal)")
                // Mutations of the first account's messages, from the other account.
                try await store.commit([
                    .merge(Sample.placed(1, at: 3), at: Sample.time(9)), .resend(Sample.id(2), at: Sample.time(9)),
                    .delete(Sample.id(3)), .removeMarker(sequence: 2), .recordDelete(Sample.deletion(4)),
                    .endSession(Sample.ended),
                ])
                if visit == 21 { store = try await factory.restarted(store, .fail) }
                try await store.commit([.saveSession(Sample.session(visit + 10))])
                var after = try await everything(store)
                if visit >= 21 { after.outbox.epoch -= 1 }
                try requireEqual(after, before, "what the account finds after visit \(visit)")
            }
        },
        Rule("an address in another spelling is no other account") { factory in
            let store = try await factory.started()
            try await store.commit([.saveSession(Sample.session(1))])
            let message = try await store.enqueue(Sample.draft(1))
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            for server in ["https://chat.example/", "HTTPS://Chat.Example:443"] {
                try await store.commit([.saveSession(Sample.session(2, at: server))])
                try requireEqual(try await store.message(message.id), message, "the message under \(server)")
            }
            try requireEqual(fold.commits.map(\.isReset), [false, false], "resets")
            try await store.commit([.saveSession(Sample.session(3, at: "https://chat.example:8443"))])
            try requireEqual(try await store.message(message.id), nil, "the message on another port")
            subscription.cancel()
        },
        Rule("an account's openings are those in which it was current") { factory in
            var store = try await factory.started()
            try await store.commit([.saveSession(Sample.session(1))])
            _ = try await store.enqueue(Sample.draft(1))
            try await store.commit([.keepHistory(Sample.history(1))])
            let former = try await store.outbox()
            try await store.commit([.saveSession(Sample.session(2, of: Sample.other))])
            try requireEqual(try await store.outbox().history, nil, "the history, for an account that is new")
            try await store.commit([.keepHistory(Sample.history(2))])
            try requireEqual(
                try await store.outbox().lineage, Lineage(opening: former.lineage.opening, openedAt: 1),
                "the lineage of an account that is new")
            // More openings than are remembered: to the server each further one would look like another copy of the
            // store.
            for number in 2...(Limits.openingsKeptMax + 5) {
                store = try await factory.reopen(store)
                _ = try await store.start(Sample.opening(number: UInt64(number)))
            }
            try await store.commit([.forkOutbox(Sample.otherOutboxID, at: Sample.time(9))])
            let other = try await store.outbox().lineage
            try await store.commit([.saveSession(Sample.session(3))])
            let after = try await store.outbox()
            try requireEqual(after.outboxID, former.outboxID, "the outbox of the account that is back")
            try requireEqual(after.entries, former.entries, "its links")
            try requireEqual(after.lineage.opening, other.opening, "the present opening")
            try requireEqual(after.lineage.ancestors, [former.lineage.opening].compactMap(\.self), "earlier openings")
            try requireEqual(after.lineage.openedAt, other.openedAt, "where the opening began")
            try requireEqual(after.lineage.sharedBelow, other.sharedBelow, "what the other copy has, too")
            try requireEqual(after.history, former.history, "what its server said of its history")
            store = try await factory.reopen(store)
            let begun = try await store.start(Sample.opening(number: 500)).lineage
            try requireEqual(
                begun.ancestors, [other.opening, former.lineage.opening].compactMap(\.self), "openings on the disk")
            try requireEqual(begun.sharedBelow, other.sharedBelow, "what the other copy has, on the disk")
        },
        Rule("a draft of another account is refused") { factory in
            let store = try await factory.started()
            try await store.commit([.saveSession(Sample.session(1))])
            var draft = Sample.draft(1)
            draft.account = Sample.session(1).account
            _ = try await store.enqueue(draft)
            try await store.commit([.saveSession(Sample.session(2, of: Sample.other))])
            var late = Sample.draft(2)
            late.account = draft.account
            let refusal = StoreError.otherAccount(Sample.session(1).account)
            try await requireError(refusal, "a late draft") { try await store.enqueue(late) }
            try await requireError(refusal, "a late draft in a commit") {
                try await store.commit([.enqueue(OperationDraft(late))])
            }
            try requireEqual(try await store.counts().undelivered, 0, "messages of the other account")
            try await store.commit([.saveSession(Sample.session(3))])
            try requireEqual(try await store.counts().undelivered, 1, "messages of the first account")
        },
        Rule("an erased account is empty, after a restart as well; another account is unchanged") { factory in
            var store = try await factory.started()
            try await fill(store)
            let former = try await everything(store)
            try await store.commit([.saveSession(Sample.session(20, of: Sample.other))])
            let last = try await fillMore(store)
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            try await store.commit([
                .endSession(Sample.ended), .eraseAccount(Sample.otherOutboxID),
                .saveSession(Sample.session(21, of: Sample.other)),
            ])
            try requireEqual(fold.commits.map(\.isReset), [true], "the feed")
            try requireEqual(fold.commits.flatMap(\.appended), [], "links of the commit")
            subscription.cancel()
            for isRestarted in [false, true] {
                if isRestarted { store = try await factory.restarted(store) }
                try await requireEmpty(store)
                try requireEqual(try await store.session(), Sample.session(21, of: Sample.other), "the session")
            }
            let next = try await store.enqueue(Sample.draft(3))
            try require(next.ordinal > last, "a number that was handed out before: \(next.ordinal)")
            try await store.commit([.saveSession(Sample.session(22))])
            var found = try await everything(store)
            found.outbox.epoch -= 1
            try requireEqual(found, former, "the other account")
        },
    ]

    /// - Returns: the highest number that was assigned.
    private static func fillMore(_ store: any Store) async throws -> Int64 {
        for number in 0..<3 { _ = try await store.enqueue(Sample.draft(number)) }
        try await store.enqueue(Sample.operation(4, .addReaction(Sample.id(0), name: "wave")))
        let record = Sample.record(Sample.album, "a", version: 5)
        try await store.commit([
            .attempt(Sample.id(0), previous: 0, attempts: 1, at: Sample.time(1)), .setLastTransmitted(.text, 1),
            .deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(2)),
            .fail(Sample.id(2), Sample.failure("no"), inDoubt: false),
            .merge(Sample.placed(5, at: 2), at: Sample.time(9)), .recordDelete(Sample.deletion(7)),
            .mergeRecords(RecordMerge([record])), .keepHistory(Sample.history(1)),
            .setEventCursor(Sample.cursor(1)), .appendDelete(Sample.id(5), lane: .text),
        ])
        return try await store.enqueue(Sample.draft(3)).ordinal
    }

    private static func requireEmpty(_ store: any Store) async throws {
        let ids = (0..<8).map(Sample.id)
        try requireEqual(try await store.counts(), StoreCounts(), "counts")
        try requireEqual(try await store.messages(ids), [], "messages")
        try requireEqual(try await store.page(MessageQuery(scope: .channel(Sample.general))).messages, [], "a channel")
        try requireEqual(try await store.operations(ids), [], "operations")
        try requireEqual(try await store.dependants(of: Sample.id(0)), [], "dependants")
        try requireEqual(try await store.deleteActions(before: nil, limit: 9), [], "past deletions")
        try requireEqual(try await store.record(Sample.album, "a"), nil, "a record")
        try requireEqual(try await store.allRecords(RecordListQuery(list: Sample.albums)), [], "a list of records")
        let outbox = try await store.outbox()
        try requireEqual(outbox.entries, [], "links")
        try requireEqual(outbox.lastTransmitted, [:], "last sequences")
        try requireEqual(outbox.outboxID, Sample.otherOutboxID, "the outbox")
        try requireEqual(outbox.history, nil, "the history of the server")
        try requireEqual(outbox.eventCursor, nil, "the cursor of the events")
    }

    private struct Everything: Equatable {
        var messages: [Message]
        var counts: StoreCounts
        var outbox: OutboxSnapshot
        var deletions: [DeleteAction]
    }

    private static func everything(_ store: any Store) async throws -> Everything {
        var everything = Everything(
            messages: try await store.messages((0..<6).map(Sample.id)), counts: try await store.counts(),
            outbox: try await store.outbox(), deletions: try await store.deleteActions(before: nil, limit: 9))
        everything.outbox.lineage = Lineage()  // has a rule of its own
        return everything
    }

    /// Fills the store with one account's records of every kind; its session has ended.
    private static func fill(_ store: any Store) async throws {
        try await store.commit([.saveSession(Sample.session(1))])
        for number in 0..<4 { _ = try await store.enqueue(Sample.draft(number)) }
        try await store.enqueue(Sample.operation(4, .addReaction(Sample.id(0), name: "wave")))
        try await store.commit([
            .attempt(Sample.id(1), previous: 0, attempts: 1, at: Sample.time(1)),
            .deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(2)),
            .attempt(Sample.id(2), previous: 2, attempts: 1, at: Sample.time(3)), .setLastTransmitted(.text, 3),
            .merge(Sample.placed(5, at: 2), at: Sample.time(9)), .recordDelete(Sample.deletion(7)),
            .appendDelete(Sample.id(5), lane: .text), .endSession(Sample.ended),
        ])
    }

    /// The store as another account sees it.
    private static func visited(_ factory: StoreFactory) async throws -> any Store {
        let store = try await factory.started()
        try await fill(store)
        try await store.commit([.saveSession(Sample.session(20, of: Sample.other))])
        return store
    }
}
