import CausewayModels
import CausewayOutbox
import CausewaySimulationKernel
import CausewayStorage
import DequeModule

/// The driver: processes one input at a time and performs the machine's actions on the model store and the network,
/// like the engine. While the disk is busy or full, everything else waits.
extension SimulatedWorld {
    func submit(_ input: Input, to client: Int) {
        guard clients[client].isRunning else { return }
        clients[client].inbox.append(input)
        drive(client)
    }

    /// Continues with the pending actions, until nothing is left or the disk makes it wait.
    func drive(_ client: Int) {
        let process = clients[client].process
        if clients[client].isSuspended { return }
        while isRunning(client, process), violation == nil, !clients[client].isBusy {
            if let action = clients[client].agenda.first {
                betweenActions(client)
                guard isRunning(client, process) else { return }
                perform(action, client)
                continue
            }
            clients[client].judged = nil
            clients[client].uncommittedFailures = []
            if takeFeed(client) { continue }
            guard let input = clients[client].inbox.popFirst() else { break }
            deal(with: input, client)
            if clients[client].process != process { return drive(client) }  // a new session, the same process
        }
        if !clients[client].isBusy { planDeadline(client) }
    }

    /// Entries of the store's feed are processed before any later request.
    private func takeFeed(_ client: Int) -> Bool {
        let entries = clients[client].store.takeFeed()
        guard !entries.isEmpty else { return false }
        if strikes(.feedReset) {
            history.record(now, "client \(client): its feed is reset")
            clients[client].missed += entries
            if plan.plantedFault != .resetsIgnored { handle(.feedReset, client) }
            return true
        }
        for entry in entries where entry.kind == .send {
            noteSequence(entry)
            if expected.records[entry.message]?.isOperation == true {
                history.record(
                    now, "client \(client): \(entry.message.value.low) is \(entry.sequence) in \(entry.lane)")
            }
            expected.records[entry.message]?.queued = ExpectedState.Queued(
                process: clients[client].process, at: now, stored: entry.queuedAt)
        }
        handle(.enqueued(entries), client)
        return true
    }

    /// Passes an event to the machine, and performs its actions one after the other.
    func handle(_ event: OutboxEvent, _ client: Int) {
        let clock = clock(of: client)
        noteConnection(event, client)
        guard var actions = clients[client].machine?.handle(event, at: clock) else { return }
        for action in actions { hash.add(action) }
        if violation == nil, actions.contains(where: \.isProbe) { violation = brokenByProbe(event, client) }
        if violation == nil { violation = brokenBound(event, actions, client) }
        if plan.plantedFault == .completesBeforeCommit {
            actions = actions.filter(\.isCompletion) + actions.filter { !$0.isCompletion }
        }
        clients[client].agenda += actions
    }

    private func deal(with input: Input, _ client: Int) {
        switch input {
        case .event(let event): takeEvent(event, client)
        case .delete(let ids): delete(ids, client)
        case .resend(let ids): resend(ids, client)
        case .operation(let request, let id): apply(request, on: id, client)
        case .uploadProceeds(let call, let offset): proceed(call, from: offset)
        case .uploadFails(let call, let error): uploadFails(call, error, client)
        case .logIn(let user): logIn(user, client)
        case .logOut: logOut(client)
        case .merge(let news): merge(news, client)
        case .endOvertaken(let failed): endOvertaken(failed, client)
        case .probed(let call, let answer): probed(call, answer, client)
        }
    }

    func takeEvent(_ event: OutboxEvent, _ client: Int) {
        let event = admitted(event, client)
        switch event {
        case .responded(let batch, _), .unsendable(let batch, _, _), .foreign(let batch, _), .interrupted(let batch):
            clients[client].judged = batch
        case .failed(let batch, let error):
            clients[client].judged = batch
            noteQuiet(client, error)
        case .probeFailed(let error): noteQuiet(client, error)
        case .paused:
            clients[client].isPaused = true
            if plan.plantedFault == .pauseIgnored { return }
        case .resumed: clients[client].isPaused = false
        case .deadline: noteDeadline(client)
        default: break
        }
        noteCost(of: event, client)
        if case .failed(let batch, let error) = event {
            handle(.failed(batch, plan.plantedFault.distorted(error)), client)
        } else {
            handle(event, client)
        }
    }

