import CausewayModels
import CausewayStorage
import Synchronization

extension StoreConformance {
    static let feedRules: [Rule] = [
        Rule("every subscriber sees every commit before the call returns") { factory in
            let store = try await factory.started()
            let folds = (0..<3).map { _ in FeedFold() }
            let subscriptions = folds.map { store.subscribe($0.receive) }
            let message = try await store.enqueue(Sample.draft(1))
            let bytes = try ContentCoding.encode(message.content).count
            for fold in folds {
                try requireEqual(
                    fold.commits.map(\.changes), [[.message(before: nil, after: message, bytes: bytes)]], "changes")
            }
            try await store.commit([])
            try await store.commit([.delete(Sample.id(99))])
            for fold in folds {
                try requireEqual(fold.commits.map(\.changes.count), [1, 0, 0], "changes of each commit")
                try requireEqual(fold.problem, nil, "the feed")
            }
            for subscription in subscriptions { subscription.cancel() }
        },
        Rule("a mutation that changes nothing is no change") { factory in
            let store = try await factory.started()
            _ = try await store.enqueue(Sample.draft(1))
            let entry = ChainMarker(
                kind: .fence, lane: .text, sequence: 1, previous: 0, message: Sample.id(1))
            try await store.commit([
                .deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(9)), .putMarker(entry),
            ])
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            try await store.commit([
                .deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(9)), .settle(Sample.id(1)),
                .putMarker(entry),
                .attempt(Sample.id(1), previous: 1, attempts: 1, at: Sample.time(1)), .removeMarker(sequence: 9),
            ])
            try requireEqual(fold.commits.map(\.changes), [[]], "changes")
            subscription.cancel()
        },
        Rule("the feed names every link that a commit leaves at the tail of a lane, and no other") { factory in
            let store = try await factory.started()
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            _ = try await store.enqueue(Sample.draft(1))
            try await store.enqueue(Sample.operation(2, .addReaction(Sample.id(1), name: "+1")))
            try await store.commit([
                .attempt(Sample.id(1), previous: 0, attempts: 1, at: Sample.time(1)),
                .putMarker(
                    ChainMarker(kind: .fence, lane: .text, sequence: 99, previous: nil, message: Sample.id(3))),
                .setLastTransmitted(.text, 1),
            ])
            try await store.commit([.deliver(Sample.id(1), Sample.serverPosition(1), at: Sample.time(2))])
            try await store.commit([
                .resend(Sample.id(2), at: Sample.time(3)), .appendDelete(Sample.id(1), lane: .text),
                .enqueue(OperationDraft(Sample.draft(4))), .delete(Sample.id(4)),
            ])
            let appended = fold.commits.map(\.appended)
            try requireEqual(
                appended.map { $0.map { "\($0.kind) \($0.message) \($0.lane) \($0.isOperation)" } },
                [
                    ["send \(Sample.id(1)) \(LaneID.text) false"], [], [],
                    ["send \(Sample.id(2)) \(LaneID.operations) true"],
                    [
                        "send \(Sample.id(2)) \(LaneID.operations) true", "delete \(Sample.id(1)) \(LaneID.text) false",
                    ],
                ], "appended links")
            try requireEqual(appended.joined().map(\.attempts).max(), 0, "attempts")
            let sequences = appended.joined().map(\.sequence)
            try require(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 }, "\(sequences) do not ascend")
            try requireEqual(
                try await store.outbox().entries.filter { $0.kind != .fence }, appended[4], "the outbox")
            try requireEqual(appended[3][0].queuedAt, Sample.time(2), "the time from which it waits in its lane")
            subscription.cancel()
        },
        Rule("what was merely read again is no change") { factory in
            let store = try await factory.started()
            var edited = Sample.placed(1, at: 1)
            edited.body.editedAt = Sample.time(5)
            edited.body.changedAt = Sample.time(5)
            var liked = Sample.placed(2, at: 2)
            liked.body.changedAt = Sample.time(6)
            liked.body.reactions = ["wave": 2]
            liked.body.myReactions = ["wave"]
            let page = [edited, liked, Sample.placed(3, at: 3)].map { Mutation.merge($0, at: Sample.time(9)) }
            try await store.commit(page)
            try await store.enqueue(Sample.operation(4, .addReaction(Sample.id(3), name: "+1")))
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            try await store.commit(page)
            try await store.commit(page)
            try requireEqual(fold.commits.map(\.changes), [[], []], "changes")
            subscription.cancel()
        },
        Rule("no call begins after cancel, and none after release") { factory in
            let store = try await factory.started()
            let cancelled = FeedFold()
            let released = FeedFold()
            let kept = FeedFold()
            let subscription = store.subscribe(cancelled.receive)
            var passing: StoreSubscription? = store.subscribe(released.receive)
            let other = store.subscribe(kept.receive)
            _ = try await store.enqueue(Sample.draft(1))
            subscription.cancel()
            subscription.cancel()
            withExtendedLifetime(passing) {}
            passing = nil
            _ = try await store.enqueue(Sample.draft(2))
            try requireEqual(cancelled.callCount, 1, "calls of the cancelled one")
            try requireEqual(released.callCount, 1, "calls of the released one")
            try requireEqual(kept.callCount, 2, "calls of the other one")
            other.cancel()
        },
        Rule("a subscriber may cancel from within its call") { factory in
            let store = try await factory.started()
            let owner = SelfCancelling()
            owner.subscribe(to: store)
            _ = try await store.enqueue(Sample.draft(1))
            _ = try await store.enqueue(Sample.draft(2))
            try requireEqual(owner.callCount, 1, "calls")
        },
        Rule("what concerns the whole outbox is told as a reset") { factory in
            let store = try await factory.started()
            _ = try await store.enqueue(Sample.draft(1))
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            try await store.commit([.endSession(Sample.ended), .saveSession(Sample.session(2))])
            try await store.commit([.saveSession(Sample.session(3, of: Sample.other))])
            try await store.commit([.saveSession(Sample.session(1, of: Sample.other))])
            try requireEqual(fold.commits.map(\.isReset), [true, true, false], "resets")
            try requireEqual(fold.commits.last?.changes, [.session(Sample.session(1, of: Sample.other))], "the login")
            subscription.cancel()
        },
    ]

    /// Holds its own subscription, and cancels it in its first call.
    private final class SelfCancelling: Sendable {
        private struct State {
            var subscription: StoreSubscription?
            var callCount = 0
        }

        private let state = Mutex(State())

        var callCount: Int { state.withLock { $0.callCount } }

        func subscribe(to store: any Store) {
            let subscription = store.subscribe { [weak self] _ in self?.receive() }
            state.withLock { $0.subscription = subscription }
        }

        private func receive() {
            let subscription = state.withLock { state in
                state.callCount += 1
                return state.subscription.take()
            }
            subscription?.cancel()
        }
    }
}
