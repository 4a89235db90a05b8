package import CausewayHubStorage
internal import GRDB
internal import Synchronization

extension SQLiteHubStorage {
    package func transact<Value: Sendable>(
        loading keys: DeliveryKeys, _ decide: @escaping @Sendable (DeliveryState) -> DeliveryDecision<Value>
    ) async throws(HubStorageError) -> Value {
        let (value, commit, started) = try await write(isInPlace: true) { [self] db in
            faults?.passDelivery()
            guard let present = serving.withLock({ $0 }) else { throw HubStorageError.recovering(path: path) }
            let loaded = try DeliveryLoader(keys, of: present.opening, lastCommit: present.taken, in: db)
            let decision = decide(loaded.state)
            let changes = decision.changes
            guard !changes.isEmpty else {
                return (decision.value, try Self.lastStored(present, db), present.taken)
            }
            // Before anything is stored: the number of a commit that fails is not assigned again.
            serving.withLock { $0?.take(changes.lastCommit) }
            var recorder = DeliveryRecorder(loaded.numbers, in: db, path: path)
            try recorder.store(changes, decidedOn: loaded.state)
            return (decision.value, changes.lastCommit, changes.lastCommit)
        }
        serving.withLock { $0?.confirm(commit, settling: started) }
        return value
    }

    /// The last stored commit, as a transaction sees it: one that was started and not confirmed may be stored or not.
    /// A number that no stored commit has must not be named: without it the data would seem to be lost.
    ///
    /// Looks at all lanes, once after a commit that failed.
    private static func lastStored(_ present: Serving, _ db: Database) throws -> Int64 {
        guard present.taken > max(present.opening.lastCommit, present.settled) else {
            return present.opening.lastCommit
        }
        return try lastLaneCommit(db)
    }
}
