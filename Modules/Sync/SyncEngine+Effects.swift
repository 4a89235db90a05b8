import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
import CausewayTransport

/// Performing the outbox's actions.
extension SyncEngine {
    func perform(_ actions: [OutboxAction]) async {
        for action in isClosed ? actions : actions.joiningCommits() {
            // After the end only outcomes that are already known are still committed.
            if isClosed, !action.isCommit { continue }
            switch action {
            case .commit(let decided):
                let (mutations, released) = await decidingParks(in: decided)
                await commitUntilDurable(mutations)
                noteDelivered(mutations)
                if !released.isEmpty { submit(.event(.unpaused(released))) }
                let failed = mutations.compactMap(\.failedForGood)
                if !failed.isEmpty { submit(.work { engine in await engine.endOvertaken(failed) }) }
            case .transmit(let batch, let mutations): await transmit(batch, mutations)
            case .upload(let attempt, let mutations): await upload(attempt, mutations)
            case .cancelUpload(let number, let isAbandoned): cancelUpload(number, isAbandoned: isAbandoned)
            case .fork: await fork()
            case .follow(let history, let marks): await follow(history, marks: marks)
            case .reload: await reload()
            case .probe: startProbe()
            case .complete(let message, let result):
                if case .delivered = result { deliveredCount += 1 }
                waiters.complete(message, result)
            case .completeAsStored(let message): await completeIfEnded(message)
            }
        }
    }

    /// Looks up the message that each operation to be parked refers to, and the later operations on it: the message may
    /// have reached the server meanwhile, and only the store knows whether the operation waits for it, fails, or ends.
    ///
    /// If the store cannot be read, the decision is unchanged; a lane that it pauses is then read again from the store.
    ///
    /// - Returns: the mutations to commit, and the operations that pause no lane after them.
    private func decidingParks(in decided: [Mutation]) async -> (mutations: [Mutation], released: [MessageID]) {
        var mutations = decided
        var released: [MessageID] = []
        for (index, mutation) in decided.enumerated() {
            guard case .park(let id, let failure) = mutation, !isClosed else { continue }
            do throws(StoreError) {
                guard let operation = try await store.operation(id), let related = operation.related,
                    let parent = try await store.message(related)
                else { continue }
                let others = operation.createsMessage ? [] : try await store.dependants(of: related)
                let decision = outbox.decision(to: mutation, operation, parent: parent, with: others)
                mutations[index] = decision.mutation
                if decision.isReleasing, failure.pausesLane { released.append(id) }
            } catch {
                if failure.pausesLane { submit(.event(.feedReset)) }
            }
        }
        return (mutations, released)
    }

    /// Commits, however long it takes: on a full disk the engine waits here and resumes when there is room.
    ///
    /// Nothing is lost meanwhile: the outbox's decisions are kept, and all other work waits behind them.
    func commitUntilDurable(_ mutations: [Mutation]) async {
        let kept = history
        let all = mutations + unkeptHistory
        while true {
            do throws(StoreError) {
                try await store.commit(all)
                storeProblem = nil
                keptHistory = kept
                return
            } catch {
                storeProblem = error
                if error == .closed || isClosed {
                    isAheadOfStore = true
                    return
                }
            }
            await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
        }
    }

    private func transmit(_ batch: Batch, _ mutations: [Mutation]) async {
        // Nothing is left to commit if an earlier action did it, or for a repeated batch of fences.
        if !mutations.isEmpty { await commitUntilDurable(mutations) }
        guard !isClosed else { return }
        guard let transport else {
            submit(.event(.failed(batch, .actionRequired(.noStoredToken))))
            return
        }
        guard let delivery = await assemble(batch) else { return }
        deliveries[batch.id] = runtime.spawn { [weak self, asked = session?.account] in
            do throws(TransportError) {
                let report = try await transport.deliver(delivery)
                await self?.responded(batch, report, for: asked, named: delivery.history)
            } catch {
                await self?.finished(batch, .failed(batch, error))
            }
        }
    }

    private func finished(_ batch: Batch, _ event: OutboxEvent) {
        deliveries[batch.id] = nil
        if brokenOff.remove(batch.id) != nil, case .failed = event {
            submit(.event(.interrupted(batch)))
        } else {
            submit(.event(event))
        }
    }

    /// - Parameters:
    ///   - asked: the account for which the batch was sent.
    ///   - named: the history that the delivery named.
    private func responded(
        _ batch: Batch, _ report: DeliveryReport, for asked: Account?, named: ServerHistory?
    ) {
        deliveries[batch.id] = nil
        brokenOff.remove(batch.id)
        submit(
            .work { engine in
                // A response that belongs to a former history confirms nothing in the current one. After a logout the
                // store still shows the account that sent the batch; another account has a history of its own.
                let isOwn = engine.session.map { $0.account == asked } ?? true
                let isProof = !isOwn || engine.admit(report.history, named: named)
                let event = isProof ? OutboxEvent.responded(batch, report) : .interrupted(batch)
                await engine.perform(engine.outbox.handle(event, at: engine.clock))
            })
    }

