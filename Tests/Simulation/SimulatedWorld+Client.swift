import CausewayModels
import CausewayOutbox
import CausewayStorage

/// The driver: performs the machine's actions against the model store and the network, one input at a time, as the
/// engine does.
extension SimulatedWorld {
    func start(_ client: Int) {
        let policy: RestartPolicy = chance(plan.resumeLikelihood) ? .resume : .fail
        let failure = Failure(reason: .sessionEnded, code: "restarted", detail: "", at: wall)
        let snapshot = clients[client].store.begin(policy, failure)
        story.tell(now, "client \(client): starts, \(policy), epoch \(snapshot.epoch), \(snapshot.entries.count) links")
        load(client, snapshot, firstRound: 1)
        if clients[client].isLoggedIn { input(.sessionBegan, to: client) }
        if areFaultsOver { logIn(client) }
    }

    /// A machine for the store as it stands. Whoever is not told yet goes on waiting.
    func load(_ client: Int, _ snapshot: OutboxSnapshot, firstRound: Int) {
        clients[client].process += 1
        clients[client].plannedDeadline = nil
        clients[client].outbox = Outbox(
            snapshot, configuration: plan.configuration, seed: generator.next(), firstRound: firstRound)
        let waiting = clients[client].store.messages.values.filter { $0.isQueued || $0.isInDoubt }.map(\.id)
        clients[client].waiting = Set(waiting)
    }

    func crash(_ client: Int) {
        for call in clients[client].openCalls.values { noteFailedAttempt(call.round) }
        if let judged = clients[client].judged { noteFailedAttempt(judged) }
        story.tell(now, "client \(client): crashes with \(clients[client].openCalls.count) calls under way")
        clients[client].process += 1
        clients[client].outbox = nil
        clients[client].openCalls = [:]
        clients[client].waiting = []
        clients[client].plannedDeadline = nil
        queue.plan(.clientStarts(client: client), at: now + between(.zero, .seconds(40)))
    }

    func isRunning(_ client: Int, _ process: Int) -> Bool {
        clients[client].outbox != nil && clients[client].process == process
    }

    // MARK: - Inputs

    /// One input: the machine decides, the driver acts, and what the store took in meanwhile comes next.
    func input(_ event: OutboxEvent, to client: Int) {
        guard let actions = clients[client].outbox?.handle(event, at: moment) else { return }
        perform(actions, client)
        takeFeed(client)
        planDeadline(client)
    }

    func takeFeed(_ client: Int) {
        while clients[client].outbox != nil, case let entries = clients[client].store.takeFeed(), !entries.isEmpty {
            for entry in entries where entry.kind == .send { noteSequence(entry) }
            let actions = clients[client].outbox?.handle(.enqueued(entries), at: moment) ?? []
            perform(actions, client)
        }
    }

    private func planDeadline(_ client: Int) {
        guard let deadline = clients[client].outbox?.nextDeadline else {
            clients[client].plannedDeadline = nil
            return
        }
        guard clients[client].plannedDeadline != deadline else { return }
        clients[client].plannedDeadline = deadline
        queue.plan(.deadline(client: client, process: clients[client].process, deadline), at: deadline)
    }

    func deadlineComes(_ client: Int, _ process: Int, _ deadline: MonotonicTime) {
        guard isRunning(client, process), clients[client].plannedDeadline == deadline else { return }
        clients[client].plannedDeadline = nil
        input(.deadline, to: client)
        if let next = clients[client].outbox?.nextDeadline, next <= now, violation == nil {
            violation = "the machine asks for a deadline in the past: it would spin"
        }
    }

    // MARK: - Actions

    private func perform(_ actions: [OutboxAction], _ client: Int) {
        let process = clients[client].process
        for action in actions {
            guard isRunning(client, process), violation == nil else { return }
            betweenActions(client)
            guard isRunning(client, process) else { return }
            switch action {
            case .commit(let mutations): commit(mutations, client)
            case .transmit(let round, let mutations): transmit(round, mutations, client)
            case .probe: probe(client)
            case .complete(let message, let result): complete(message, result, client)
            case .completeAsStored(let message): completeAsStored(message, client)
            }
        }
    }

