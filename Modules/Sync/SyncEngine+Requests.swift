package import CausewayModels
package import CausewayOutbox
import CausewayRuntime
package import CausewayStorage
package import CausewayTransport

/// What people ask for. Each request is one piece of work in the inbox; its answer is given after its commit.
extension SyncEngine {
    /// Runs `work` in its turn.
    func request<Answer: Sendable>(
        _ work: @escaping @Sendable (isolated SyncEngine) async -> Result<Answer, SyncError>
    ) async throws(SyncError) -> Answer {
        guard !isClosed else { throw .closed }
        // What is asked for now would wait behind a commit that waits for room on the disk.
        if let storeProblem { throw .store(storeProblem) }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Answer, SyncError>, Never>) in
            submit(
                .work { engine in
                    let answer = engine.isAheadOfStore ? .failure(.closed) : await work(engine)
                    continuation.resume(returning: answer)
                })
        }
        return try result.get()
    }

    // MARK: - Messages

    /// Deletes messages wherever they are. Those that are not there are left out of the answer.
    package func delete(
        _ ids: [MessageID], by origin: DeleteAction.Origin
    ) async throws(SyncError) -> [MessageID] {
        try await request { engine in
            do throws(StoreError) {
                var seen: Set<MessageID> = []
                let wanted = ids.filter { seen.insert($0).inserted }
                let messages = try await engine.readKnown { store throws(StoreError) in try await store.messages(wanted)
                }
                return .success(try await engine.deleteInTurn(messages, by: origin))
            } catch {
                return .failure(.store(error))
            }
        }
    }

    /// Deletes the next few failed messages.
    ///
    /// - Returns: how many; 0 when there are none left.
    package func deleteFailedStep(
        in channel: ChannelID?, by origin: DeleteAction.Origin
    ) async throws(SyncError) -> Int {
        try await request { engine in
            do throws(StoreError) {
                let query = MessageQuery(scope: .failed(in: channel), limit: SyncLimits.bulkStepMax)
                let failed = try await engine.store.page(query).messages
                return .success(try await engine.deleteInTurn(failed, by: origin).count)
            } catch {
                return .failure(.store(error))
            }
        }
    }

    private func deleteInTurn(
        _ messages: [Message], by origin: DeleteAction.Origin
    ) async throws(StoreError) -> [MessageID] {
        guard !messages.isEmpty else { return [] }
        let now = moment
        var deletions: [Outbox.Changes] = []
        for message in messages {
            let dependants = try await store.dependants(of: message.id)
            // One's own message from another device has no lane here; its deletion needs one.
            let isOwn = message.sender == session?.user
            deletions.append(
                outbox.deletion(
                    of: message, with: dependants, by: origin, at: now,
                    lane: isOwn ? ordering.lane(for: message.type, in: message.channel) : nil))
        }
        try await carryOut(deletions)
        return messages.map(\.id)
    }

    /// Puts failed messages back into the queue, in the order of their creation, and says which.
    ///
    /// Messages that are not `error` are left alone: a double click does nothing twice.
    package func resend(_ ids: [MessageID]) async throws(SyncError) -> [MessageID] {
        try await request { engine in
            do throws(StoreError) {
                let messages = try await engine.store.messages(ids)
                if let foreign = messages.first(where: { $0.sender != engine.session?.user }) {
                    return .failure(engine.session == nil ? .noSession : .notYours(foreign.id))
                }
                return .success(try await engine.resendInTurn(messages))
            } catch {
                return .failure(.store(error))
            }
        }
    }

    /// Puts the next few failed messages back into the queue, beginning behind `after`.
    ///
    /// - Returns: how many, and where to go on; `nil` when there are none left.
    package func resendFailedStep(
        in channel: ChannelID?, after: MessageQuery.Cursor?
    ) async throws(SyncError) -> (count: Int, next: MessageQuery.Cursor?) {
        try await request { engine in
            guard let user = engine.session?.user else { return .failure(.noSession) }
            do throws(StoreError) {
                let query = MessageQuery(scope: .failed(in: channel), after: after, limit: SyncLimits.bulkStepMax)
                let page = try await engine.store.page(query)
                let own = page.messages.filter { $0.sender == user }
                let resent = try await engine.resendInTurn(own)
                return .success((resent.count, page.next))
            } catch {
                return .failure(.store(error))
            }
        }
    }

    private func resendInTurn(_ messages: [Message]) async throws(StoreError) -> [MessageID] {
        let now = moment
        var resent: [MessageID] = []
        var all: [Outbox.Changes] = []
        var seen: Set<MessageID> = []
        for message in messages.sorted(by: { $0.ordinal < $1.ordinal }) where seen.insert(message.id).inserted {
            var target: Message?
            var operations: [Message] = []
            if let id = message.role.target, message.syncState == .error {
                target = try await store.message(id)
                operations = try await store.dependants(of: id)
            }
            let changes = outbox.changes(toResend: message, on: target, with: operations, at: now)
            guard !changes.mutations.isEmpty else { continue }
            if changes.vanished.isEmpty { resent.append(message.id) }
            all.append(changes)
        }
        guard !all.isEmpty else { return resent }
        try await carryOut(all)
        // One that waits for another message now has no place that the feed would tell of.
        submit(.event(.unpaused(resent)))
        return resent
    }

    /// Waits until the delivery of a message has ended, one way or the other. Returns at once when it has already.
    ///
    /// - Parameter account: whose message it is; while another one is current nothing can be said of it.
    /// - Returns: `nil` when the waiting task was cancelled, the engine closed or another account logged in; the
    ///   message is not touched by that.
    package func result(of id: MessageID, in account: Account?) async -> DeliveryResult? {
        let result = await result(of: id)
        guard result == .deleted, session?.account != account else { return result }
        // Gone from the lists of another account, it may be there.
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

    /// Tells who waits for the message, when the store says that its delivery has ended.
    func completeIfEnded(_ id: MessageID) async {
        let message: Message?
        do throws(StoreError) {
            message = try await store.message(id)
        } catch {
            if error != .closed { completeLater(id) }
            return
        }
        guard let message else { return waiters.complete(id, .deleted) }
        if let placement = message.placement, message.syncState == .synced {
            waiters.complete(id, .delivered(placement))
        } else if message.syncState == .error, let failure = message.failure,
            // With nobody logged in, nobody will ask the server for its verdict.
            !message.isInDoubt || session == nil
        {
            waiters.complete(id, .failed(failure))
        }
    }

    /// Tells everybody whose message has ended, as the store says it has. What was created in the very moment of a
    /// logout may be in the queue still: its verdict comes with the next login.
    private func completeAllAsStored() async {
        for message in waiters.messages { await completeIfEnded(message) }
    }

    /// The store could not be read: whoever waits is told when it can be.
    private func completeLater(_ id: MessageID) {
        runtime.spawn { [runtime, weak self] in
            await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
            await self?.submit(.work { engine in await engine.completeIfEnded(id) })
        }
    }

    // MARK: - Session

    /// Begins a session, or renews the token of the one that is there.
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
                await perform(outbox.handle(.attentionResolved, at: moment))
                forgetMissedPages()
                tell(.reachable)
                return .success(session)
            }
            // What somebody created while nobody was logged in is nobody's to send.
            let stray = Failure(reason: .sessionEnded, code: "loggedOut", detail: "", at: moment.wall)
            try await store.commit([.endSession(stray)])
            let isOther = try await store.session().map { !$0.isSameAccount(as: new) } ?? false
            if isOther { await completeAllAsStored() }
            // The store goes over to the account of the session, with what an earlier visit of it left. What the former
            // one created meanwhile stays with that one.
            try await store.commit([.endSession(stray), .saveSession(new)])
            // A wait for a message of the former account ends: it does not last until that account returns.
            if isOther { waiters.failAll() }
            await reloadOutbox()
            session = new
            transport = newTransport
            forgetMissedPages()
            tell(.sessionChanged)
            await completeAllAsStored()  // those who wait for what was created while nobody was logged in
            await perform(outbox.handle(.sessionBegan, at: moment))
            return .success(new)
        } catch {
            return .failure(.store(error))
        }
    }

    /// Ends the session: nothing of it is sent afterwards, what is undelivered becomes `error`.
    ///
    /// - Returns: how many messages and operations were given up so, and how many questions and deletions the server
    ///   has not heard of; those go on when the account is back.
    package func logout() async throws(SyncError) -> Int {
        try await request { engine in await engine.logoutInTurn() }
    }

    private func logoutInTurn() async -> Result<Int, SyncError> {
        guard var ended = session else { return .failure(.noSession) }
        await endCalls()
        let now = moment
        let failure = Failure(
            reason: .sessionEnded, code: "loggedOut", detail: "\(ended.user) logged out", at: now.wall)
        ended.endedAt = now.wall
        do throws(StoreError) {
            let pending = try await pendingCount()
            try await store.commit([.endSession(failure), .saveSession(ended)])
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

    /// How many messages and operations there are of which the server has not confirmed something: those in the queue,
    /// those that wait for another message, and those that are asked about or deleted, each once. A failure that is
    /// certain is none.
    private func pendingCount() async throws(StoreError) -> Int {
        let counts = try await store.counts()
        let entries = try await store.outbox().entries
        let queued = entries.count { $0.kind == .send }
        let parked = counts.undelivered - counts.error - queued
        // A message that waits for another one may be asked about besides.
        let asked = entries.filter { $0.kind != .send }.map(\.message)
        let both = try await store.messages(asked).count(where: \.isParked)
        return Set(entries.map(\.message)).count + parked - both
    }

    /// The store holds another outbox than the machine now: nothing goes on before it was read, however long that
    /// takes.
    private func reloadOutbox() async {
        let wasPaused = outbox.isPaused
        while !isClosed {
            feed.clear()  // the snapshot holds what the feed brought until now
            do throws(StoreError) {
                let snapshot = try await store.outbox()
                outbox = Outbox(
                    snapshot, configuration: configuration, seed: runtime.random(), firstRound: outbox.nextRound)
                history = snapshot.history
                keptHistory = snapshot.history
                storeProblem = nil
                break
            } catch {
                storeProblem = error
                if error == .closed { return }
            }
            await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
        }
        // Who stopped the outbox stopped it for whoever is logged in.
        if wasPaused { await perform(outbox.handle(.paused, at: moment)) }
    }

    // MARK: - Operators

    package func setPaused(_ isPaused: Bool) async throws(SyncError) {
        try await request { engine -> Result<Void, SyncError> in
            await engine.perform(engine.outbox.handle(isPaused ? .paused : .resumed, at: engine.moment))
            return .success(())
        }
    }

    /// Looks for the server now instead of at the next planned moment.
    package func probeNow() { submit(.event(.probeRequested)) }

    /// How things stand. Does not wait for its turn.
    package func status() async throws(SyncError) -> SyncStatus {
        await catchUp()
        let counts: StoreCounts
        do throws(StoreError) { counts = try await store.counts() } catch { throw .store(error) }
        let now = moment
        return SyncStatus(
            session: session, connectivity: outbox.connectivity(at: now), attention: outbox.attention,
            isPaused: outbox.isPaused, waitReason: outbox.waitReasonOfAll(at: now),
            storeProblem: storeProblem?.description, counts: counts,
            lanes: outbox.lanesInWords(at: now).map {
                SyncStatus.Lane(lane: $0.lane, depth: $0.depth, head: $0.head, headWait: $0.wait)
            },
            deliveredCount: deliveredCount, server: serverName, epoch: outbox.epoch,
            notices: notices)
    }

    /// Why each of these messages is not on the server yet; those that do not wait are left out. Does not wait for its
    /// turn.
    ///
    /// - Parameter messages: as they were just read.
    package func waitReasons(for messages: [Message]) async -> [MessageID: WaitReason] {
        await catchUp()
        let failed = await failedRelations(of: messages)
        let now = moment
        var reasons: [MessageID: WaitReason] = [:]
        for message in messages where message.isPending {
            if let storeProblem {
                reasons[message.id] = .storeUnavailable(detail: storeProblem.description)
            } else if message.isParked, let related = message.role.related {
                reasons[message.id] = failed.contains(related) ? .blocked(by: related) : .parked(related)
            } else {
                reasons[message.id] = outbox.waitReason(for: message.id, at: now) ?? reasonMeanwhile(message, now)
            }
        }
        return reasons
    }

    /// The messages that these wait for and that failed: none of them goes on by itself.
    private func failedRelations(of messages: [Message]) async -> Set<MessageID> {
        let related = messages.compactMap { $0.isParked ? $0.role.related : nil }
        guard !related.isEmpty else { return [] }
        do throws(StoreError) {
            return Set(try await store.messages(related).filter { $0.syncState == .error }.map(\.id))
        } catch {
            return []  // the store's own trouble is reported elsewhere
        }
    }

    /// The engine is in the middle of something: it has not taken a new message in yet, or has the verdict of an old
    /// one and is writing it down.
    private func reasonMeanwhile(_ message: Message, _ now: Moment) -> WaitReason {
        if message.syncState == .syncing { return .inFlight(since: message.lastAttemptAt ?? now.wall) }
        return outbox.waitReasonOfAll(at: now) ?? .ready
    }
}