    /// Checks that the machine does not keep requesting deadlines in the past, which would never let its driver rest.
    private func noteDeadline(_ client: Int) {
        let isAgain = clients[client].lastDeadline == now
        clients[client].deadlinesAtOnce = isAgain ? clients[client].deadlinesAtOnce + 1 : 1
        clients[client].lastDeadline = now
        if clients[client].deadlinesAtOnce > 20, violation == nil {
            violation = "the machine asks for a deadline in the past: it would spin"
        }
    }

    private func planDeadline(_ client: Int) {
        guard !forgetsTimer(of: client), let deadline = clients[client].machine?.outbox.nextDeadline else {
            clients[client].plannedDeadline = nil
            return
        }
        guard clients[client].plannedDeadline != deadline else { return }
        clients[client].plannedDeadline = deadline
        clients[client].deadlinePlannedAt = now
        let delay = strikes(.lateTimer) ? randomness.between(.milliseconds(1), Plan.lateTimerMax) : .zero
        queue.plan(.deadline(client: client, process: clients[client].process, deadline), at: deadline + delay)
    }

    private func forgetsTimer(of client: Int) -> Bool {
        switch plan.plantedFault {
        case .timersForgotten: true
        case .attentionForgotten: clients[client].machine?.outbox.actionRequired != nil
        default: false
        }
    }

    func deadlineComes(_ client: Int, _ process: Int, _ deadline: MonotonicTime) {
        guard isRunning(client, process), clients[client].plannedDeadline == deadline else { return }
        if plan.plantedFault == .timersLostAsleep, clients[client].isSuspended { return }
        clients[client].plannedDeadline = nil
        submit(.event(.deadline), to: client)
    }

    // MARK: - Actions

    /// Performs the first action of the agenda, or lets it wait for the disk.
    private func perform(_ action: OutboxAction, _ client: Int) {
        switch action {
        case .commit(let decided):
            let (mutations, released) = decidingParks(in: decided, client)
            guard commit(mutations, client) else { return }
            clients[client].agenda.removeFirst()
            noteDecided(mutations, insteadOf: decided, client)
            if !released.isEmpty { clients[client].inbox.append(.event(.unpaused(released))) }
            reportParked(by: mutations, client)
            let failed = mutations.compactMap(\.failedForGood)
            if !failed.isEmpty { clients[client].inbox.append(.endOvertaken(failed)) }
        case .transmit(let batch, let mutations):
            guard plan.plantedFault == .sendsBeforeCommit || commit(mutations, client) else { return }
            clients[client].agenda.removeFirst()
            transmit(batch, mutations, client)
        case .fork:
            forks += 1
            let id = OutboxID(UUIDv7(high: 4, low: UInt64(forks)))
            let ended = operationsThatEnd(client)
            guard commit(ended.map { .delete($0) } + [.forkOutbox(id, at: wall(of: client))], client) else { return }
            clients[client].agenda.removeFirst()
            noteEnded(ended, client)
            fork(client)
        case .upload(let attempt, let mutations):
            guard commit(mutations, client) else { return }
            clients[client].agenda.removeFirst()
            upload(attempt, client)
        case .cancelUpload(let number, let isAbandoned):
            clients[client].agenda.removeFirst()
            cancelUpload(number, isAbandoned: isAbandoned, client)
        case .reload:
            clients[client].agenda.removeFirst()
            reload(client)
        case .follow(let history, let marks): follow(history, marks, client)
        case .probe:
            clients[client].agenda.removeFirst()
            probe(client)
        case .complete(let message, let result):
            clients[client].agenda.removeFirst()
            complete(message, result, client)
            if plan.plantedFault == .completesTwice, case .failed = result { complete(message, result, client) }
        case .completeAsStored(let message):
            clients[client].agenda.removeFirst()
            completeAsStored(message, client)
        }
    }

    /// Lets other events happen while the disk is busy: a crash, or a message created by a user.
    private func betweenActions(_ client: Int) {
        if strikes(.crash) { return crash(client) }
        if strikes(.createdBetween) { createMessage(client) }
    }