    /// Refunds attempts that the end of the run cut off. If the store rejects this commit, they remain counted.
    func giveAttemptsBack() async {
        let mutations = outbox.mutationsToClose(at: clock)
        guard !mutations.isEmpty else { return }
        do throws(StoreError) { try await store.commit(mutations) } catch { storeProblem = error }
    }

    /// Builds a delivery by adding the payloads of its operations to a batch; `nil` if that is not possible, which is
    /// reported to the outbox.
    private func assemble(_ batch: Batch) async -> Delivery? {
        let sends = batch.operations.filter { $0.kind == .send }.map(\.message)
        var queued = operationCache.find(sends)
        let unknown = sends.filter { queued[$0] == nil }
        do throws(StoreError) {
            if !unknown.isEmpty {
                for item in try await store.items(unknown) { queued[item.id] = item.asOperation }
            }
        } catch {
            submit(.event(.failed(batch, .notSent(code: "storeUnavailable", detail: error.description))))
            return nil
        }
        let missing = sends.filter { queued[$0].map { $0.failure?.isUnreadable == true } ?? true }
        guard missing.isEmpty else {
            submit(.event(.unsendable(batch, missing, detail: "its content cannot be read from the store")))
            return nil
        }
        // A message whose creation overlapped a logout and another login is in the queue of an account that did not
        // create it.
        let foreign = sends.filter { queued[$0]?.sender != session?.user }
        guard foreign.isEmpty else {
            submit(.event(.foreign(batch, foreign)))
            return nil
        }
        let operations = batch.operations.map { operation in
            let body: DeliveryOperation.Body
            if operation.kind == .send, let queued = queued[operation.message] {
                body = DeliveryOperation.Body(queued)
            } else if operation.kind == .delete {
                body = .delete(operation.message)
            } else {
                body = .fence(operation.message)
            }
            return DeliveryOperation(sequence: operation.sequence, previous: operation.previous, body: body)
        }
        var delivery = Delivery(
            outbox: batch.outbox, epoch: batch.epoch, lane: batch.lane, operations: operations)
        delivery.opening = batch.opening
        delivery.ancestors = batch.ancestors
        delivery.base = batch.base
        delivery.isPipelined = batch.isPipelined
        delivery.history = history
        return delivery
    }

    private func startProbe() {
        guard let transport, let session else {
            submit(.event(.probeFailed(.actionRequired(.noStoredToken))))
            return
        }
        probe?.cancel()
        probeNumber += 1
        probe = runtime.spawn { [weak self, probeNumber, history, outboxID = outbox.outboxID] in
            do throws(TransportError) {
                let serverInfo = try await transport.authenticate(knowing: history, outbox: outboxID)
                await self?.authenticated(serverInfo, session, probeNumber, named: history)
            } catch {
                await self?.probeEnded(probeNumber, .probeFailed(error))
            }
        }
    }

    /// Reports the result of a probe, unless another probe has begun by the time that this input is processed.
    private func probeEnded(
        _ number: Int, _ event: OutboxEvent, _ serverInfo: ServerInfo? = nil, named: ServerHistory? = nil
    ) {
        submit(
            .work { engine in
                guard !engine.isClosed, number == engine.probeNumber else { return }
                if let serverInfo, engine.session?.user == serverInfo.user {
                    await engine.follow(serverInfo, named: named)
                }
                await engine.perform(engine.outbox.handle(event, at: engine.clock))
            })
    }

    private func authenticated(
        _ serverInfo: ServerInfo, _ probed: Session, _ number: Int, named: ServerHistory?
    ) {
        guard session?.id == probed.id else { return }
        serverName = serverInfo.server
        guard serverInfo.user == probed.user else {
            let detail = "the token belongs to \(serverInfo.user), not to \(probed.user); log in again"
            let actionRequired = ActionRequired(cause: .tokenRefused, detail: detail)
            return probeEnded(number, .probeFailed(.actionRequired(actionRequired)))
        }
        tellOfReachedServer()
        followAfterProbe()
        probeEnded(number, .authenticated, serverInfo, named: named)
    }

    /// Cancels the calls under way and waits until they have ended; uploads end later, because they may wait for their
    /// turn. The transport remains usable: if a later step
    /// fails, the session continues.
    func endCalls() async {
        brokenOff.formUnion(deliveries.keys)
        let calls = deliveries.sorted { $0.key < $1.key }.map(\.value) + [probe].compactMap(\.self)
        deliveries = [:]
        probe = nil
        for call in calls { call.cancel() }
        breakOffUploads()
        for call in calls { await call.finished() }
    }
}

extension DeliveryOperation.Body {
    /// The part of an operation that is sent to the server: the same in every attempt.
    init(_ operation: QueuedOperation) {
        switch operation.payload {
        case .create(let content, let parent, let tags):
            self = .send(
                operation.id, channel: operation.channel, content: content, createdAt: operation.createdAt,
                parent: parent, tags: tags)
        case .edit(let target, let content):
            self = .edit(operation.id, target: target, content: content)
        case .addReaction(let target, let name):
            self = .addReaction(operation.id, target: target, name: name)
        case .removeReaction(let target, let name):
            self = .removeReaction(operation.id, target: target, name: name)
        }
    }
}

extension OutboxAction {
    fileprivate var isCommit: Bool {
        if case .commit = self { true } else { false }
    }
}
