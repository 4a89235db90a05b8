import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let concurrencyRules: [Rule] = [
        Rule("32 tasks at once: nothing lost, each in its order, the feed exact") { factory in
            let store = try await factory.started()
            let fold = FeedFold()
            let subscription = store.subscribe(fold.receive)
            let tasks = 32
            let each = 20
            let enqueued = try await withThrowingTaskGroup(of: [Message].self) { group in
                for task in 0..<tasks {
                    group.addTask { try await work(task, each, on: store) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for messages in enqueued {
                let sequences = messages.map(\.laneSequence)
                try requireEqual(sequences, sequences.sorted(), "one task's sequences")
            }
            let all = enqueued.flatMap { $0 }
            try requireEqual(Set(all.map(\.laneSequence)).count, tasks * each, "different sequences")
            try requireEqual(Set(all.map(\.ordinal)).count, tasks * each, "different ordinals")
            let expected = all.sorted { $0.ordinal < $1.ordinal }
            let query = MessageQuery(scope: .channel(Sample.general), limit: Limits.pageSizeMax)
            let found = try await store.allPages(query)
            try requireEqual(Set(found.map(\.id)), Set(expected.map(\.id)), "messages")
            try requireEqual(fold.problem, nil, "the feed")
            try requireEqual(
                fold.messages, Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0) }),
                "the messages as the feed told them")
            let counts = try await store.counts()
            try requireEqual(counts.undelivered, tasks * (each - each / 4), "undelivered messages")
            subscription.cancel()
        },
        Rule("of 32 tasks that enqueue one id, one succeeds") { factory in
            let store = try await factory.started()
            let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for task in 0..<32 {
                    group.addTask {
                        do {
                            _ = try await store.enqueue(Sample.draft(1, .text("of task \(task)")))
                            return true
                        } catch StoreError.duplicate {
                            return false
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try requireEqual(accepted, 1, "accepted messages")
            try requireEqual(try await store.counts().created, 1, "waiting messages")
        },
    ]

    /// Enqueues messages, delivers every fourth, and reads back each write.
    private static func work(_ task: Int, _ count: Int, on store: any Store) async throws -> [Message] {
        var messages: [Message] = []
        for step in 0..<count {
            let message = try await store.enqueue(Sample.draft(task * 1000 + step))
            messages.append(message)
            try requireEqual(try await store.message(message.id), message, "what was just written")
            guard step % 4 == 3 else { continue }
            try await store.commit([.deliver(message.id, Sample.serverPosition(message.ordinal), at: Sample.time(9))])
            try requireEqual(try await store.message(message.id)?.syncState, .synced, "what was just delivered")
        }
        return messages
    }
}