    /// - Returns: false when the disk is busy or full: the commit is completed, or repeated, later.
    func commit(_ mutations: [Mutation], _ client: Int) -> Bool {
        if clients[client].isDiskDone {
            clients[client].isDiskDone = false
        } else {
            fillDisk(client)
            if clients[client].isDiskFull, plan.plantedFault == .fullDiskIgnored { return true }
            guard diskTakesIt(client) else { return false }
        }
        for mutation in mutations where violation == nil { violation = brokenBy(mutation, client) }
        if let broken = noteUploads(in: mutations, client), violation == nil { violation = broken }
        for case .park(let id, _) in mutations { expected.records[id]?.isToTheTail = true }
        let mutations = mutations.contains(where: \.isOfHistory) ? mutations : mutations + historyToKeep(client)
        history.record(now, "client \(client): commits \(mutations.compactMap(\.told).joined(separator: ", "))")
        guard plan.plantedFault == .commitsSplit else {
            clients[client].store.commit(mutations)
            return true
        }
        let process = clients[client].process
        for mutation in mutations where isRunning(client, process) {
            clients[client].store.commit([mutation])
            betweenActions(client)
        }
        return isRunning(client, process)
    }

    /// Notifies the machine which messages were parked instead of failing: they pause no lane.
    private func reportParked(by mutations: [Mutation], _ client: Int) {
        let parked = mutations.compactMap { mutation -> MessageID? in
            guard case .park(let id, let failure) = mutation, failure.pausesLane else { return nil }
            return clients[client].store.items[id]?.isParked == true ? id : nil
        }
        if !parked.isEmpty, plan.plantedFault != .unpausedNotTold {
            clients[client].inbox.append(.event(.unpaused(parked)))
        }
    }

    private func fillDisk(_ client: Int) {
        guard !clients[client].isDiskFull, strikes(.fullDisk) else { return }
        clients[client].isDiskFull = true
        history.record(now, "client \(client): the disk is full")
        queue.plan(.diskHasRoom(client: client), at: now + randomness.between(.milliseconds(10), .seconds(60)))
    }

    private func diskTakesIt(_ client: Int) -> Bool {
        let process = clients[client].process
        if clients[client].isDiskFull {
            clients[client].isBusy = true
            queue.plan(.diskIsDone(client: client, process: process), at: now + .seconds(1))
            return false
        }
        guard strikes(.slowDisk) else { return true }
        clients[client].isBusy = true
        clients[client].isDiskDone = true
        let longest: Duration = randomness.isLikely(50) ? .seconds(60) : .milliseconds(500)
        queue.plan(
            .diskIsDone(client: client, process: process), at: now + randomness.between(.milliseconds(1), longest))
        return false
    }

    func diskIsDone(_ client: Int, _ process: Int) {
        guard isRunning(client, process) else { return }
        clients[client].isBusy = false
        drive(client)
    }

    private func transmit(_ batch: Batch, _ mutations: [Mutation], _ client: Int) {
        let process = clients[client].process
        if strikes(.crash) {
            expected.noteFailedAttempt(batch)
            crash(client)
        }
        guard isRunning(client, process) else { return }
        let foreign = foreign(in: batch, client)
        if foreign.isEmpty, kills(batch, client) { return }
        if violation == nil, foreign.isEmpty {
            violation = heard(brokenBySendingFiles(batch, client)) ?? brokenBySending(batch, client)
        }
        guard let account = clients[client].account, let delivery = delivery(of: batch, client) else { return }
        noteMilestones(of: batch, client)
        lastCall += 1
        let call = DeliveryCall(
            id: lastCall, client: client, process: process, birth: clients[client].birth, account: account,
            batch: batch, delivery: delivery)
        clients[client].openCalls[call.id] = call
        history.record(now, "client \(client): sends \(call)")
        let unsendable = unsendable(in: batch)
        if !foreign.isEmpty {
            queue.plan(.foreign(call, foreign), at: now)
        } else if !unsendable.isEmpty {
            queue.plan(.unsendable(call, unsendable), at: now)
        } else {
            send(call)
        }
        if plan.plantedFault == .sendsBeforeCommit {
            if strikes(.crash) { return crash(client) }
            clients[client].store.commit(mutations)
        }
    }

    private func delivery(of batch: Batch, _ client: Int) -> Delivery? {
        var operations: [DeliveryOperation] = []
        for operation in batch.operations {
            let body: DeliveryOperation.Body
            switch operation.kind {
            case .send:
                guard let message = clients[client].store.items[operation.message] else {
                    violation = "a round names \(operation.message.value.low), which the store does not have"
                    return nil
                }
                body = Self.body(of: message.asOperation)
            case .fence, .retract: body = .fence(operation.message)
            case .delete: body = .delete(operation.message)
            }
            operations.append(
                DeliveryOperation(sequence: operation.sequence, previous: operation.previous, body: body))
        }
        var delivery = Delivery(
            outbox: batch.outbox, epoch: batch.epoch, lane: batch.lane, operations: operations)
        delivery.opening = batch.opening
        delivery.ancestors = batch.ancestors
        delivery.base = batch.base
        delivery.history = clients[client].history
        clients[client].named[batch.id] = delivery.history
        return delivery
    }

