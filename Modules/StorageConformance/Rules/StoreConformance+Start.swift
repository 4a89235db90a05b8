import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let startRules: [Rule] = [
        Rule("each opening is remembered, and what was there before it is told apart") { factory in
            var store = try await factory.make(OutboxBounds())
            let first = try await store.start(Sample.opening(number: 1))
            try requireEqual(first.lineage.opening, Sample.opening(number: 1).opening, "the first opening")
            let message = try await store.enqueue(Sample.draft(1))
            try require(message.ordinal >= first.lineage.openedAt, "a message of this opening counts as older")
            for number in 2...70 {
                store = try await factory.reopen(store)
                let lineage = try await store.start(Sample.opening(number: UInt64(number))).lineage
                let known = (1..<number).reversed().prefix(Limits.openingsKeptMax)
                try requireEqual(
                    lineage.ancestors, known.map { Sample.opening(number: UInt64($0)).opening }, "earlier openings")
                try require(message.ordinal < lineage.openedAt, "a message of an earlier opening counts as new")
                try requireEqual(try await store.outbox().lineage, lineage, "the lineage later in the run")
            }
        },
        Rule("a store of which another copy exists goes on under a new outbox id, in the old order") { factory in
            let store = try await factory.started()
            for number in 1...4 { _ = try await store.enqueue(Sample.draft(number)) }
            let one = try await store.message(Sample.id(1))?.laneSequence ?? 0
            try await store.commit([
                .attempt(Sample.id(1), previous: 0, attempts: 1, at: Sample.time(1)),
                .setLastTransmitted(.text, one),
                .fail(Sample.id(2), Sample.failure("ended", .sessionEnded), inDoubt: false),
                .appendDelete(Sample.id(9), lane: .text),
            ])
            _ = try await store.enqueue(Sample.draft(5))
            let id = OutboxID(UUIDv7(high: 9, low: 9))
            try await store.commit([.forkOutbox(id, at: Sample.time(2))])
            let outbox = try await store.outbox()
            try requireEqual(outbox.outboxID, id, "the outbox id")
            try requireEqual(outbox.lastTransmitted, [:], "what was transmitted")
            try requireEqual(
                outbox.entries.map(\.message), [1, 3, 4, 9, 5, 2].map(Sample.id), "the links in their order")
            try requireEqual(
                outbox.entries.map(\.kind), [.send, .send, .send, .delete, .send, .fence], "kinds of links")
            try requireEqual(outbox.entries.compactMap(\.previous), [], "transmitted links")
            try requireEqual(try await store.message(Sample.id(1))?.attempts, 1, "attempts")
            try requireEqual(try await store.message(Sample.id(2))?.isInDoubt, true, "doubt about the failed one")
            let last = try await store.enqueue(Sample.draft(6))
            try requireEqual(try await store.outbox().entries.last?.message, last.id, "the newest link")
            try require(last.ordinal >= outbox.lineage.sharedBelow, "a later message counts as shared")
            let reopened = try await factory.restarted(store, .resume)
            try requireEqual(
                try await reopened.outbox().lineage.sharedBelow, outbox.lineage.sharedBelow, "the limit, stored")
        },
        Rule("a copy leaves in doubt what had failed for certain, too, and is asked about already") { factory in
            let store = try await factory.started()
            let sequence = try await store.enqueue(Sample.draft(1)).laneSequence
            try await store.commit([
                .attempt(Sample.id(1), previous: 0, attempts: 1, at: Sample.time(1)),
                .setLastTransmitted(.text, sequence),
                .fail(Sample.id(1), Sample.failure(), inDoubt: false),
                .putMarker(
                    ChainMarker(kind: .fence, lane: .text, sequence: sequence, previous: 0, message: Sample.id(1))),
                .forkOutbox(OutboxID(UUIDv7(high: 9, low: 9)), at: Sample.time(2)),
            ])
            try requireEqual(try await store.outbox().entries.map(\.kind), [.fence], "one question")
            try requireEqual(try await store.message(Sample.id(1))?.isInDoubt, true, "doubt")
        },
        Rule("a copy turns the retraction of a deleted message into its deletion") { factory in
            let store = try await factory.started()
            let sequence = try await store.enqueue(Sample.draft(1)).laneSequence
            try await store.commit([
                .attempt(Sample.id(1), previous: 0, attempts: 1, at: Sample.time(1)),
                .setLastTransmitted(.text, sequence), .delete(Sample.id(1)),
                .putMarker(
                    ChainMarker(kind: .retract, lane: .text, sequence: sequence, previous: 0, message: Sample.id(1))),
                .forkOutbox(OutboxID(UUIDv7(high: 9, low: 9)), at: Sample.time(2)),
            ])
            let entries = try await store.outbox().entries
            try requireEqual(entries.map(\.kind), [.delete], "kinds of links")
            try requireEqual(entries.map(\.message), [Sample.id(1)], "the messages of the links")
            try requireEqual(entries.map(\.previous), [nil], "transmitted links")
        },
        Rule("a number that a control entry brings is not assigned again") { factory in
            let store = try await factory.started()
            let first = try await store.enqueue(Sample.draft(1)).ordinal
            try await store.commit([
                .putMarker(
                    ChainMarker(kind: .delete, lane: .text, sequence: first + 5, previous: nil, message: Sample.id(2)))
            ])
            let next = try await store.enqueue(Sample.draft(3)).ordinal
            try require(next > first + 5, "number \(next) was assigned after \(first + 5)")
        },
        Rule("what waited while the outbox got another id is known by its age, whatever number it gets") { factory in
            for restarts in [true, false] {
                var store = try await factory.started()
                _ = try await store.enqueue(Sample.draft(1))
                let reply = try await store.enqueue(Sample.draft(2, lane: .media, parent: Sample.id(1)))
                try await store.commit([.forkOutbox(OutboxID(UUIDv7(high: 9, low: 9)), at: Sample.time(2))])
                try await store.commit([.deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(3))])
                let outbox = try await store.outbox()
                try requireEqual(outbox.entries.map(\.message), [Sample.id(2)], "what was released")
                try requireEqual(outbox.entries.map(\.ordinal), [reply.ordinal], "its age")
                try require(
                    outbox.entries.allSatisfy { $0.sequence >= outbox.lineage.sharedBelow }, "its number is an old one")
                if restarts {
                    store = try await factory.restarted(store, .fail)
                } else {
                    try await store.commit([.endSession(Sample.ended)])
                }
                try requireEqual(try await store.message(Sample.id(2))?.isInDoubt, true, "the doubt")
                let entries = try await store.outbox().entries
                try requireEqual(entries.map(\.kind), [.fence], "kinds of links")
                try requireEqual(entries.map(\.sequence), entries.map(\.ordinal), "the age of a question")
            }
        },
        Rule("a session that ends asks about what another copy of the store has, too") { factory in
            for restarts in [true, false] {
                var store = try await factory.started()
                _ = try await store.enqueue(Sample.draft(1))
                _ = try await store.enqueue(Sample.draft(2, lane: .media, parent: Sample.id(1)))
                try await store.commit([.forkOutbox(OutboxID(UUIDv7(high: 9, low: 9)), at: Sample.time(2))])
                _ = try await store.enqueue(Sample.draft(3))
                let queued = try await store.outbox().entries
                if restarts {
                    store = try await factory.restarted(store, .fail)
                } else {
                    try await store.commit([.endSession(Sample.ended)])
                }
                let messages = try await store.messages((1...3).map(Sample.id))
                try requireEqual(messages.map(\.syncState), [.error, .error, .error], "states")
                try requireEqual(messages.map(\.isInDoubt), [true, true, false], "doubts")
                let entries = try await store.outbox().entries
                try requireEqual(entries.map(\.kind), [.fence, .fence], "kinds of links")
                try requireEqual(entries.map(\.message), [1, 2].map(Sample.id), "the links in their order")
                try requireEqual(entries.map(\.previous), [nil, nil], "transmitted links")
                try requireEqual(entries.first?.sequence, queued.first?.sequence, "the place of the first")
            }
        },
        Rule("what a server that went back has lost is queued again, before what came later") { factory in
            let store = try await factory.started()
            for number in 1...5 {
                _ = try await store.enqueue(Sample.draft(number, lane: number == 4 ? .media : .text))
            }
            let sequences = try await store.outbox().entries.map(\.sequence)
            try await store.commit(
                (1...4).map { .deliver(Sample.id($0), Sample.serverPosition(Int64($0)), at: Sample.time(1)) })
            try await store.commit([
                .merge(Sample.placed(6, at: 9), at: Sample.time(1)), .keepHistory(Sample.history(1)),
            ])
            try requireEqual(try await store.outbox().history, Sample.history(1), "the history")
            let id = OutboxID(UUIDv7(high: 9, low: 9))
            try await store.commit([
                .followHistory(Sample.history(2), id, marks: [.text: sequences[1]], at: Sample.time(2))
            ])
            let outbox = try await store.outbox()
            try requireEqual(outbox.history, Sample.history(2), "the history")
            try requireEqual(outbox.outboxID, id, "the outbox id")
            try requireEqual(outbox.entries.map(\.message), [3, 4, 5].map(Sample.id), "the links in their order")
            try requireEqual(try await store.message(Sample.id(2))?.syncState, .synced, "what the server still has")
            try requireEqual(try await store.message(Sample.id(6))?.syncState, .synced, "a message of somebody else")
            let lost = try await store.message(Sample.id(3))
            try requireEqual(lost?.syncState, .created, "what it has lost")
            try requireEqual(lost?.serverPosition, nil, "its place")
            try require(lost.map { $0.ordinal < outbox.lineage.sharedBelow } ?? false, "it counts as never sent")
            let reopened = try await factory.restarted(store, .resume)
            try requireEqual(try await reopened.outbox().history, Sample.history(2), "the history, stored")
            try requireEqual(try await reopened.counts().created, 3, "the counts, stored")
        },
        Rule("no mark proves that a server still has a message that came there another way") { factory in
            let store = try await factory.started()
            for number in 1...3 { _ = try await store.enqueue(Sample.draft(number)) }
            // The lane has passed the first without storing it; another copy of the store delivered it later.
            try await store.commit([
                .fail(Sample.id(1), Sample.failure(), inDoubt: false), .settle(Sample.id(1)),
                .deliver(Sample.id(2), Sample.serverPosition(1), at: Sample.time(1)),
                .merge(Sample.placed(1, at: 2), at: Sample.time(1)),
            ])
            try requireEqual(try await store.message(Sample.id(1))?.laneSequence, 0, "the place of the first")
            let mark = try await store.outbox().entries.first?.sequence ?? 0
            let id = OutboxID(UUIDv7(high: 9, low: 9))
            try await store.commit([
                .followHistory(Sample.history(2), id, marks: [.text: mark], at: Sample.time(2))
            ])
            let sends = try await store.outbox().entries.filter { $0.kind == .send }
            try requireEqual(sends.map(\.message), [1, 3].map(Sample.id), "the links in their order")
            // A copy that goes on may deliver what waits here; the loss showed that there may be one.
            try await store.commit([.merge(Sample.placed(3, at: 3), at: Sample.time(3))])
            let next = OutboxID(UUIDv7(high: 9, low: 10))
            try await store.commit([
                .followHistory(Sample.history(3), next, marks: [.text: Limits.sequenceMax - 1], at: Sample.time(4))
            ])
            let again = try await store.outbox().entries.filter { $0.kind == .send }
            try requireEqual(again.map(\.message), [1, 3].map(Sample.id), "the links in their order, again")
        },
        Rule("what was lost is queued again in the order of creation, whatever its place was") { factory in
            let store = try await factory.started()
            for number in 1...3 { _ = try await store.enqueue(Sample.draft(number)) }
            try await store.commit([.fail(Sample.id(1), Sample.failure(), inDoubt: false)])
            try await store.commit([.resend(Sample.id(1), at: Sample.time(1))])
            _ = try await store.enqueue(Sample.draft(4))
            try await store.commit(
                (1...3).map { .deliver(Sample.id($0), Sample.serverPosition(Int64($0)), at: Sample.time(1)) })
            let id = OutboxID(UUIDv7(high: 9, low: 9))
            try await store.commit([.followHistory(Sample.history(2), id, marks: [:], at: Sample.time(2))])
            let entries = try await store.outbox().entries
            try requireEqual(entries.map(\.message), [1, 2, 3, 4].map(Sample.id), "the links in their order")
        },
        Rule("what is lost a second time stands before what was created later and waits from the first") { factory in
            let store = try await factory.started()
            for number in 1...3 { _ = try await store.enqueue(Sample.draft(number)) }
            let id = OutboxID(UUIDv7(high: 9, low: 9))
            try await store.commit([
                .deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(1)),
                .fail(Sample.id(2), Sample.failure(), inDoubt: true),
                .followHistory(Sample.history(2), id, marks: [:], at: Sample.time(2)),
            ])
            // The third is sent again behind the fourth, and stays there.
            _ = try await store.enqueue(Sample.draft(4))
            try await store.commit([
                .fail(Sample.id(3), Sample.failure(), inDoubt: false), .resend(Sample.id(3), at: Sample.time(3)),
            ])
            let waiting = try await store.outbox().entries.filter { $0.kind == .send }.map(\.message)
            try requireEqual(waiting, [1, 4, 3].map(Sample.id), "what waits from the first loss")
            // The server that responds now has the second, and loses it.
            try await store.commit([.deliver(Sample.id(2), Sample.serverPosition(1), at: Sample.time(4))])
            let next = OutboxID(UUIDv7(high: 9, low: 10))
            try await store.commit([.followHistory(Sample.history(3), next, marks: [:], at: Sample.time(5))])
            let sends = try await store.outbox().entries.filter { $0.kind == .send }
            try requireEqual(sends.map(\.message), [1, 2, 4, 3].map(Sample.id), "the links in their order")
        },
        Rule("a page overrides what a former history did to a message that waits") { factory in
            let store = try await factory.started()
            _ = try await store.enqueue(Sample.draft(1))
            let edit = OperationPayload.edit(Sample.id(1), .text("edited"))
            try await store.commit([
                .deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(1)),
                .enqueue(Sample.operation(9, edit)),
                .followHistory(Sample.history(2), OutboxID(UUIDv7(high: 9, low: 9)), marks: [:], at: Sample.time(2)),
                // The server has both again; the response to the message does not come back.
                .deliver(Sample.id(9), Sample.serverPosition(50), at: Sample.time(3)),
            ])
            try requireEqual(try await store.message(Sample.id(1))?.content, .text("edited"), "the edit")
            try await store.commit([
                .followHistory(Sample.history(3), OutboxID(UUIDv7(high: 9, low: 10)), marks: [:], at: Sample.time(4)),
                .merge(Sample.placed(1, at: 1, .text("as the server has it")), at: Sample.time(5)),
            ])
            try requireEqual(
                try await store.message(Sample.id(1))?.content, .text("as the server has it"), "the server's content")
        },
        Rule("begin with fail gives up what was left, and asks about what had been transmitted") { factory in
            var store = try await leftBehind(factory)
            store = try await factory.reopen(store)
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            let snapshot = try await store.start(Sample.opening(.fail))
            try requireEqual(fold.commits.map(\.isReset), [true], "the feed of begin")
            subscription.cancel()
            try requireEqual(try await states(store), [.error, .error, .error, .error, .synced], "states")
            let messages = try await store.messages((0..<4).map(Sample.id))
            try requireEqual(messages.map(\.isInDoubt), [false, true, true, false], "doubts")
            try requireEqual(
                messages.map(\.failure), [Sample.ended, Sample.ended, Sample.ended, Sample.failure("old")],
                "failures")
            let fences = messages[1...2].map {
                OutboxEntry(
                    kind: .fence, lane: .text, sequence: $0.laneSequence, previous: $0.previousSequence,
                    message: $0.id, attempts: 0, bytes: 0)
            }
            try requireEqual(snapshot.entries, fences, "what still has to be said")
            try requireEqual(snapshot.lastTransmitted, [.text: messages[2].laneSequence], "transmitted")
            try requireEqual(try await store.counts().error, 4, "failed messages")
            // The second time nothing is left to fail, and the fences remain.
            store = try await factory.reopen(store)
            try requireEqual(try await store.start(Sample.opening(.fail)).entries, fences, "the next run")
        },
        Rule("begin with resume keeps the queue in its order") { factory in
            var store = try await leftBehind(factory)
            let before = try await store.messages((0..<3).map(Sample.id))
            store = try await factory.reopen(store)
            let snapshot = try await store.start(Sample.opening(.resume))
            try requireEqual(
                try await states(store), [.created, .created, .created, .error, .synced], "states")
            let after = try await store.messages((0..<3).map(Sample.id))
            try requireEqual(after.map(\.laneSequence), before.map(\.laneSequence), "sequences")
            try requireEqual(after.map(\.previousSequence), before.map(\.previousSequence), "previous ones")
            try requireEqual(after.map(\.attempts), before.map(\.attempts), "attempts")
            try requireEqual(snapshot.entries.map(\.message), after.map(\.id), "the queue")
            try requireEqual(snapshot.entries.map(\.kind), [.send, .send, .send], "kinds")
            try requireEqual(try await store.counts().created, 3, "waiting messages")
        },
        Rule("what pauses a lane is told until it is resent, delivered or deleted, or the session ends") { factory in
            var store = try await factory.started()
            let lanes = [LaneID.text, .media, .text, .text, .text]
            for number in 0..<5 { _ = try await store.enqueue(Sample.draft(number, lane: lanes[number])) }
            let pausing = Sample.failure("no", pausesLane: true)
            try await store.commit([3, 2, 1, 0].map { .fail(Sample.id($0), pausing, inDoubt: false) })
            try await store.commit([.fail(Sample.id(4), Sample.failure(), inDoubt: false)])
            func pauses(_ numbers: Int...) -> [OutboxSnapshot.LanePause] {
                numbers.map { OutboxSnapshot.LanePause(lane: lanes[$0], message: Sample.id($0)) }
            }
            try requireEqual(try await store.outbox().pauses, pauses(0, 1, 2, 3), "pauses in the order of creation")
            for restart in RestartPolicy.allCases {
                store = try await factory.reopen(store)
                let found = try await store.start(Sample.opening(restart)).pauses
                try requireEqual(found, pauses(0, 1, 2, 3), "pauses after a start with \(restart)")
            }
            try await store.commit([
                .resend(Sample.id(0), at: Sample.time(9)),
                .deliver(Sample.id(2), Sample.serverPosition(1), at: Sample.time(9)),
            ])
            try requireEqual(try await store.outbox().pauses, pauses(1, 3), "pauses after a resend and a delivery")
            try await store.commit([.delete(Sample.id(3))])
            try requireEqual(try await store.outbox().pauses, pauses(1), "pauses after a deletion")
            try await store.commit([.endSession(Sample.ended)])
            try requireEqual(try await store.outbox().pauses, [], "pauses after the session")
            let kept = try await store.message(Sample.id(1))?.failure
            try requireEqual(kept, Sample.failure("no"), "the failure without its pause")
        },
        Rule("control entries go with the messages into the outbox, by sequence") { factory in
            let store = try await factory.started()
            let first = try await store.enqueue(Sample.draft(1))
            try await store.commit([.appendDelete(Sample.id(50), lane: .text)])
            let second = try await store.enqueue(Sample.draft(2))
            let entries = try await store.outbox().entries
            try requireEqual(entries.map(\.message), [1, 50, 2].map(Sample.id), "messages")
            try requireEqual(entries.map(\.kind), [.send, .delete, .send], "kinds")
            try require(entries[1].sequence > first.laneSequence, "a sequence that is not at the tail")
            try require(entries[1].sequence < second.laneSequence, "a sequence that is not at the tail")
            try await store.commit([
                .attemptMarker(sequence: entries[1].sequence, previous: 1),
                .rebase(sequence: second.laneSequence, previous: 3),
                .putMarker(
                    ChainMarker(
                        kind: .retract, lane: .text, sequence: first.laneSequence, previous: 0,
                        message: first.id)),
                .rebase(sequence: first.laneSequence, previous: 2), .delete(first.id),
            ])
            let changed = try await store.outbox().entries
            try requireEqual(changed.map(\.kind), [.retract, .delete, .send], "kinds")
            try requireEqual(changed.map(\.previous), [2, 1, 3], "previous ones")
            try await store.commit([.removeMarker(sequence: first.laneSequence)])
            try requireEqual(try await store.outbox().entries.count, 2, "what is left")
        },
    ]

    /// One waiting, one being sent, one waiting again, one failed, one delivered.
    private static func leftBehind(_ factory: StoreFactory) async throws -> any Store {
        let store = try await factory.started()
        var sequences: [Int64] = []
        for number in 0..<5 { sequences.append(try await store.enqueue(Sample.draft(number)).laneSequence) }
        try await store.commit([
            .attempt(Sample.id(1), previous: 0, attempts: 1, at: Sample.time(1)),
            .attempt(Sample.id(2), previous: sequences[1], attempts: 2, at: Sample.time(1)),
            .setLastTransmitted(.text, sequences[2]), .requeue(Sample.id(2), attempts: 2, at: Sample.time(9)),
            .fail(Sample.id(3), Sample.failure("old"), inDoubt: false),
            .deliver(Sample.id(4), Sample.serverPosition(1), at: Sample.time(9)),
        ])
        return store
    }

    private static func states(_ store: any Store) async throws -> [SyncState] {
        try await store.messages((0..<5).map(Sample.id)).map(\.syncState)
    }
}
