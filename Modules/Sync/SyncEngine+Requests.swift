package import CausewayModels
package import CausewayOutbox
import CausewayRuntime
package import CausewayStorage
import CausewayTransport

/// User requests. Each request is one piece of work in the inbox; it returns after its commit.
extension SyncEngine {
    /// Runs `work` in its turn.
    func request<Value: Sendable>(
        _ work: @escaping @Sendable (isolated SyncEngine) async -> Result<Value, SyncError>
    ) async throws(SyncError) -> Value {
        guard !isClosed else { throw .closed }
        // A new request would wait behind a commit that waits for room on the disk.
        if let storeProblem { throw .store(storeProblem) }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, SyncError>, Never>) in
            submit(
                .work { engine in
                    let result = engine.isAheadOfStore ? .failure(.closed) : await work(engine)
                    continuation.resume(returning: result)
                })
        }
        return try result.get()
    }

    // MARK: - Messages

    /// Deletes messages wherever they are. Ids without a message are left out of the result. If one of them was written
    /// by another user, in a channel that is not moderated by this one, none is deleted.
    ///
    /// - Parameter moderated: the channels in which the account may delete the messages of others.
    package func delete(
        _ ids: [MessageID], by origin: DeleteAction.Origin, moderating moderated: Set<ChannelID> = []
    ) async throws(SyncError) -> [MessageID] {
        try await request { engine in
            do throws(StoreError) {
                var seen: Set<MessageID> = []
                let wanted = ids.filter { seen.insert($0).inserted }
                let items = try await engine.readKnown { store throws(StoreError) in
                    try await store.items(wanted)
                }
                // A message that is not on the server is one's own, even if its author cannot be read.
                let user = try await engine.currentUser()
                let foreign = items.first { item in
                    item.syncState == .synced && item.sender != user && !moderated.contains(item.channel)
                }
                if let foreign { return .failure(.notAuthor(foreign.id)) }
                guard engine.canDelete(items, moderated) else { return .failure(.notSupported(.delete)) }
                return .success(try await engine.deleteInTurn(items, by: origin, moderating: moderated))
            } catch {
                return .failure(.store(error))
            }
        }
    }

    /// Deletes the next few failed messages, or the next few failed operations of any kind.
    ///
    /// - Returns: their number; none if none are left.
    package func deleteFailedStep(
        in channel: ChannelID?, by origin: DeleteAction.Origin, messagesOnly: Bool
    ) async throws(SyncError) -> OperationCount {
        try await request { engine in
            do throws(StoreError) {
                let failed: [StoredItem]
                if messagesOnly {
                    let query = MessageQuery(scope: .failed(in: channel), limit: SyncLimits.bulkStepMax)
                    failed = try await engine.store.page(query).messages.map(StoredItem.message)
                } else {
                    let query = OperationQuery(scope: .failed(in: channel), limit: SyncLimits.bulkStepMax)
                    failed = try await engine.store.items(
                        try await engine.store.operations(query).operations.map(\.id))
                }
                _ = try await engine.deleteInTurn(failed, by: origin)
                return .success(OperationCount(of: failed))
            } catch {
                return .failure(.store(error))
            }
        }
    }

    /// The user of the current account, logged in or not: deletions that are requested after a logout are delivered
    /// when the account logs in again.
    private func currentUser() async throws(StoreError) -> UserID? {
        if let session { return session.user }
        return try await store.session()?.user
    }

    /// False if one of the messages needs a deletion on a server that has none. A failed message does not: if a copy of
    /// it is found on the server, it remains there.
    private func canDelete(_ items: [StoredItem], _ moderated: Set<ChannelID>) -> Bool {
        guard let operations = transport?.capabilities.operations, !operations.contains(.delete) else {
            return true
        }
        return !items.contains { item in
            (item.sender == session?.user || moderated.contains(item.channel))
                && (item.syncState == .synced || item.syncState == .syncing)
        }
    }

    func deleteInTurn(
        _ items: [StoredItem], by origin: DeleteAction.Origin, moderating moderated: Set<ChannelID> = []
    ) async throws(StoreError) -> [OperationID] {
        guard !items.isEmpty else { return [] }
        let user = try await currentUser()
        let now = clock
        var deletions: [Outbox.ChangePlan] = []
        for item in items {
            let dependants = try await store.dependants(of: item.id)
            // A message from another device has no lane here; its deletion on the server needs one.
            let isDeletedThere = item.sender == user || moderated.contains(item.channel)
            deletions.append(
                outbox.deletion(
                    of: item, with: dependants, by: origin, at: now,
                    lane: isDeletedThere ? ordering.deletionLane(for: item.type, in: item.channel) : nil))
        }
        let uploads = idleUploads(of: items)
        try await apply(deletions)
        cancelSessions(uploads)
        return items.map(\.id)
    }

    /// Returns failed operations to the queue, in the order of their creation.
    ///
    /// Operations that are not `error` are left alone, so a double click has no further effect.
    ///
    /// - Returns: the operations that were queued again.
    package func resend(_ ids: [OperationID]) async throws(SyncError) -> [OperationID] {
        try await request { engine in
            do throws(StoreError) {
                // An operation whose sender cannot be read has failed for good.
                let operations = try await engine.store.operations(ids).filter { $0.failure?.isUnreadable != true }
                if let foreign = operations.first(where: { $0.sender != engine.session?.user }) {
                    return .failure(engine.session == nil ? .noSession : .notAuthor(foreign.id))
                }
                return .success(try await engine.resendInTurn(operations))
            } catch {
                return .failure(.store(error))
            }
        }
    }

    /// Returns the next few failed operations to the queue, starting after `after`.
    ///
    /// - Returns: the number of operations, and the cursor from which to continue; `nil` if none are left.
    package func resendFailedStep(
        in channel: ChannelID?, after: MessageQuery.Cursor?
    ) async throws(SyncError) -> (count: OperationCount, next: MessageQuery.Cursor?) {
        try await request { engine in
            guard let user = engine.session?.user else { return .failure(.noSession) }
            do throws(StoreError) {
                let query = OperationQuery(
                    scope: .failed(in: channel), after: after, limit: SyncLimits.bulkStepMax)
                let page = try await engine.store.operations(query)
                let own = page.operations.filter { $0.sender == user }
                let resent = Set(try await engine.resendInTurn(own))
                return .success((OperationCount(of: own.filter { resent.contains($0.id) }), page.next))
            } catch {
                return .failure(.store(error))
            }
        }
    }

    private func resendInTurn(_ operations: [QueuedOperation]) async throws(StoreError)
        -> [OperationID]
    {
        let now = clock
        var resent: [OperationID] = []
        var all: [Outbox.ChangePlan] = []
        var seen: Set<OperationID> = []
        for operation in operations.sorted(by: { $0.ordinal < $1.ordinal })
        where seen.insert(operation.id).inserted {
            var target: Message?
            var others: [QueuedOperation] = []
            if let id = operation.target, operation.syncState == .error {
                target = try await store.message(id)
                others = try await store.dependants(of: id)
            }
            let changes = outbox.changes(toResend: operation, on: target, with: others, at: now)
            guard !changes.mutations.isEmpty else { continue }
            if changes.removedUnsent.isEmpty { resent.append(operation.id) }
            all.append(changes)
        }
        guard !all.isEmpty else { return resent }
        try await apply(all)
        // A message that now waits for another one has no sequence that the feed would report. Before the feed is read:
        // one that fails again pauses its lane again.
        await perform(outbox.handle(.unpaused(resent), at: clock))
        return resent
    }

    /// Waits until the delivery of a message has ended, successfully or not. Returns at once if it already has.
    ///
    /// - Parameter account: the account of the message; while another one is current its state is unknown.
    /// - Returns: `nil` if the waiting task was cancelled, the engine closed or another account logged in; none of
    ///   these affects the message.
    package func result(of id: MessageID, in account: Account?) async -> DeliveryResult? {
        let result = await result(of: id)
        guard result == .deleted, session?.account != account else { return result }
        // A message that is missing from another account's data may exist in its own.
        while !isClosed, !Task.isCancelled {
            do throws(StoreError) {
                return try await store.session()?.account == account ? result : nil
            } catch {
                if error == .closed { return nil }
            }
            await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
        }
        return nil
    }

    private func result(of id: MessageID) async -> DeliveryResult? {
        guard !isClosed else { return nil }
        let ticket = waiters.ticket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters.add(id, ticket, continuation)
                if Task.isCancelled { waiters.cancel(id, ticket) }
                submit(.work { engine in await engine.completeIfEnded(id) })
            }
        } onCancel: {
            runtime.spawn { await self.cancelWaiter(id, ticket) }
        }
    }

    private func cancelWaiter(_ id: MessageID, _ ticket: Int) { waiters.cancel(id, ticket) }

    /// Completes the waiters of the operation if its delivery has ended according to the store.
    func completeIfEnded(_ id: OperationID) async {
        let item: StoredItem?
        do throws(StoreError) {
            item = try await store.items([id]).first
        } catch {
            if error != .closed { completeLater(id) }
            return
        }
        guard let item else { return waiters.complete(id, .deleted) }
        if let serverPosition = item.message?.serverPosition, item.syncState == .synced {
            waiters.complete(id, .delivered(serverPosition))
        } else if item.syncState == .error, let failure = item.failure,
            // Without a session no verdict will be requested from the server.
            !item.isInDoubt || session == nil
        {
            waiters.complete(id, .failed(failure))
        }
    }

    /// Completes the waiters of all messages whose delivery has ended according to the store. A message created at the
    /// moment of a logout may still be in the queue: its verdict comes with the next login.
    func completeAllAsStored() async {
        for message in waiters.messages { await completeIfEnded(message) }
    }

    /// The store could not be read: the waiters are completed when it can be.
    private func completeLater(_ id: MessageID) {
        runtime.spawn { [runtime, weak self] in
            await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
            await self?.submit(.work { engine in await engine.completeIfEnded(id) })
        }
    }
}

extension Store {
    /// The existing messages and operations with these ids, in the given order.
    func items(_ ids: [OperationID]) async throws(StoreError) -> [StoredItem] {
        let messages = try await messages(ids)
        guard messages.count < ids.count else { return messages.map(StoredItem.message) }
        let operations = try await operations(ids)
        var found = Dictionary(
            operations.filter { !$0.createsMessage }.map { ($0.id, StoredItem.operation($0)) },
            uniquingKeysWith: { first, _ in first })
        for message in messages { found[message.id] = .message(message) }
        return ids.compactMap { found[$0] }
    }
}
