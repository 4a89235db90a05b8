import CausewayModels
package import CausewayStorage
import DequeModule

/// Failures: counting attempts, pausing lanes, failing messages.
extension Outbox {
    mutating func failed(
        _ round: DeliveryRound, _ error: TransportError, _ moment: Moment, _ actions: inout [OutboxAction]
    ) {
        guard let lane = laneIndices[round.lane],
            lanes[lane].flights.contains(where: { $0.round.id == round.id })
        else {
            // The batch was taken back meanwhile; a request to wait still applies to all lanes.
            if case .rateLimited(let after, _) = error { limitRate(after, moment) }
            return
        }
        var settlement = Settlement()
        if error.kind == .inDoubt { markInDoubt(lane) { $0.id == round.id } }
        switch error {
        case .unreachable(let detail):
            giveBackAttempt(round, lane)
            goOffline(detail, moment)
        case .notSent:
            // A refusal by this machine is a failure neither of the message nor of the server.
            giveBackAttempt(round, lane)
            lanes[lane].hold = OutboxLane.Hold(until: moment.now + jittered(configuration.probeInterval))
        case .rateLimited(let after, _):
            giveBackAttempt(round, lane)
            limitRate(after, moment)
        case .needsAttention(let attention):
            giveBackAttempt(round, lane)
            needAttention(attention, moment)
        case .transient(let code, let detail), .serverFailed(let code, let detail):
            charge(round, lane, moment, code: code, detail: detail, &settlement)
        case .inDoubt(let detail):
            charge(round, lane, moment, code: "noAnswer", detail: detail, &settlement)
            goOffline(detail, moment)
        case .storeForked:
            return noteFork(moment, &actions)
        case .historyChanged:
            giveBackAttempt(round, lane)
            noteOtherHistory(moment, &actions)
        case .refused(let code, let detail):
            refuse(round, lane, moment, code: code, detail: detail, &settlement)
        }
        takeBack(lane, judged: round, moment, &settlement, &actions)
        pump(lane, moment, &actions)
    }

    /// One message of a batch, the head of the lane, cannot be applied now.
    mutating func tryLater(
        _ round: DeliveryRound, _ lane: Int, _ moment: Moment, code: String, detail: String, after: Duration?,
        _ settlement: inout Settlement
    ) {
        guard let head = lanes[lane].slots.first else { return }
        if let after {
            if head.message == round.charged { giveBackAttempt(round, lane) }
            limitRate(after, moment)
            return
        }
        guard head.kind == .send else {
            // The message behind the fence was not at fault.
            giveBackAttempt(round, lane)
            return holdFruitless(lane, moment, isOfQuestions: false)
        }
        if head.message != round.charged {
            lanes[lane].slots[0].attempts += 1
            // A message that fails now must show the attempt; for one that waits it is stored when the batch is taken
            // back.
            if head.attempts + 1 > configuration.retry.retriesMax, let previous = head.previous {
                settlement.mutations.append(
                    .attempt(head.message, previous: previous, attempts: head.attempts + 1, at: moment.wall))
            }
        }
        chargeHead(lane, moment, code: code, detail: detail, &settlement)
    }

    mutating func unsendable(
        _ round: DeliveryRound, _ messages: [MessageID], _ failure: Failure, _ moment: Moment,
        _ actions: inout [OutboxAction]
    ) {
        guard let lane = laneIndices[round.lane],
            lanes[lane].flights.contains(where: { $0.round.id == round.id })
        else { return }
        giveBackAttempt(round, lane)
        var settlement = Settlement()
        for message in messages {
            guard let place = places[message], let index = lanes[lane].index(of: place.sequence) else { continue }
            giveUp(lane, index, failure, &settlement)
        }
        takeBack(lane, judged: round, moment, &settlement, &actions)
        pump(lane, moment, &actions)
    }

    /// The driver cancelled the batch itself: its messages return to waiting, without a counted attempt.
    mutating func interrupted(_ round: DeliveryRound, _ moment: Moment, _ actions: inout [OutboxAction]) {
        guard let lane = laneIndices[round.lane], lanes[lane].flights.contains(where: { $0.round.id == round.id })
        else { return }
        giveBackAttempt(round, lane)
        markInDoubt(lane) { $0.id == round.id }
        var settlement = Settlement()
        takeBack(lane, judged: round, moment, &settlement, &actions)
        pump(lane, moment, &actions)
    }

    // MARK: - Attempts

