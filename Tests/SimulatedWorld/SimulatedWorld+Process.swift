import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewayStorage
import DequeModule

/// The life of a client's process: it starts, crashes, and sometimes there are two of it.
extension SimulatedWorld {
    func start(_ client: Int) {
        let policy: RestartPolicy = chance.isLikely(plan.resumeLikelihood) ? .resume : .fail
        let failure = Failure(reason: .sessionEnded, code: "restarted", detail: "", at: wall(of: client))
        births += 1
        let opening = OpeningID(UUIDv7(high: 3, low: UInt64(births)))
        let snapshot = clients[client].store.begin(policy, failure, opening: opening)
        if violation == nil { violation = brokenByStart(policy, snapshot) }
        for entry in snapshot.entries where entry.kind == .send { noteSequence(entry) }
        clients[client].birth = births
        clients[client].isFrozen = false
        hash.add(snapshot.epoch)
        story.tell(now, "client \(client): starts, \(policy), epoch \(snapshot.epoch), \(snapshot.entries.count) links")
        load(client, snapshot, firstRound: 1)
        if clients[client].account != nil { submit(.event(.sessionBegan), to: client) }
        if areFaultsOver { logInAtTheEnd(client) }
    }

    /// A machine for the store as it stands. Whoever is not told yet goes on waiting.
    func load(_ client: Int, _ snapshot: OutboxSnapshot, firstRound: Int) {
        clients[client].process += 1
        clients[client].probesUnderWay = 0
        noteCutOff(in: snapshot, client)
        forgetPauses(of: client)
        clients[client].plannedDeadline = nil
        clients[client].quietUntil = .zero
        clients[client].isPaused = false
        clients[client].outbox = Outbox(
            snapshot, configuration: configurationTold, seed: chance.seedOfOthers(), firstRound: firstRound)
        let store = clients[client].store
        let waiting = store.pending.union(store.failed.filter { store.messages[$0]?.isInDoubt == true })
        clients[client].waiting = waiting.filter { store.messages[$0]?.role.isOperation == false }
    }

    /// What the machine is told that people want of it.
    private var configurationTold: OutboxConfiguration {
        var told = plan.configuration
        switch plan.sabotage {
        case .limitsIgnored: told = OutboxConfiguration()
        case .precedenceForgotten: told.precedence = [:]
        case .totalIgnored: told.deliveriesInFlightTotalMax = 1_000
        case .neverGivesUp:
            told.retry = RetryPolicy(interval: .milliseconds(10), retriesMax: 1_000_000, intervalMax: .milliseconds(10))
        case .triesOnceMore: told.retry.retriesMax += 1
        case .pausesHalf:
            told.retry.interval = told.retry.interval / 2
            told.retry.intervalMax = told.retry.intervalMax / 2
        case .probesInCircles:
            told.probeInterval = .milliseconds(10)
            told.probeIntervalMax = .milliseconds(10)
        default: break
        }
        return told
    }

    /// The store goes on under a new outbox id; nothing else is looked at before the machine knows.
    func fork(_ client: Int) {
        let snapshot = clients[client].store.snapshot
        for entry in snapshot.entries where entry.kind == .send { noteSequence(entry) }
        noteCutOff(in: snapshot, client)
        story.tell(now, "client \(client): goes on as outbox \(snapshot.outboxID.value.low)")
        handle(.forked(snapshot), client)
    }

    /// After a crash with an attempt under way deliveries go one after the other for a while.
    private func noteCutOff(in snapshot: OutboxSnapshot, _ client: Int) {
        clients[client].mayGoOneByOne = snapshot.entries.contains { $0.kind == .send && $0.attempts > 0 }
    }

    /// The process ends in good order, in the midst of whatever it does: what is under way is broken off, and its
    /// attempts are given back.
    func close(_ client: Int) {
        guard let outbox = clients[client].outbox, !clients[client].isBusy, !clients[client].isDiskFull,
            clients[client].agenda.isEmpty
        else { return }
        story.tell(now, "client \(client): is closed with \(clients[client].openCalls.count) calls under way")
        if plan.sabotage != .closeIsCharged {
            clients[client].store.commit(outbox.mutationsToClose(at: moment(of: client)))
        }
        forgetMemory(of: client)
        queue.plan(.clientStarts(client: client), at: now + chance.between(.zero, .seconds(10)))
    }

    /// The token is renewed before it is refused: the driver breaks off what is under way, and sends it anew.
    func renewToken(_ client: Int) {
        story.tell(now, "client \(client): renews its token with \(clients[client].openCalls.count) calls under way")
        for call in clients[client].openCalls.values.sorted(by: { $0.id < $1.id }) {
            clients[client].openCalls[call.id] = nil
            let isCharged = plan.sabotage == .renewalIsCharged
            submit(
                .event(isCharged ? .failed(call.round, .inDoubt(detail: "broken off")) : .interrupted(call.round)),
                to: client)
        }
        submit(.event(.attentionResolved), to: client)
    }

    func crash(_ client: Int) {
        guard clients[client].outbox != nil else { return }
        for call in clients[client].openCalls.values { ledger.noteFailedAttempt(call.round) }
        for round in clients[client].unsettled { ledger.noteFailedAttempt(round) }
        noteHeldAnswers(client)
        story.tell(now, "client \(client): crashes with \(clients[client].openCalls.count) calls under way")
        forgetMemory(of: client)
        let longest: Duration = areFaultsOver ? .seconds(2) : .seconds(40)
        queue.plan(.clientStarts(client: client), at: now + chance.between(.zero, longest))
    }

