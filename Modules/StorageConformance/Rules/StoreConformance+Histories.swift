import CausewayModels
package import CausewayStorage

extension StoreConformance {
    /// The number of steps of each history.
    private static let steps = 60

    static let historyRules: [Rule] = [
        Rule("drawn histories: the store, its feed and the model agree", isLong: true) { factory in
            for seed in 0..<UInt64(factory.histories) {
                do {
                    try await live(seed, factory)
                } catch let failure as ConformanceFailure {
                    throw ConformanceFailure(
                        detail: "history \(seed): \(failure.detail)", file: failure.file, line: failure.line)
                }
            }
        },
        Rule("what changes the whole outbox reaches every message, however many there are") { factory in
            let ids = (0..<wholeCount).map(Sample.id)
            let time = Sample.time(3)
            let attempts = ids.enumerated().filter { $0.offset.isMultiple(of: 3) }.map { _, id in
                Mutation.attempt(id, previous: 1, attempts: 1, at: time)
            }
            let deliveries = ids.enumerated().filter { $0.offset.isMultiple(of: 2) }.map { position, id in
                Mutation.deliver(id, Sample.serverPosition(Int64(position + 1)), at: time)
            }
            let create = (0..<wholeCount).map { Mutation.enqueue(OperationDraft(Sample.draft($0))) }
            let fork = Mutation.forkOutbox(Sample.otherOutboxID, at: time)
            try await live(create + attempts, .resume, [fork], ids, factory)
            try await live(create + attempts, .fail, [fork], ids, factory)
            try await live(create + attempts, .resume, [.endSession(Sample.ended)], ids, factory)
            let follow = Mutation.followHistory(Sample.history(1), Sample.otherOutboxID, marks: [.text: 9], at: time)
            try await live(create + deliveries, .resume, [follow], ids, factory)
        },
    ]

    /// More than any store reads at once.
    private static let wholeCount = 300

    /// Commits the first mutations, restarts, and commits the last ones.
    private static func live(
        _ first: [Mutation], _ restart: RestartPolicy, _ last: [Mutation], _ ids: [MessageID], _ factory: StoreFactory
    ) async throws {
        var store = try await factory.started()
        var model = ReferenceModel()
        model.start(Sample.opening())
        try await store.commit(first)
        model.commit(first)
        try await model.adopt(from: store)
        store = try await factory.restarted(store, restart)
        model.start(Sample.opening(restart))
        try await model.adopt(from: store)
        try await model.check(store, ids: ids, pageLimit: 100)
        try await store.commit(last)
        model.commit(last)
        try await model.adopt(from: store)
        try await model.check(store, ids: ids, pageLimit: 100)
        await store.close()
    }

    /// Performs a drawn history on a new store, restarts included, for tests that compare what remains.
    ///
    /// - Returns: the store, open.
    package static func perform(
        history seed: UInt64, steps: Int, _ factory: StoreFactory
    ) async throws -> any Store {
        var generator = HistoryGenerator(seed: seed)
        var records = RecordGenerator(seed: seed)
        var model = ReferenceModel()
        var store = try await factory.started()
        model.start(Sample.opening())
        for step in 0..<steps {
            switch generator.next(model) {
            case .enqueue(let draft): try await enqueue(draft, on: store, &model)
            case .commit(let mutations):
                try await store.commit(mutations)
                model.commit(mutations)
                try await model.adopt(from: store)
            case .restart(let policy):
                store = try await factory.restarted(store, policy)
                model.start(Sample.opening(policy))
                try await model.adopt(from: store)
            }
            guard step.isMultiple(of: 7) else { continue }
            // Beside the model, which has neither.
            try await store.commit([records.mutation(), .setEventCursor(EventCursor(rawValue: "cursor-\(step)"))])
        }
        return store
    }

    private static func live(_ seed: UInt64, _ factory: StoreFactory) async throws {
        var generator = HistoryGenerator(seed: seed)
        var model = ReferenceModel()
        var store = try await factory.make(OutboxBounds())
        _ = try await store.start(Sample.opening())
        model.start(Sample.opening())
        var fold = FeedFold()
        var subscription = store.subscribe(fold.receive)
        for _ in 0..<steps {
            switch generator.next(model) {
            case .enqueue(let draft):
                try await enqueue(draft, on: store, &model)
            case .commit(let mutations):
                try await store.commit(mutations)
                model.commit(mutations)
                try await model.adopt(from: store)
            case .restart(let policy):
                subscription.cancel()
                store = try await factory.restarted(store, policy)
                model.start(Sample.opening(policy))
                try await model.adopt(from: store)
                fold = FeedFold()
                fold.reset(model, controls: model.controls)
                subscription = store.subscribe(fold.receive)
            }
            try await model.checkOutbox(store)
            if fold.isStale { fold.reset(model, controls: model.controls) }
            try fold.check(model)
        }
        try await model.check(store, ids: HistoryGenerator.ids, pageLimit: generator.pageLimit())
        subscription.cancel()
        await store.close()
    }

    private static func enqueue(
        _ draft: MessageDraft, on store: any Store, _ model: inout ReferenceModel
    ) async throws {
        if model.items[draft.id] == nil {
            try model.enqueue(try await store.enqueue(draft))
        } else {
            try await requireError(.duplicate(draft.id), "a doubled id") { try await store.enqueue(draft) }
        }
    }
}
