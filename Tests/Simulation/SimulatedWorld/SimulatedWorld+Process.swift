import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewaySimulationKernel
import CausewayStorage
import DequeModule

/// The lifecycle of a client's process: it starts, crashes, and sometimes runs twice.
extension SimulatedWorld {
    func start(_ client: Int) {
        let policy: RestartPolicy = randomness.isLikely(plan.resumeLikelihood) ? .resume : .fail
        let failure = Failure(reason: .sessionEnded, code: "restarted", detail: "", at: wall(of: client))
        births += 1
        let opening = OpeningID(UUIDv7(high: 3, low: UInt64(births)))
        let snapshot = clients[client].store.start(policy, failure, opening: opening)
        if violation == nil { violation = brokenByStart(policy, snapshot) }
        for entry in snapshot.entries where entry.kind == .send { noteSequence(entry) }
        clients[client].birth = births
        clients[client].isFrozen = false
        hash.add(snapshot.epoch)
        history.record(
            now, "client \(client): starts, \(policy), epoch \(snapshot.epoch), \(snapshot.entries.count) links")
        load(client, snapshot, firstBatch: 1, firstUpload: 1)
        if clients[client].account != nil { submit(.event(.sessionBegan), to: client) }
        if areFaultsOver { logInAtTheEnd(client) }
    }

    /// Starts a machine on the store's present state. Existing waiters keep waiting.
    func load(_ client: Int, _ snapshot: OutboxSnapshot, firstBatch: Int, firstUpload: Int) {
        clients[client].process += 1
        clients[client].openUploads = [:]
        clients[client].probesUnderWay = 0
        noteCutOff(in: snapshot, client)
        forgetPauses(of: client)
        clients[client].history = clients[client].store.history
        clients[client].named = [:]
        clients[client].plannedDeadline = nil
        clients[client].quietUntil = .zero
        clients[client].connection = ConnectionRecord()
        clients[client].setbacks = [:]
        clients[client].isPaused = false
        clients[client].machine = Machine(
            Outbox(
                snapshot, configuration: configurationTold, seed: randomness.seedOfOthers(), firstBatch: firstBatch,
                firstUpload: firstUpload))
        let store = clients[client].store
        let waiting = store.pending.union(store.failed.filter { store.items[$0]?.isInDoubt == true })
        clients[client].waiting = waiting.filter { store.items[$0]?.createsMessage == true }
    }