    mutating func giveBackAttempt(_ round: DeliveryRound, _ lane: Int) {
        guard let message = round.charged, let place = places[message],
            let index = lanes[lane].index(of: place.sequence)
        else { return }
        lanes[lane].slots[index].attempts = max(0, lanes[lane].slots[index].attempts - 1)
    }

    /// Handles a transient failure of a whole batch: the attempt of its charged message has failed.
    private mutating func charge(
        _ round: DeliveryRound, _ lane: Int, _ moment: Moment, code: String, detail: String,
        _ settlement: inout Settlement
    ) {
        lanes[lane].isCautious = true
        guard round.charged != nil else {
            holdFruitless(lane, moment, isOfQuestions: !round.operations.contains { $0.kind == .send })
            return
        }
        chargeHead(lane, moment, code: code, detail: detail, &settlement)
    }

    /// The attempt of the lane's first message has failed: it waits, or it fails and the next one is sent.
    private mutating func chargeHead(
        _ lane: Int, _ moment: Moment, code: String, detail: String, _ settlement: inout Settlement
    ) {
        lanes[lane].isCautious = true
        guard let index = lanes[lane].slots.firstIndex(where: { $0.kind == .send && !$0.isGone }) else {
            holdFruitless(lane, moment, isOfQuestions: true)
            return
        }
        let attempts = lanes[lane].slots[index].attempts
        guard attempts > configuration.retry.retriesMax else {
            let pause = jittered(configuration.retry.pause(afterAttempts: attempts))
            lanes[lane].hold = OutboxLane.Hold(until: moment.now + pause)
            return
        }
        let failure = finalFailure(
            .retriesUsedUp, code: code, detail: "\(attempts) attempts, the last one: \(detail)", at: moment)
        giveUp(lane, index, failure, &settlement)
    }

    /// Attempts are stored before they begin. If a message has used up all of them without a verdict, one run of the
    /// process after another ended during an attempt: it fails, so that this cannot continue.
    mutating func setAsideUsedUp(_ lane: Int, _ moment: Moment, _ actions: inout [OutboxAction]) {
        guard lanes[lane].flights.isEmpty else { return }
        while !laneIsPaused(lane), let index = lanes[lane].slots.firstIndex(where: { $0.kind == .send && !$0.isGone }),
            case let attempts = lanes[lane].slots[index].attempts, attempts > configuration.retry.retriesMax
        {
            let failure = finalFailure(
                .retriesUsedUp, code: "interrupted", detail: "\(attempts) attempts, all of them cut off", at: moment)
            var settlement = Settlement()
            giveUp(lane, index, failure, &settlement)
            commit(settlement, &actions)
        }
    }

    /// Pauses the lane without counting an attempt: fences and deletions never fail, and wait longer each time, up to
    /// ``questionPauseMax``.
    ///
    /// - Parameter isOfQuestions: true if no message was under way: such a pause delays no message.
    mutating func holdFruitless(_ lane: Int, _ moment: Moment, isOfQuestions: Bool) {
        lanes[lane].fruitless += 1
        let factor = 1 << min(lanes[lane].fruitless - 1, 6)
        let pause = jittered(configuration.retry.interval * factor, atMost: Self.questionPauseMax)
        lanes[lane].hold = OutboxLane.Hold(
            until: moment.now + pause,
            evidenceEndsFrom: isOfQuestions ? moment.now + configuration.probeInterval : nil)
        if isOfQuestions { questionHolds.insert(lane) }
    }

    /// The longest pause between two attempts at a fence or deletion, and so the time until a repair is noticed.
    private static let questionPauseMax: Duration = .seconds(15)

    /// Ends the pauses of fences and deletions that the server failed to process, since it is working again. One that
    /// always fails by itself is retried no more often than the server is probed. Cost: linear in the number of lanes
    /// with such pauses.
    mutating func endQuestionPauses(_ moment: Moment, _ actions: inout [OutboxAction]) {
        guard !questionHolds.isEmpty else { return }
        for lane in questionHolds.sorted() {
            guard let hold = lanes[lane].hold, let evidenceEndsFrom = hold.evidenceEndsFrom else {
                questionHolds.remove(lane)
                continue
            }
            lanes[lane].fruitless = 0
            lanes[lane].hold?.until = min(hold.until, max(evidenceEndsFrom, moment.now))
            if evidenceEndsFrom <= moment.now { pump(lane, moment, &actions) }
        }
    }

