import CausewayModels
import CausewayStorage

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
        }
    ]

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
                fold.reset(messages: model.messages, controls: model.controls)
                subscription = store.subscribe(fold.receive)
            }
            try await model.checkOutbox(store)
            if fold.isStale { fold.reset(messages: model.messages, controls: model.controls) }
            try fold.check(model)
        }
        try await model.check(store, ids: HistoryGenerator.ids, pageLimit: generator.pageLimit())
        subscription.cancel()
        await store.close()
    }

    private static func enqueue(
        _ draft: MessageDraft, on store: any Store, _ model: inout ReferenceModel
    ) async throws {
        if model.messages[draft.id] == nil {
            try model.enqueue(try await store.enqueue(draft))
        } else {
            try await requireError(.duplicate(draft.id), "a doubled id") { try await store.enqueue(draft) }
        }
    }
}