    private static func body(of operation: QueuedOperation) -> DeliveryOperation.Body {
        switch operation.payload {
        case .create(let content, let parent, let tags):
            .send(
                operation.id, channel: operation.channel, content: content, createdAt: operation.createdAt,
                parent: parent, tags: tags)
        case .edit(let target, let content): .edit(operation.id, target: target, content: content)
        case .addReaction(let target, let name): .addReaction(operation.id, target: target, name: name)
        case .removeReaction(let target, let name):
            .removeReaction(operation.id, target: target, name: name)
        }
    }

    private func unsendable(in batch: Batch) -> [MessageID] {
        batch.operations.filter { $0.kind == .send && expected.records[$0.message]?.trait == .unsendable }.map(
            \.message)
    }

    /// The messages of another account in a batch, whose logout was faster than their way into the store.
    private func foreign(in batch: Batch, _ client: Int) -> [MessageID] {
        if plan.plantedFault == .sendsAnybodys { return [] }
        return batch.operations.filter { $0.kind == .send }.map(\.message).filter { id in
            clients[client].store.items[id].map { $0.isPending && $0.sender != clients[client].account }
                ?? false
        }
    }

    func foreign(_ call: DeliveryCall, _ messages: [MessageID]) {
        guard isRunning(call.client, call.process), clients[call.client].openCalls.removeValue(forKey: call.id) != nil
        else { return }
        counts.faults.count(.overtaken, inFlight: call.batch.operations.count)
        history.record(now, "client \(call.client): \(messages.map(\.value.low)) are another account's")
        submit(.event(.foreign(call.batch, messages)), to: call.client)
    }

    func unsendable(_ call: DeliveryCall, _ messages: [MessageID]) {
        guard isRunning(call.client, call.process), clients[call.client].openCalls.removeValue(forKey: call.id) != nil
        else { return }
        history.record(
            now, "client \(call.client): cannot encode \(messages.map(\.value.low)) of round \(call.batch.id)")
        submit(.event(.unsendable(call.batch, messages, detail: "it cannot be encoded")), to: call.client)
    }

    // MARK: - Completions

    /// Reports the stored verdict to the waiters.
    private func completeAsStored(_ message: MessageID, _ client: Int) {
        guard clients[client].waiting.contains(message) else { return }
        guard let stored = clients[client].store.items[message] else {
            return complete(message, .deleted, client)
        }
        if stored.syncState == .synced, let serverPosition = stored.message?.serverPosition {
            complete(message, .delivered(serverPosition), client)
        } else if stored.syncState == .error, !stored.isInDoubt, let failure = stored.failure {
            complete(message, .failed(failure), client)
        }
    }

    /// Reports a result to the waiters. A second result for the same waiter is a violation.
    private func complete(_ message: MessageID, _ result: DeliveryResult, _ client: Int) {
        // Operations have no waiters.
        if expected.records[message]?.isOperation == true { return }
        history.record(now, "client \(client): tells about \(message.value.low): \(result)")
        if violation == nil { violation = brokenBy(result, of: message, client) }
        clients[client].waiting.remove(message)
    }
}

extension Mutation {
    /// True for a mutation that stores a history itself.
    fileprivate var isOfHistory: Bool {
        if case .followHistory = self { true } else { false }
    }
}

extension OutboxAction {
    fileprivate var isProbe: Bool {
        if case .probe = self { true } else { false }
    }

    fileprivate var isCompletion: Bool {
        switch self {
        case .complete, .completeAsStored: true
        case .commit, .transmit, .upload, .cancelUpload, .fork, .follow, .reload, .probe: false
        }
    }
}

extension PlantedFault? {
    /// The error that the machine is given in place of the real one.
    fileprivate func distorted(_ error: TransportError) -> TransportError {
        switch (self, error) {
        case (.offlineIsCharged, .unreachable(let detail)): .transient(code: "unreachable", detail: detail)
        case (.rateLimitIgnored, .rateLimited(_, let detail)): .rateLimited(after: .zero, detail: detail)
        case (.failureIsRefusal, .transient(let code, let detail)): .refused(code: code, detail: detail)
        case (.doubtIsFailure, .inDoubt(let detail)): .transient(code: "noAnswer", detail: detail)
        default: error
        }
    }
}