    /// Fails the message; its number remains in the chain as a fence.
    mutating func giveUp(
        _ lane: Int, _ index: Int, _ failure: Failure, _ settlement: inout Settlement
    ) {
        let slot = lanes[lane].slots[index]
        noteFailure(of: slot, failure, lane, &settlement)
        settlement.mutations.append(
            .putControl(
                ControlEntry(
                    kind: .fence, lane: lanes[lane].id, sequence: slot.sequence, previous: slot.previous,
                    message: slot.message)))
        lanes[lane].slots[index].kind = .fence
        fences[slot.message] = places.removeValue(forKey: slot.message)
    }

    /// Marks the message as `error` and completes it, or, if it is in doubt, leaves its completion to the verdict.
    mutating func noteFailure(
        of slot: OutboxLane.Slot, _ failure: Failure, _ lane: Int, _ settlement: inout Settlement
    ) {
        // A fence for its sequence from before a resend may still wait for its verdict.
        let isInDoubt = slot.isInDoubt || fences[slot.message] != nil || mayBeElsewhere(slot.sequence)
        settlement.mutations.append(.fail(slot.message, failure, inDoubt: isInDoubt))
        notePause(by: slot.message, failure, lane)
        if isInDoubt {
            undecided.insert(slot.message)
        } else {
            settlement.completions.append(.complete(slot.message, .failed(failure)))
        }
    }

    /// A whole request was refused: a single message in it is refused; of several, the first half is sent next.
    private mutating func refuse(
        _ round: DeliveryRound, _ lane: Int, _ moment: Moment, code: String, detail: String,
        _ settlement: inout Settlement
    ) {
        let sends = round.operations.count { $0.kind == .send }
        guard sends > 0 else {
            lanes[lane].isCautious = true
            holdFruitless(lane, moment, isOfQuestions: true)
            return
        }
        lanes[lane].sendsAfterRefusalMax = max(1, sends / 2)
        guard sends == 1, let message = round.charged, let place = places[message],
            let index = lanes[lane].index(of: place.sequence)
        else {
            giveBackAttempt(round, lane)
            return
        }
        giveUp(lane, index, finalFailure(.refused, code: code, detail: detail, at: moment), &settlement)
    }

    // MARK: - Taking batches back

    /// Takes back everything that is under way in a lane, and commits the outcomes applied before.
    ///
    /// One batch was judged. The others have no verdict: their messages get their attempts back, and the server may
    /// have them.
    mutating func takeBack(
        _ lane: Int, judged: DeliveryRound, _ moment: Moment, _ settlement: inout Settlement,
        _ actions: inout [OutboxAction]
    ) {
        let others = lanes[lane].flights.filter { $0.round.id != judged.id }
        for other in others { giveBackAttempt(other.round, lane) }
        markInDoubt(lane) { $0.id != judged.id }
        requeue(lane, moment, &settlement.mutations)
        flightCount -= lanes[lane].flights.count
        lanes[lane].flights.removeAll()
        lanes[lane].inFlightCount = 0
        commit(settlement, &actions)
        for other in others {
            if let report = other.report { takeProofs(of: other.round, report, moment, &actions) }
        }
    }

    /// Marks the messages of batches that ended without a response: the server may have them.
    mutating func markInDoubt(_ lane: Int, where isUnanswered: (DeliveryRound) -> Bool) {
        var end = lanes[lane].inFlightCount
        for flight in lanes[lane].flights.reversed() {
            // The oldest batch may be resolved in part.
            let start = max(0, end - flight.round.operations.count)
            if isUnanswered(flight.round) {
                for index in start..<end { lanes[lane].slots[index].isInDoubt = true }
            }
            end = start
        }
    }

    /// The mutations to commit at an orderly end of the run, when nothing is under way any more: an attempt that is
    /// cancelled in this way counts as no failure. Transmitted messages remain in doubt by their `previous`.
    package func mutationsToClose(at moment: Moment) -> [Mutation] {
        lanes.flatMap { lane -> [Mutation] in
            let charged = Set(lane.flights.compactMap(\.round.charged))
            return lane.slots.prefix(lane.inFlightCount).filter { $0.kind == .send }.map { slot in
                let attempts = charged.contains(slot.message) ? max(0, slot.attempts - 1) : slot.attempts
                return Mutation.requeue(slot.message, attempts: attempts, at: moment.wall)
            }
        }
    }

    /// Returns messages in flight to waiting.
    private mutating func requeue(_ lane: Int, _ moment: Moment, _ mutations: inout [Mutation]) {
        for index in 0..<lanes[lane].inFlightCount {
            let slot = lanes[lane].slots[index]
            guard slot.kind == .send else { continue }
            mutations.append(.requeue(slot.message, attempts: slot.attempts, at: moment.wall))
        }
    }
}
