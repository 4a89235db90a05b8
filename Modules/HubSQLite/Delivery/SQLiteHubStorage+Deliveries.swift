package import CausewayHubStorage
internal import Synchronization

extension SQLiteHubStorage {
    package func transact<Value: Sendable>(
        loading keys: DeliveryKeys, _ decide: @escaping @Sendable (DeliveryState) -> DeliveryDecision<Value>
    ) async throws(HubStorageError) -> Value {
        let (value, commit) = try await write(isInPlace: true) { [self] db in
            faults?.passDelivery()
            guard let present = serving.withLock({ $0 }) else { throw HubStorageError.recovering(path: path) }
            let loaded = try DeliveryLoader(keys, of: present.opening, lastCommit: present.taken, in: db)
            let decision = decide(loaded.state)
            let changes = decision.changes
            guard !changes.isEmpty else { return (decision.value, present.taken) }
            // Before anything is stored: the number of a commit that fails is not assigned again.
            serving.withLock { $0?.take(changes.lastCommit) }
            var recorder = DeliveryRecorder(loaded.numbers, in: db, path: path)
            try recorder.store(changes, decidedOn: loaded.state)
            return (decision.value, changes.lastCommit)
        }
        serving.withLock { $0?.confirm(commit) }
        return value
    }
}
