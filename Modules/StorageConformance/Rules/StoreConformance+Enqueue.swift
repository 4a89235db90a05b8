import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let enqueueRules: [Rule] = [
        Rule("what is returned is what is stored") { factory in
            let store = try await factory.started()
            let numbers = JSONValue.object([
                "whole": .double(1), "part": .double(0.5), "large": .double(1e300), "list": .array([.double(-3)]),
            ])
            let message = try await store.enqueue(Sample.draft(1, .custom(numbers)))
            try requireEqual(try await store.message(message.id), message, "the message")
            try await store.commit([.rewrite(message.id, .custom(.object(["n": .double(2)])))])
            try requireEqual(
                try await store.message(message.id)?.content, .custom(.object(["n": .integer(2)])), "rewritten")
        },
        Rule("a new message is placed in its lane and visible at once") { factory in
            let store = try await factory.started()
            var last: Int64 = 0
            for number in 0..<5 {
                let draft = Sample.draft(number, lane: number.isMultiple(of: 2) ? .text : .media)
                let message = try await store.enqueue(draft)
                try requireEqual(message.id, draft.id, "id")
                try requireEqual(message.channel, draft.channel, "channel")
                try requireEqual(message.sender, draft.sender, "sender")
                try requireEqual(message.content, draft.content, "content")
                try requireEqual(message.createdAt, draft.createdAt, "time of creation")
                try requireEqual(message.lane, draft.lane, "lane")
                try requireEqual(message.syncState, .created, "state")
                try requireEqual(message.previousSequence, nil, "previous")
                try require(message.ordinal > last && message.laneSequence > last, "numbers that do not grow")
                last = max(message.ordinal, message.laneSequence)
                try requireEqual(try await store.message(draft.id), message, "the message as it is stored")
                let page = try await store.page(
                    MessageQuery(scope: .channel(Sample.general), direction: .descending, limit: 1))
                try requireEqual(page.messages, [message], "the end of its channel")
                try requireEqual(try await store.counts().created, number + 1, "the number of waiting messages")
            }
        },
        Rule("a second message with the same id is refused") { factory in
            let store = try await factory.started()
            let first = try await store.enqueue(Sample.draft(1))
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            let counts = try await store.counts()
            for state in 0..<2 {
                try await requireError(.duplicate(Sample.id(1)), "enqueue in state \(state)") {
                    try await store.enqueue(Sample.draft(1, .text("other"), in: Sample.random))
                }
                try requireEqual(try await store.message(Sample.id(1))?.content, first.content, "the first message")
                if state == 0 {
                    try requireEqual(try await store.counts(), counts, "counts")
                    try await store.commit([.deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(9))])
                }
            }
            try requireEqual(fold.callCount, 1, "commits, of which only one was")
            try require(try await store.enqueue(Sample.draft(2)).ordinal > first.ordinal, "an older number")
            subscription.cancel()
        },
        Rule("a full outbox refuses, drops nothing, and takes in again when there is room") { factory in
            let bytes = try ContentCoding.encode(Sample.draft(0).content).count
            for bounds in [OutboxBounds(messagesMax: 3), OutboxBounds(bytesMax: 3 * bytes)] {
                let store = try await factory.started(bounds)
                for number in 0..<3 { _ = try await store.enqueue(Sample.draft(number)) }
                try await requireError(.outboxFull(messages: 3, bytes: 3 * bytes), "the fourth of \(bounds)") {
                    try await store.enqueue(Sample.draft(3))
                }
                try await requireError(.duplicate(Sample.id(1)), "a doubled id") {
                    try await store.enqueue(Sample.draft(1))
                }
                try requireEqual(try await store.counts().created, 3, "what waits")
                // A failed message still takes room; a delivered or deleted one does not.
                try await store.commit([.fail(Sample.id(0), Sample.failure(), inDoubt: false)])
                try await requireError(.outboxFull(messages: 3, bytes: 3 * bytes), "beside a failed one") {
                    try await store.enqueue(Sample.draft(3))
                }
                try await store.commit([
                    .deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(9)), .delete(Sample.id(0)),
                ])
                _ = try await store.enqueue(Sample.draft(3))
                _ = try await store.enqueue(Sample.draft(4))
                try await requireError(.outboxFull(messages: 3, bytes: 3 * bytes), "the next one") {
                    try await store.enqueue(Sample.draft(5))
                }
            }
        },
        Rule("a draft in a commit is admitted after what precedes it there") { factory in
            let bytes = try ContentCoding.encode(Sample.draft(0).content).count
            let store = try await factory.started(OutboxBounds(messagesMax: 2))
            for number in 0..<2 { _ = try await store.enqueue(Sample.draft(number)) }
            try await store.commit([.delete(Sample.id(0)), .enqueue(OperationDraft(Sample.draft(0)))])
            try requireEqual(try await store.message(Sample.id(0))?.syncState, .created, "the same id again")
            try await store.commit([
                .deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(9)),
                .enqueue(OperationDraft(Sample.draft(2))),
            ])
            let counts = try await store.counts()
            try requireEqual(counts.created, 2, "what waits")
            try await requireError(.outboxFull(messages: 2, bytes: 2 * bytes), "the second in the room of one") {
                try await store.commit([
                    .delete(Sample.id(0)), .enqueue(OperationDraft(Sample.draft(3))),
                    .enqueue(OperationDraft(Sample.draft(4))),
                ])
            }
            try requireEqual(try await store.counts(), counts, "counts after the refusal")
            let reopened = try await factory.restarted(store)
            let states: [SyncState?] = [.created, .synced, .created, nil]
            for (number, state) in states.enumerated() {
                let message = try await reopened.message(Sample.id(number))
                try requireEqual(message?.syncState, state, "message \(number) after a restart")
            }
        },
        Rule("a number is never handed out twice") { factory in
            var store = try await factory.started()
            var last: Int64 = 0
            for number in 0..<4 {
                let message = try await store.enqueue(Sample.draft(number))
                try require(message.ordinal > last && message.laneSequence > last, "a number for the second time")
                last = max(message.ordinal, message.laneSequence)
                try await store.commit([.delete(message.id)])
                if number == 1 { store = try await factory.restarted(store) }
            }
            func raise(above mark: Int64) async throws {
                let marker = ChainMarker(
                    kind: .fence, lane: .text, sequence: mark, previous: nil, message: Sample.id(7))
                try await store.commit([.putMarker(marker)])
            }
            try await raise(above: last + 1000)
            store = try await factory.restarted(store)
            let raised = try await store.enqueue(Sample.draft(9))
            try require(raised.laneSequence > last + 1000, "a number below the mark")
            try await raise(above: 1)
            try require(try await store.enqueue(Sample.draft(10)).ordinal > raised.ordinal, "a lowered counter")
            // An impossible number does not exhaust the numbers.
            try await raise(above: .max)
            let far = try await store.enqueue(Sample.draft(11))
            let farther = try await store.enqueue(Sample.draft(12))
            try require(farther.laneSequence > far.laneSequence, "numbers that ran out")
        },
        Rule("a call that fails changes nothing") { factory in
            let store = try await factory.started()
            _ = try await store.enqueue(Sample.draft(1))
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            let before = try await (store.outbox(), store.counts(), store.message(Sample.id(1)))
            let noNumber = MessageContent.custom(.object(["x": .double(.nan)]))
            do {
                try await store.commit([
                    .delete(Sample.id(1)), .recordDelete(Sample.deletion(1)),
                    .merge(Sample.placed(2, at: 1, noNumber), at: Sample.time(9)),
                ])
                throw ConformanceFailure(detail: "content without a coded form was taken", file: #fileID, line: #line)
            } catch is StoreError {}
            do {
                _ = try await store.enqueue(Sample.draft(3, noNumber))
                throw ConformanceFailure(detail: "content without a coded form was taken", file: #fileID, line: #line)
            } catch is StoreError {}
            try requireEqual(try await store.outbox(), before.0, "outbox")
            try requireEqual(try await store.counts(), before.1, "counts")
            try requireEqual(try await store.message(Sample.id(1)), before.2, "message")
            try requireEqual(try await store.deleteActions(before: nil, limit: 5), [], "past deletions")
            try requireEqual(fold.callCount, 0, "calls of the feed")
            subscription.cancel()
        },
        Rule("a call that is refused half-way changes nothing, now and after a restart") { factory in
            let store = try await factory.started()
            _ = try await store.enqueue(Sample.draft(1))
            do {
                try await store.commit([
                    .fail(Sample.id(1), Sample.failure(), inDoubt: false), .recordDelete(Sample.deletion(1)),
                    .enqueue(OperationDraft(Sample.draft(1))),
                ])
                throw ConformanceFailure(detail: "a second message with the id was taken", file: #fileID, line: #line)
            } catch is StoreError {}
            try requireEqual(try await store.message(Sample.id(1))?.syncState, .created, "state")
            // It is still as it was for the next call, too.
            try await store.commit([.attempt(Sample.id(1), previous: 0, attempts: 1, at: Sample.time(1))])
            try requireEqual(try await store.message(Sample.id(1))?.syncState, .syncing, "state of an attempt")
            let reopened = try await factory.restarted(store, .resume)
            let message = try await reopened.message(Sample.id(1))
            try requireEqual(message?.syncState, .created, "state after a restart")
            try requireEqual(message?.history.map(\.state), [.syncing, .created], "history after a restart")
            try requireEqual(try await reopened.deleteActions(before: nil, limit: 5), [], "past deletions")
        },
    ]
}
