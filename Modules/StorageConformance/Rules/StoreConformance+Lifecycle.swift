import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let lifecycleRules: [Rule] = [
        Rule("nothing works before begin") { factory in
            let store = try await factory.make(OutboxBounds())
            try await requireError(.notStarted, "enqueue") { try await store.enqueue(Sample.draft(1)) }
            try await requireError(.notStarted, "commit") { try await store.commit([]) }
            try await requireError(.notStarted, "message") { try await store.message(Sample.id(1)) }
            try await requireError(.notStarted, "outbox") { try await store.outbox() }
            _ = try await store.start(Sample.opening())
            try await requireError(.startedTwice, "begin") { try await store.start(Sample.opening()) }
            _ = try await store.enqueue(Sample.draft(1))
        },
        Rule("after close everything says so") { factory in
            let store = try await factory.started()
            _ = try await store.enqueue(Sample.draft(1))
            await store.close()
            await store.close()
            try await requireError(.closed, "enqueue") { try await store.enqueue(Sample.draft(2)) }
            try await requireError(.closed, "commit") { try await store.commit([.delete(Sample.id(1))]) }
            try await requireError(.closed, "message") { try await store.message(Sample.id(1)) }
            try await requireError(.closed, "messages") { try await store.messages([Sample.id(1)]) }
            try await requireError(.closed, "page") { try await store.page(MessageQuery(scope: .undelivered)) }
            try await requireError(.closed, "counts") { try await store.counts() }
            try await requireError(.closed, "actions") { try await store.deleteActions(before: nil, limit: 1) }
            try await requireError(.closed, "session") { try await store.session() }
            try await requireError(.closed, "outbox") { try await store.outbox() }
            try await requireError(.closed, "begin") { try await store.start(Sample.opening()) }
        },
        Rule("the outbox keeps its id, and each run has a new epoch") { factory in
            var store = try await factory.make(OutboxBounds())
            let first = try await store.start(Sample.opening())
            try requireEqual(first.outboxID, Sample.outboxID, "the outbox's id")
            for run in 1...3 {
                store = try await factory.reopen(store)
                let opening = Sample.opening(run == 1 ? .fail : .resume, outboxID: Sample.otherOutboxID)
                let snapshot = try await store.start(opening)
                try requireEqual(snapshot.outboxID, Sample.outboxID, "the outbox's id in run \(run)")
                try requireEqual(snapshot.epoch, first.epoch + Int64(run), "the epoch of run \(run)")
                try requireEqual(try await store.outbox(), snapshot, "the outbox after begin")
            }
        },
        Rule("what was committed is there in the next run") { factory in
            var store = try await factory.started()
            let contents: [MessageContent] = [
                .text("null \u{0}, quote \", wave \u{1F30A}, line \u{2028}"),
                .custom(.object(["a": .array([.integer(.max), .double(1.5), .null, .bool(false), .string("")])])),
                .image(Attachment(name: "a.png", contentType: "image/png", size: 1, sha256: "00"), caption: "c"),
                .audio(Attachment(name: "b.ogg", contentType: "audio/ogg", size: 2, sha256: "01")),
                .unknown(
                    type: "poll", body: .object(["v": .integer(9), "type": .string("poll"), "x": .integer(1)])),
            ]
            var written: [Message] = []
            for (number, content) in contents.enumerated() {
                written.append(try await store.enqueue(Sample.draft(number, content)))
            }
            let action = Sample.deletion(2)
            let fence = ChainMarker(
                kind: .fence, lane: .media, sequence: 3, previous: nil, message: Sample.id(77))
            try await store.commit([
                .saveSession(Sample.session(4)), .recordDelete(action), .putMarker(fence),
                .setLastTransmitted(.text, 7), .merge(Sample.placed(50, at: 9), at: Sample.time(9)),
                .fail(Sample.id(0), Sample.failure("code"), inDoubt: true),
            ])
            let before = try await (
                store.allPages(MessageQuery(scope: .channel(Sample.general))), store.counts(), store.outbox(),
                store.deleteActions(before: nil, limit: 9)
            )
            try requireEqual(before.0.map(\.content).filter(contents.contains).count, contents.count, "contents")
            store = try await factory.restarted(store)
            var outbox = before.2
            outbox.epoch += 1
            outbox.lineage = try await store.outbox().lineage  // another opening; has a rule of its own
            try requireEqual(
                try await store.allPages(MessageQuery(scope: .channel(Sample.general))), before.0, "messages")
            try requireEqual(try await store.counts(), before.1, "counts")
            try requireEqual(try await store.outbox(), outbox, "outbox")
            try requireEqual(try await store.deleteActions(before: nil, limit: 9), before.3, "past deletions")
            try requireEqual(try await store.session(), Sample.session(4), "session")
            var ended = Sample.session(4)
            ended.endedAt = ended.startedAt
            try await store.commit([.saveSession(ended)])
            store = try await factory.restarted(store)
            try requireEqual(try await store.session(), ended, "the session after logout")
        },
        Rule("tags stay with a message, from its creation to the server's version of it") { factory in
            var store = try await factory.started()
            let message = try await store.enqueue(Sample.draft(1, tags: ["b", "a"]))
            try requireEqual(message.tags, ["b", "a"], "the created message's tags")
            _ = try await store.enqueue(Sample.draft(2))
            try await store.commit([
                .enqueue(Sample.operation(3, .edit(Sample.id(1), .text("new")))),
                .enqueue(OperationDraft(Sample.draft(4, parent: Sample.id(1), tags: ["c"]))),
            ])
            for _ in 1...2 {
                let stored = try await store.messages([1, 2, 4].map(Sample.id))
                let tags = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0.tags) })
                try requireEqual(
                    tags, [Sample.id(1): ["b", "a"], Sample.id(2): [], Sample.id(4): ["c"]], "the stored tags")
                let operation = try await store.operation(Sample.id(1))
                try requireEqual(operation?.payload.tags, ["b", "a"], "the tags to send")
                store = try await factory.restarted(store)
            }
            var placed = Sample.placed(1, at: 7)
            placed.body.tags = ["z"]
            try await store.commit([
                .deliver(Sample.id(1), Sample.serverPosition(7), at: Sample.time(8)),
                .deliver(Sample.id(3), Sample.serverPosition(7), at: Sample.time(9)),
            ])
            try requireEqual(try await store.message(Sample.id(1))?.tags, ["b", "a"], "the delivered message's tags")
            placed.body.changedAt = Sample.time(10)
            try await store.commit([.merge(placed, at: Sample.time(11))])
            store = try await factory.restarted(store)
            try requireEqual(try await store.message(Sample.id(1))?.tags, ["z"], "the server's tags")
        },
    ]
}
