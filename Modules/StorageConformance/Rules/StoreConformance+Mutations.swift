import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let mutationRules: [Rule] = [
        Rule("a message keeps the last changes of its state") { factory in
            let store = try await factory.started()
            _ = try await store.enqueue(Sample.draft(1))
            for number in 1...Limits.historyKeptMax {
                try await store.commit([
                    .attempt(Sample.id(1), previous: 0, attempts: number, at: Sample.time(2 * Int64(number))),
                    .requeue(Sample.id(1), attempts: number, at: Sample.time(2 * Int64(number) + 1)),
                ])
            }
            let history = try await store.message(Sample.id(1))?.history
            try requireEqual(history?.count, Limits.historyKeptMax, "the changes that are kept")
            try requireEqual(history?.last?.at, Sample.time(2 * Int64(Limits.historyKeptMax) + 1), "the last one")
        },
        Rule("every mutation does to every state what the port says", isLong: true) { factory in
            for state in Situation.allCases {
                for mutation in matrixMutations { try await examine(mutation, in: state, factory) }
            }
        },
        Rule("several mutations of one message in one commit apply in order") { factory in
            let store = try await factory.started()
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            _ = try await store.enqueue(Sample.draft(1))
            try await store.commit([
                .attempt(Sample.id(1), previous: 0, attempts: 1, at: Sample.time(1)),
                .fail(Sample.id(1), Sample.failure(), inDoubt: true), .settle(Sample.id(1)),
                .resend(Sample.id(1), at: Sample.time(9)),
                .attempt(Sample.id(1), previous: 8, attempts: 1, at: Sample.time(2)),
            ])
            let message = try await store.message(Sample.id(1))
            try requireEqual(message?.syncState, .syncing, "state")
            try requireEqual(message?.previousSequence, 8, "previous")
            try requireEqual(fold.commits.last?.changes.count, 5, "changes")
            try requireEqual(fold.problem, nil, "the feed")
            subscription.cancel()
        },
        Rule("past deletions are listed newest first, page by page") { factory in
            let store = try await factory.started()
            for number in 0..<5 { try await store.commit([.recordDelete(Sample.deletion(number))]) }
            let all = try await store.deleteActions(before: nil, limit: 10)
            try requireEqual(all.map(\.message), (0..<5).reversed().map(Sample.id), "messages")
            try requireEqual(all[1].lastFailure, nil, "the failure of an odd one")
            try requireEqual(all[2].lastFailure, Sample.failure("x2"), "the failure of an even one")
            try require(zip(all, all.dropFirst()).allSatisfy { $0.sequence > $1.sequence }, "not newest first")
            let first = try await store.deleteActions(before: nil, limit: 2)
            let second = try await store.deleteActions(before: first.last?.sequence, limit: 2)
            try requireEqual(first + second, Array(all.prefix(4)), "two pages")
            try requireEqual(try await store.deleteActions(before: all.last?.sequence, limit: 2), [], "beyond")
            try requireEqual(try await store.deleteActions(before: nil, limit: 0).count, 1, "a limit of none")
        },
        Rule("past deletions tell messages, edits and reactions apart, also in the next run") { factory in
            let store = try await factory.started()
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            var expected = (0..<4).map(Sample.deletion)
            try await store.commit(expected.map(Mutation.recordDelete))
            let stored = try await store.deleteActions(before: nil, limit: 9)
            for (number, action) in stored.reversed().enumerated() { expected[number].sequence = action.sequence }
            try requireEqual(stored, expected.reversed(), "the deletions")
            try requireEqual(fold.deletions, expected, "the feed")
            try requireEqual(
                stored.map(\.kind), DeleteAction.Kind.allCases.reversed(), "the kinds of what was deleted")
            subscription.cancel()
            let next = try await factory.restarted(store, .resume)
            try requireEqual(try await next.deleteActions(before: nil, limit: 9), stored, "in the next run")
        },
    ]

    /// The states in which a mutation can find a message.
    private enum Situation: CaseIterable {
        case absent, created, transmitted, requeued, failed, pausing, inDoubt, resent, synced, foreign

        var history: [Mutation] {
            let id = Sample.id(1)
            let attempt = Mutation.attempt(id, previous: 4, attempts: 1, at: Sample.time(1))
            switch self {
            case .absent: return [.delete(id)]
            case .created: return []
            case .transmitted: return [attempt]
            case .requeued: return [attempt, .requeue(id, attempts: 1, at: Sample.time(9))]
            case .failed: return [attempt, .fail(id, Sample.failure("f"), inDoubt: false)]
            case .pausing: return [attempt, .fail(id, Sample.failure("p", pausesLane: true), inDoubt: false)]
            case .inDoubt: return [attempt, .fail(id, Sample.failure("d"), inDoubt: true)]
            case .resent:
                return [attempt, .fail(id, Sample.failure("r"), inDoubt: false), .resend(id, at: Sample.time(9))]
            case .synced: return [attempt, .deliver(id, Sample.serverPosition(3), at: Sample.time(9))]
            case .foreign: return [.delete(id), .merge(Sample.placed(1, at: 3), at: Sample.time(9))]
            }
        }
    }

    private static var matrixMutations: [Mutation] {
        let id = Sample.id(1)
        return [
            .attempt(id, previous: 9, attempts: 2, at: Sample.time(9)), .requeue(id, attempts: 3, at: Sample.time(9)),
            .deliver(id, Sample.serverPosition(7), at: Sample.time(9)),
            .fail(id, Sample.failure("late"), inDoubt: true),
            .fail(id, Sample.failure("late"), inDoubt: false),
            .fail(id, Sample.failure("late", pausesLane: true), inDoubt: false), .settle(id),
            .resend(id, at: Sample.time(9)), .delete(id),
            .park(id, Sample.failure("alone")), .rewrite(id, .text("said again")),
            .merge(Sample.placed(1, at: 8), at: Sample.time(9)), .appendDelete(id, lane: .media),
            .rebase(sequence: 2, previous: 1),
            .attemptMarker(sequence: 2, previous: 1), .removeMarker(sequence: 2),
            .putMarker(ChainMarker(kind: .retract, lane: .text, sequence: 2, previous: nil, message: id)),
            .endSession(Sample.ended), .forkOutbox(OutboxID(UUIDv7(high: 5, low: 5)), at: Sample.time(9)),
            .keepHistory(Sample.history(1)), .setEventCursor(Sample.cursor(1)),
            .followHistory(
                Sample.history(2), OutboxID(UUIDv7(high: 6, low: 6)), marks: [.text: 1], at: Sample.time(9)),
            .saveSession(Sample.session(1)), .prune([id], of: Sample.account),
        ]
    }

    private static func examine(
        _ mutation: Mutation, in situation: Situation, _ factory: StoreFactory
    ) async throws {
        let store = try await factory.started()
        let fold = FeedFold()
        let subscription = store.subscribe(fold.receive)
        var model = ReferenceModel()
        model.epoch = 1
        model.openings = [Sample.opening().opening]
        for number in 0..<3 { try model.enqueue(try await store.enqueue(Sample.draft(number))) }
        var steps = situation.history
        // Only an account with a name has messages of a server.
        if case .prune = mutation { steps.append(.saveSession(Sample.session(1))) }
        for step in steps + [mutation] {
            try await store.commit([step])
            model.commit([step])
            try await model.adopt(from: store)
            if fold.isStale { fold.reset(model, controls: model.controls) }
        }
        do {
            try await model.check(store, ids: (0..<3).map(Sample.id), pageLimit: 2)
            try fold.check(model)
        } catch let failure as ConformanceFailure {
            throw ConformanceFailure(
                detail: "\(mutation) on \(situation): \(failure.detail)", file: failure.file, line: failure.line)
        }
        subscription.cancel()
        await store.close()
    }
}