    /// While the disk is busy with one thing, others happen: a crash, or a message created by somebody.
    private func betweenActions(_ client: Int) {
        let inFlight = !clients[client].openCalls.isEmpty
        if strikes(.crash, inFlight: inFlight) { return crash(client) }
        if strikes(.createdBetween, inFlight: inFlight) { createMessage(client) }
    }

    private func commit(_ mutations: [Mutation], _ client: Int) {
        for mutation in mutations {
            if violation == nil { violation = brokenBy(mutation, client) }
        }
        guard plan.sabotage == .commitsSplit else { return clients[client].store.commit(mutations) }
        let process = clients[client].process
        for mutation in mutations where isRunning(client, process) {
            clients[client].store.commit([mutation])
            betweenActions(client)
        }
    }

    private func transmit(_ round: DeliveryRound, _ mutations: [Mutation], _ client: Int) {
        let process = clients[client].process
        if plan.sabotage != .sendsBeforeCommit { commit(mutations, client) }
        if strikes(.crash, inFlight: true) {
            noteFailedAttempt(round)
            crash(client)
        }
        guard isRunning(client, process), let delivery = delivery(of: round, client) else { return }
        lastCall += 1
        let call = Call(id: lastCall, client: client, process: process, round: round, delivery: delivery)
        clients[client].openCalls[call.id] = call
        story.tell(now, "client \(client): sends \(call)")
        let unsendable = unsendable(in: round)
        if unsendable.isEmpty {
            send(call)
        } else {
            queue.plan(.unsendable(call, unsendable), at: now)
        }
        if plan.sabotage == .sendsBeforeCommit {
            if strikes(.crash, inFlight: true) { return crash(client) }
            commit(mutations, client)
        }
    }

    private func delivery(of round: DeliveryRound, _ client: Int) -> Delivery? {
        var operations: [DeliveryOperation] = []
        for operation in round.operations {
            let body: DeliveryOperation.Body
            switch operation.kind {
            case .send:
                guard let message = clients[client].store.messages[operation.message] else {
                    violation = "a round names \(operation.message), which the store does not have"
                    return nil
                }
                body = .send(
                    message.id, channel: message.channel, content: message.content, createdAt: message.createdAt)
            case .fence, .retract: body = .fence(operation.message)
            case .delete: body = .delete(operation.message)
            }
            operations.append(
                DeliveryOperation(sequence: operation.sequence, previous: operation.previous, body: body))
        }
        return Delivery(outbox: round.outbox, epoch: round.epoch, lane: round.lane, operations: operations)
    }

    private func unsendable(in round: DeliveryRound) -> [MessageID] {
        round.operations.filter { operation in
            guard operation.kind == .send, case .unsendable = ledger.records[operation.message]?.trait else {
                return false
            }
            return true
        }.map(\.message)
    }

    func unsendable(_ call: Call, _ messages: [MessageID]) {
        guard isRunning(call.client, call.process), clients[call.client].openCalls.removeValue(forKey: call.id) != nil
        else { return }
        story.tell(now, "client \(call.client): cannot encode \(messages.map(\.value.low)) of round \(call.round.id)")
        input(.unsendable(call.round, messages, detail: "it cannot be encoded"), to: call.client)
    }

    /// Whoever waits reads the verdict in the store.
    private func completeAsStored(_ message: MessageID, _ client: Int) {
        guard clients[client].waiting.contains(message) else { return }
        guard let stored = clients[client].store.messages[message] else { return complete(message, .deleted, client) }
        if stored.syncState == .synced, let placement = stored.placement {
            complete(message, .delivered(placement), client)
        } else if stored.syncState == .error, !stored.isInDoubt, let failure = stored.failure {
            complete(message, .failed(failure), client)
        }
    }

    /// Somebody who waits is told. Who was told already must not be told again.
    private func complete(_ message: MessageID, _ result: DeliveryResult, _ client: Int) {
        story.tell(now, "client \(client): tells about \(message.value.low): \(result)")
        if violation == nil { violation = brokenBy(result, of: message, client) }
        clients[client].waiting.remove(message)
    }
}