    /// An answer that waits for that of an older delivery is lost with the process: its attempt is cut off as well.
    private func noteHeldAnswers(_ client: Int) {
        let rounds = clients[client].openCalls.values.map(\.round) + clients[client].unsettled
        let noted = Set(rounds.flatMap { $0.operations.map(\.message) })
        for id in clients[client].store.pending where !noted.contains(id) {
            guard clients[client].store.messages[id]?.syncState == .syncing else { continue }
            ledger.records[id]?.failedAttempts += 1
        }
    }

    /// Putting the round into a request kills the process, with everything else that is under way.
    ///
    /// Whose attempt is cut off by it pays once; from then on the killer goes alone.
    func kills(_ round: DeliveryRound, _ client: Int) -> Bool {
        guard round.operations.contains(where: { ledger.records[$0.message]?.trait == .lethal && $0.kind == .send })
        else { return false }
        let underWay = clients[client].openCalls.values.sorted { $0.id < $1.id }.map(\.round) + [round]
        counts.count(.lethalPayload, inFlight: underWay.reduce(0) { $0 + $1.operations.count })
        // Of what the machine has taken back a copy may still be on the wire.
        let payers = Set(underWay.compactMap(\.charged)).sorted { $0.value.low < $1.value.low }
        for payer in payers where ledger.records[payer]?.trait != .lethal {
            ledger.records[payer]?.paidForOthers += 1
            if let record = ledger.records[payer], record.paidForOthers > 1, !record.isOutOfHand, violation == nil {
                violation = "\(payer.value.low) pays \(record.paidForOthers) times for one that kills the process"
            }
        }
        story.tell(now, "client \(client): round \(round.id) kills the process")
        ledger.noteFailedAttempt(round)
        crash(client)
        return true
    }

    // MARK: - Sleep

    /// The lid is shut: nothing of the client happens, and the world goes on.
    func suspendMachine(of client: Int) {
        let time = chance.between(.seconds(1), .seconds(300))
        story.tell(now, "client \(client): its machine sleeps for \(time)")
        clients[client].isSuspended = true
        queue.plan(.machineWakes(client: client), at: now + time)
    }

    func resumeMachine(of client: Int) {
        guard clients[client].isSuspended else { return }
        story.tell(now, "client \(client): its machine wakes up")
        clients[client].isSuspended = false
        if clients[client].outbox != nil { drive(client) }
    }

    private func forgetMemory(of client: Int) {
        clients[client].process += 1
        clients[client].outbox = nil
        clients[client].inbox = []
        clients[client].agenda = []
        clients[client].isBusy = false
        clients[client].isSuspended = false
        clients[client].isDiskDone = false
        clients[client].openCalls = [:]
        clients[client].waiting = []
        clients[client].plannedDeadline = nil
        clients[client].judged = nil
        clients[client].quietUntil = .zero
        clients[client].isPaused = false
    }

    func isRunning(_ client: Int, _ process: Int) -> Bool {
        clients[client].outbox != nil && clients[client].process == process
    }

    // MARK: - Two of one

    /// The process stops where it stands, with its own view of the disk, and another one is started in its place.
    func pauseProcess(_ client: Int) {
        guard let ghost = double(client) else { return }
        clients[ghost].isFrozen = true
        story.tell(now, "client \(client): its process is frozen, to wake as client \(ghost)")
        // Whether what is under way arrives is decided already; nobody listens to the answers.
        for call in clients[client].openCalls.values { ledger.noteFailedAttempt(call.round) }
        crash(client)
        queue.plan(.processWakes(client: ghost), at: now + chance.between(.seconds(1), .seconds(120)))
    }

    /// A copy of the store is opened somewhere else.
    func restoreCopy(_ client: Int) {
        guard let ghost = double(client) else { return }
        story.tell(now, "client \(client): a copy of its store is taken, to be opened as client \(ghost)")
        forgetMemory(of: ghost)
        queue.plan(.clientStarts(client: ghost), at: now + chance.between(.seconds(1), .seconds(120)))
    }

    /// Only once for each client, and never of what is a second one itself.
    private func double(_ client: Int) -> Int? {
        guard clients[client].original == nil, !clients[client].isShared, clients[client].outbox != nil else {
            return nil
        }
        clients[client].isShared = true
        var ghost = clients[client]
        ghost.original = client
        // Asleep: nothing of what is planned for the process that it was finds it.
        ghost.process = 1000
        ghost.isBusy = true
        ghost.plannedDeadline = nil
        clients.append(ghost)
        for id in ghost.store.idsOfAll { ledger.records[id]?.isOutOfHand = true }
        return clients.count - 1
    }

    func wake(_ client: Int) {
        story.tell(now, "client \(client): wakes up")
        clients[client].isBusy = false
        clients[client].isSuspended = false
        clients[client].isDiskFull = false
        for call in clients[client].openCalls.values.sorted(by: { $0.id < $1.id }) {
            var own = call
            own.client = client
            own.process = clients[client].process
            clients[client].openCalls[call.id] = own
            queue.plan(.callTimesOut(own), at: now)
        }
        // A probe under way when it fell asleep is broken off, too.
        let process = clients[client].process
        clients[client].probesUnderWay = 1
        queue.plan(.probeEnds(client: client, process: process, .inDoubt(detail: "asleep")), at: now)
        drive(client)
    }
}