    /// The outbox configuration that the machine is given.
    private var configurationTold: OutboxConfiguration {
        var told = plan.configuration
        switch plan.plantedFault {
        case .limitsIgnored: told = OutboxConfiguration()
        case .precedenceForgotten: told.precedence = [:]
        case .uploadLimitIgnored: told.uploadsMax = 1_000
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

    /// Continues the store under a new outbox id; nothing else is processed before the machine is notified.
    func fork(_ client: Int) {
        let snapshot = clients[client].store.snapshot
        for entry in snapshot.entries where entry.kind == .send { noteSequence(entry) }
        noteCutOff(in: snapshot, client)
        history.record(now, "client \(client): goes on as outbox \(snapshot.outboxID.value.low)")
        handle(.forked(snapshot), client)
    }

    /// Passes the store's present state to the machine, which knows that it missed something.
    func reload(_ client: Int) {
        let missed = clients[client].missed + clients[client].store.takeFeed()
        clients[client].missed = []
        for entry in missed where entry.kind == .send {
            expected.records[entry.message]?.queued = ExpectedState.Queued(
                process: clients[client].process, at: now, stored: entry.queuedAt)
        }
        let snapshot = clients[client].store.snapshot
        for entry in snapshot.entries where entry.kind == .send { noteSequence(entry) }
        handle(.forked(snapshot), client)
    }

    /// Records that after a crash with an attempt in flight deliveries are sent one at a time for a while.
    func noteCutOff(in snapshot: OutboxSnapshot, _ client: Int) {
        clients[client].mayGoOneByOne = snapshot.entries.contains { $0.kind == .send && $0.attempts > 0 }
    }

    /// Shuts the process down in order, whatever it is doing: deliveries in flight are cancelled, and their attempts
    /// refunded.
    func close(_ client: Int) {
        guard let machine = clients[client].machine, !clients[client].isBusy, !clients[client].isDiskFull,
            clients[client].agenda.isEmpty
        else { return }
        history.record(now, "client \(client): is closed with \(clients[client].openCalls.count) calls under way")
        if plan.plantedFault != .closeIsCharged {
            clients[client].store.commit(machine.outbox.mutationsToClose(at: clock(of: client)))
        }
        forgetMemory(of: client)
        queue.plan(.clientStarts(client: client), at: now + randomness.between(.zero, .seconds(10)))
    }

    /// Renews the token before it is rejected: the driver cancels the deliveries in flight, and sends them again.
    func renewToken(_ client: Int) {
        history.record(
            now, "client \(client): renews its token with \(clients[client].openCalls.count) calls under way")
        for call in clients[client].openCalls.values.sorted(by: { $0.id < $1.id }) {
            clients[client].openCalls[call.id] = nil
            let countsAttempt = plan.plantedFault == .renewalIsCharged
            submit(
                .event(countsAttempt ? .failed(call.batch, .inDoubt(detail: "broken off")) : .interrupted(call.batch)),
                to: client)
        }
        for call in clients[client].openUploads.values.sorted(by: { $0.id < $1.id }) {
            clients[client].openUploads[call.attempt.number] = nil
            submit(.event(.upload(call.attempt.number, .interrupted)), to: client)
        }
        submit(.event(.actionResolved), to: client)
    }

    func crash(_ client: Int) {
        guard clients[client].isRunning else { return }
        for call in clients[client].openCalls.values { expected.noteFailedAttempt(call.batch) }
        noteUploadsCutOff(client)
        for batch in clients[client].unsettled { expected.noteFailedAttempt(batch) }
        for id in clients[client].uncommittedFailures { expected.records[id]?.failuresHeard -= 1 }
        noteHeldAnswers(client)
        history.record(now, "client \(client): crashes with \(clients[client].openCalls.count) calls under way")
        forgetMemory(of: client)
        let longest: Duration = areFaultsOver ? .seconds(2) : .seconds(40)
        queue.plan(.clientStarts(client: client), at: now + randomness.between(.zero, longest))
    }

    /// The attempts to upload that a crash cuts off count, unless their progress was stored.
    private func noteUploadsCutOff(_ client: Int) {
        let store = clients[client].store
        for message in store.pending where store.items[message]?.syncState == .uploading {
            if store.items[message]?.upload?.attempts != 0 { expected.noteUploadFailure(of: message) }
        }
    }

    /// A response that waits for that of an older delivery is lost with the process: its attempt counts as interrupted
    /// as well.
    private func noteHeldAnswers(_ client: Int) {
        let batches = clients[client].openCalls.values.map(\.batch) + clients[client].unsettled
        let noted = Set(batches.flatMap { $0.operations.map(\.message) })
        for id in clients[client].store.pending where !noted.contains(id) {
            guard clients[client].store.items[id]?.syncState == .syncing else { continue }
            expected.records[id]?.failedAttempts += 1
        }
    }

    /// Kills the process when the batch contains a lethal message, together with everything else in flight.
    ///
    /// Each message whose attempt is interrupted by it pays once; from then on the lethal message is sent alone.
    func kills(_ batch: Batch, _ client: Int) -> Bool {
        guard batch.operations.contains(where: { expected.records[$0.message]?.trait == .lethal && $0.kind == .send })
        else { return false }
        let underWay = clients[client].openCalls.values.sorted { $0.id < $1.id }.map(\.batch) + [batch]
        counts.faults.count(.lethalPayload, inFlight: underWay.reduce(0) { $0 + $1.operations.count })
        // The attempts of a cancelled batch were refunded; a copy of it may still be in flight.
        let awaited = Set(clients[client].machine?.outbox.batchesUnderWay ?? [])
        let countedMessage = underWay.filter { awaited.contains($0.id) }.compactMap(\.countedMessage)
        let payers = Set(countedMessage).sorted { $0.value.low < $1.value.low }
        for payer in payers where expected.records[payer]?.trait != .lethal {
            expected.records[payer]?.paidForOthers += 1
            if let record = expected.records[payer], record.paidForOthers > 1, !record.isOutOfHand, violation == nil {
                violation = "\(payer.value.low) pays \(record.paidForOthers) times for one that kills the process"
            }
        }
        history.record(now, "client \(client): round \(batch.id) kills the process")
        expected.noteFailedAttempt(batch)
        crash(client)
        return true
    }

    // MARK: - Sleep

    /// Suspends the computer: the client does nothing, while the world continues.
    func suspendMachine(of client: Int) {
        let time = randomness.between(.seconds(1), .seconds(300))
        history.record(now, "client \(client): its machine sleeps for \(time)")
        clients[client].isSuspended = true
        queue.plan(.machineWakes(client: client), at: now + time)
    }

    func resumeMachine(of client: Int) {
        guard clients[client].isSuspended else { return }
        history.record(now, "client \(client): its machine wakes up")
        clients[client].isSuspended = false
        if clients[client].isRunning { drive(client) }
    }

    private func forgetMemory(of client: Int) {
        clients[client].process += 1
        clients[client].machine = nil
        clients[client].inbox = []
        clients[client].missed = []
        clients[client].history = clients[client].store.history
        clients[client].named = [:]
        clients[client].agenda = []
        clients[client].isBusy = false
        clients[client].isSuspended = false
        clients[client].isDiskDone = false
        clients[client].openCalls = [:]
        clients[client].openUploads = [:]
        clients[client].waiting = []
        clients[client].plannedDeadline = nil
        clients[client].judged = nil
        clients[client].uncommittedFailures = []
        clients[client].quietUntil = .zero
        clients[client].isPaused = false
    }

    func isRunning(_ client: Int, _ process: Int) -> Bool {
        clients[client].process == process && clients[client].isRunning
    }

    // MARK: - Two of one

    /// Freezes the process with its own view of the disk, and starts another one in its place.
    func pauseProcess(_ client: Int) {
        guard let ghost = double(client) else { return }
        clients[ghost].isFrozen = true
        history.record(now, "client \(client): its process is frozen, to wake as client \(ghost)")
        // Whether requests in flight arrive is decided already; their responses are ignored.
        for call in clients[client].openCalls.values { expected.noteFailedAttempt(call.batch) }
        crash(client)
        queue.plan(.processWakes(client: ghost), at: now + randomness.between(.seconds(1), .seconds(120)))
    }

    /// Opens a copy of the store elsewhere.
    func restoreCopy(_ client: Int) {
        guard let ghost = double(client) else { return }
        history.record(now, "client \(client): a copy of its store is taken, to be opened as client \(ghost)")
        forgetMemory(of: ghost)
        queue.plan(.clientStarts(client: ghost), at: now + randomness.between(.seconds(1), .seconds(120)))
    }

    /// Returns a copy of the client; only once for each client, and never of a copy.
    private func double(_ client: Int) -> Int? {
        guard clients[client].original == nil, !clients[client].isShared, clients[client].isRunning else {
            return nil
        }
        clients[client].isShared = true
        let ghost = clients[client].copy()
        ghost.original = client
        // Suspended, so that no event planned for the original process reaches it.
        ghost.process = 1000
        ghost.isBusy = true
        ghost.plannedDeadline = nil
        clients.append(ghost)
        for id in ghost.store.idsOfAll { expected.records[id]?.isOutOfHand = true }
        return clients.count - 1
    }

    func wake(_ client: Int) {
        history.record(now, "client \(client): wakes up")
        clients[client].isBusy = false
        clients[client].isSuspended = false
        clients[client].isDiskFull = false
        for call in clients[client].openCalls.values.sorted(by: { $0.id < $1.id }) {
            let own = call.awaited(by: client, process: clients[client].process)
            clients[client].openCalls[call.id] = own
            queue.plan(.callTimesOut(own), at: now)
        }
        for call in clients[client].openUploads.values.sorted(by: { $0.id < $1.id }) {
            var own = call
            own.client = client
            own.process = clients[client].process
            clients[client].openUploads[call.attempt.number] = own
            queue.plan(.uploadAnswered(own, .failure(.inDoubt(detail: "asleep"))), at: now)
        }
        // A probe in flight when it was suspended is cancelled, too.
        let process = clients[client].process
        clients[client].probesUnderWay = 1
        let probe = ProbeCall(
            client: client, process: process, number: clients[client].lastProbe, account: clients[client].account,
            history: nil, outbox: clients[client].store.outboxID)
        queue.plan(.probeEnds(probe, .failure(.inDoubt(detail: "asleep"))), at: now)
        drive(client)
    }
}
