package import CausewayModels
package import CausewayOutbox
import CausewayRuntime
package import CausewayStorage
package import CausewayTransport

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
    private func completeAllAsStored() async {
        for message in waiters.messages { await completeIfEnded(message) }
    }

    /// The store could not be read: the waiters are completed when it can be.
    private func completeLater(_ id: MessageID) {
        runtime.spawn { [runtime, weak self] in
            await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
            await self?.submit(.work { engine in await engine.completeIfEnded(id) })
        }
    }

    // MARK: - Session

    /// Starts a session, or renews the token of the current one.
    package func login(_ session: Session, _ transport: any Transport) async throws(SyncError) -> Session {
        try await request { engine in await engine.loginInTurn(session, transport) }
    }

    private func loginInTurn(
        _ new: Session, _ newTransport: any Transport
    ) async -> Result<Session, SyncError> {
        do throws(StoreError) {
            if let session {
                guard session.isSameAccount(as: new) else {
                    return .failure(.sessionExists(user: session.user, server: session.server))
                }
                await endCalls()
                await transport?.close()
                transport = newTransport
                followEvents(from: follower.cursor)
                await perform(outbox.handle(.actionResolved, at: clock))
                forgetMissedPages()
                tell(.reachable)
                return .success(session)
            }
            // Messages that were created while no user was logged in must not be sent.
            let stray = Failure(reason: .sessionEnded, code: "loggedOut", detail: "", at: clock.wall)
            try await store.commit([.endSession(stray)])
            await completeAllAsStored()  // before the next step, which may fail
            let isOther = try await store.session().map { !$0.isSameAccount(as: new) } ?? false
            // The store switches to the account of the session, with the data of its earlier sessions. Messages created
            // meanwhile by the former account remain with that one.
            try await store.commit([.endSession(stray), .saveSession(new)])
            // Waits for messages of the former account end: they do not last until that account returns.
            if isOther { waiters.failAll() }
            let eventCursor = await reloadOutbox()
            session = new
            transport = newTransport
            followEvents(from: eventCursor)
            forgetMissedPages()
            tell(.sessionChanged)
            await completeAllAsStored()  // waiters of messages that were created between the two commits
            await perform(outbox.handle(.sessionBegan, at: clock))
            return .success(new)
        } catch {
            return .failure(.store(error))
        }
    }

    /// Ends the session: nothing of it is sent afterwards, and undelivered messages become `error`.
    ///
    /// - Parameter isErasing: true to remove everything that is stored of the account, in the same commit.
    /// - Returns: the number of messages and operations that failed so, plus the number of fences and deletions that
    ///   the server has not received; those resume when the account logs in again.
    package func logout(isErasing: Bool) async throws(SyncError) -> Int {
        try await request { engine in await engine.logoutInTurn(isErasing: isErasing) }
    }

    private func logoutInTurn(isErasing: Bool) async -> Result<Int, SyncError> {
        guard var ended = session else { return .failure(.noSession) }
        await endCalls()
        let now = clock
        let failure = Failure(
            reason: .sessionEnded, code: "loggedOut", detail: "\(ended.user) logged out", at: now.wall)
        ended.endedAt = now.wall
        do throws(StoreError) {
            let pending = try await pendingCount()
            let erasure = isErasing ? [Mutation.eraseAccount(OutboxID(runtime.makeUUIDv7()))] : []
            try await store.commit([.endSession(failure)] + erasure + [.saveSession(ended)])
            stopFollowing()
            await transport?.close()
            session = nil
            transport = nil
            serverName = nil
            tell(.sessionChanged)
            await reloadOutbox()
            await completeAllAsStored()
            return .success(pending)
        } catch {
            return .failure(.store(error))
        }
    }

    /// The number of messages and operations of which the server has not confirmed some part: queued ones, those that
    /// wait for another message, and those with a fence or a deletion, each counted once. A certain failure does not
    /// count.
    private func pendingCount() async throws(StoreError) -> Int {
        let counts = try await store.counts()
        let entries = try await store.outbox().entries
        let queued = entries.count { $0.kind == .send }
        let parked = counts.undelivered - counts.error - queued
        // A message that waits for another one may have fences as well.
        let asked = Set(entries.filter { $0.kind != .send }.map(\.message))
        let both = try await store.items(Array(asked)).count(where: \.isParked)
        return Set(entries.map(\.message)).count + parked - both
    }

    /// The store contains another outbox than the machine now: nothing continues until it has been read, however long
    /// that takes.
    ///
    /// - Returns: the stored cursor of the server's events.
    @discardableResult
    private func reloadOutbox() async -> EventCursor? {
        var eventCursor: EventCursor?
        let wasPaused = outbox.isPaused
        while !isClosed {
            feed.clear()  // the snapshot holds what the feed brought until now
            do throws(StoreError) {
                let snapshot = try await store.outbox()
                outbox = Outbox(
                    snapshot, configuration: configuration, seed: runtime.random(), firstBatch: outbox.nextBatch,
                    firstUpload: outbox.uploads.nextNumber)
                history = snapshot.history
                keptHistory = snapshot.history
                eventCursor = snapshot.eventCursor
                storeProblem = nil
                break
            } catch {
                storeProblem = error
                if error == .closed { return nil }
            }
            await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
        }
        // A pause by an operator applies to every account.
        if wasPaused { await perform(outbox.handle(.paused, at: clock)) }
        return eventCursor
    }

    // MARK: - Operators

    package func setPaused(_ isPaused: Bool) async throws(SyncError) {
        try await request { engine -> Result<Void, SyncError> in
            await engine.perform(engine.outbox.handle(isPaused ? .paused : .resumed, at: engine.clock))
            return .success(())
        }
    }

    /// Probes the server now instead of at the next planned time.
    package func probeNow() { submit(.event(.probeRequested)) }

    /// The status of the engine. Does not wait for queued work.
    package func status() async throws(SyncError) -> SyncStatus {
        await catchUp()
        let counts: StoreCounts
        do throws(StoreError) { counts = try await store.counts() } catch { throw .store(error) }
        let now = clock
        return SyncStatus(
            session: session, connectivity: outbox.connectivity(at: now), actionRequired: outbox.actionRequired,
            isPaused: outbox.isPaused, waitReason: outbox.waitReasonOfAll(at: now),
            storeProblem: storeProblem?.description, counts: counts,
            lanes: outbox.lanesInWords(at: now).map {
                SyncStatus.Lane(lane: $0.lane, depth: $0.depth, head: $0.head, headWait: $0.wait)
            },
            deliveredCount: deliveredCount, server: serverText, epoch: outbox.epoch,
            notices: notices, events: eventsStatus(at: now))
    }

    /// The server's description of itself, and how requests travel now: a client that follows events does not probe, so
    /// a probe could not say.
    private var serverText: String? {
        guard let serverName, let way = transport?.way else { return serverName }
        return "\(serverName) over \(way)"
    }

    /// The reasons why these messages or operations are not on the server yet; those that do not wait are left out.
    /// Does not wait for queued work.
    ///
    /// - Parameter items: as they were just read.
    package func waitReasons(for items: [some Deliverable]) async -> [OperationID: WaitReason] {
        await catchUp()
        let failed = await failedRoots(of: items)
        let now = clock
        var reasons: [OperationID: WaitReason] = [:]
        for item in items where item.isPending {
            if let storeProblem {
                reasons[item.id] = .storeUnavailable(detail: storeProblem.description)
            } else if item.isParked, let related = item.related {
                reasons[item.id] = failed[related].map { .blocked(by: $0) } ?? .parked(related)
            } else {
                reasons[item.id] = outbox.waitReason(for: item.id, at: now) ?? reasonMeanwhile(item, now)
            }
        }
        return reasons
    }

    /// The failed message for which each related message of these waits, directly or behind others that wait: it does
    /// not resume by itself.
    private func failedRoots(of items: [some Deliverable]) async -> [MessageID: MessageID] {
        let related = Set(items.compactMap { $0.isParked ? $0.related : nil })
        var following: [MessageID: MessageID] = [:]
        var failed: Set<MessageID> = []
        var unread = related
        for _ in 0..<SyncLimits.waitChainMax where !unread.isEmpty {
            do throws(StoreError) {
                for message in try await store.messages(Array(unread)) {
                    if message.syncState == .error { failed.insert(message.id) }
                    if message.isParked { following[message.id] = message.related }
                }
            } catch {
                return [:]  // the store's own trouble is reported elsewhere
            }
            unread = Set(unread.compactMap { following[$0] }).subtracting(following.keys).subtracting(failed)
        }
        var roots: [MessageID: MessageID] = [:]
        for message in related {
            var last = message
            for _ in 0..<SyncLimits.waitChainMax {
                guard !failed.contains(last), let next = following[last] else { break }
                last = next
            }
            if failed.contains(last) { roots[message] = last }
        }
        return roots
    }

    /// The reason while the engine is busy: it has not processed a new message yet, or is committing the verdict of an
    /// old one.
    private func reasonMeanwhile(_ item: some Deliverable, _ now: ClockReading) -> WaitReason {
        if item.syncState == .syncing { return .inFlight(since: item.lastAttemptAt ?? now.wall) }
        return outbox.waitReasonOfAll(at: now) ?? .ready
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
