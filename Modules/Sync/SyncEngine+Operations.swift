package import CausewayModels
package import CausewayOutbox
import CausewayRuntime
import CausewayStorage

/// Edits and reactions.
extension SyncEngine {
    /// Applies a change to a message, wherever it is. When this returns, the change is durable and displayed in the
    /// message.
    ///
    /// - Returns: false if nothing had to be changed.
    package func apply(
        _ operation: Outbox.OperationRequest, to id: MessageID
    ) async throws(SyncError) -> Bool {
        try await request { engine in
            guard let user = engine.session?.user else { return .failure(.noSession) }
            do throws(StoreError) {
                let found = try await engine.readKnown { store throws(StoreError) in
                    (message: try await store.message(id), dependants: try await store.dependants(of: id))
                }
                let dependants = found.dependants
                guard let message = found.message else {
                    let isOperation = try await engine.store.operation(id) != nil
                    return .failure(isOperation ? .notAMessage(id) : .messageNotFound(id))
                }
                if let problem = message.problem(with: operation, of: user) { return .failure(problem) }
                let (runtime, ordering) = (engine.runtime, engine.ordering)
                let changes = engine.outbox.changes(for: operation, on: message, with: dependants) {
                    payload in
                    OperationDraft(
                        id: OperationID(runtime.makeUUIDv7()), channel: message.channel, sender: user,
                        payload: payload, createdAt: runtime.wallClock,
                        lane: ordering.lane(for: payload, in: message.channel))
                }
                if changes.mutations.isEmpty { return .success(false) }
                guard dependants.count < Limits.operationsPerMessageMax else {
                    return .failure(.tooManyOperations(id))
                }
                try await engine.apply([changes])
                return .success(true)
            } catch {
                return .failure(.store(error))
            }
        }
    }

    /// Reads the input of a decision together with the outbox's knowledge of it: a message created a moment ago may
    /// still be in the feed. A stream of creations does not delay the decision indefinitely; a message that the outbox
    /// does not know then is found to be removed when it is to be sent.
    func readKnown<Value>(
        _ read: (any Store) async throws(StoreError) -> sending Value
    ) async throws(StoreError) -> sending Value {
        for _ in 0..<SyncLimits.readsMax {
            let value = try await read(store)
            if feed.isEmpty { return value }
            await takeFeed()
        }
        return try await read(store)
    }

    /// Removes those of these failed operations that a later one on the same message overtook. If the store cannot be
    /// read, they are left; they are not resent in any case.
    func endOvertaken(_ failed: [OperationID]) async {
        guard !isClosed else { return }
        do throws(StoreError) {
            var ended: [Outbox.ChangePlan] = []
            for operation in try await store.operations(failed) {
                guard let target = operation.target else { continue }
                let changes = outbox.changes(
                    afterFailureOf: operation, on: try await store.message(target),
                    with: try await store.dependants(of: target))
                if !changes.mutations.isEmpty { ended.append(changes) }
            }
            if !ended.isEmpty { try await apply(ended) }
        } catch {}
    }

    /// Commits the changes, reports them to the outbox, and then completes the waiters.
    func apply(_ all: [Outbox.ChangePlan]) async throws(StoreError) {
        let mutations = all.flatMap(\.mutations)
        try await store.commit(mutations)
        for case .rewrite(let id, let content) in mutations {
            let bytes = try ContentCoding.encode(content).count
            await perform(outbox.handle(.rewritten(id, bytes: bytes), at: clock))
        }
        let vanished = all.flatMap(\.removedUnsent)
        await perform(outbox.handle(.deleted(vanished), at: clock))
        // The outbox never knew parked messages.
        for id in vanished { waiters.complete(id, .deleted) }
        for id in all.flatMap(\.ended) { await completeIfEnded(id) }
    }
}

extension Message {
    /// The reason why the request cannot be applied; `nil` if it can.
    fileprivate func problem(with operation: Outbox.OperationRequest, of user: UserID) -> SyncError? {
        guard case .edit(let content) = operation else { return nil }
        if sender != user { return .notAuthor(id) }
        if type != content.type { return .typeDiffers(id, type, content.type) }
        return nil
    }
}
