import CausewayModels
package import CausewayStorage
import DequeModule

/// Failures: counting attempts, pausing lanes, failing messages.
extension Outbox {
    mutating func failed(
        _ batch: Batch, _ error: TransportError, _ step: inout OutboxStep
    ) {
        guard let lane = laneIndices[batch.lane],
            lanes[lane].inFlightBatches.contains(where: { $0.batch.id == batch.id })
        else {
            // The batch was taken back meanwhile; a request to wait still applies to all lanes.
            if case .rateLimited(let after, _) = error { limitRate(after, step.clock) }
            return
        }
        if error.kind == .inDoubt { markInDoubt(lane) { $0.id == batch.id } }
        switch error {
        case .unreachable(let detail):
            refundAttempt(batch, lane)
            goOffline(detail, step.clock)
        case .notSent:
            // A refusal by this machine is a failure neither of the message nor of the server.
            refundAttempt(batch, lane)
            lanes[lane].hold = OutboxLane.Hold(until: step.clock.now + jittered(configuration.probeInterval))
        case .rateLimited(let after, _):
            refundAttempt(batch, lane)
            limitRate(after, step.clock)
        case .actionRequired(let actionRequired):
            refundAttempt(batch, lane)
            requireAction(actionRequired, step.clock)
        case .transient(let code, let detail), .serverFailed(let code, let detail):
            countAttempt(batch, lane, code: code, detail: detail, &step)
        case .inDoubt(let detail):
            countAttempt(batch, lane, code: "noAnswer", detail: detail, &step)
            goOffline(detail, step.clock)
        case .storeForked:
            return noteFork(&step)
        case .historyChanged:
            refundAttempt(batch, lane)
            noteOtherHistory(&step)
        case .refused(let code, let detail):
            refuse(batch, lane, code: code, detail: detail, &step)
        }
        takeBack(lane, judged: batch, &step)
        dispatch(lane, &step)
    }

    /// One message of a batch, the head of the lane, cannot be applied now.
    mutating func tryLater(
        _ batch: Batch, _ lane: Int, code: String, detail: String, after: Duration?, _ step: inout OutboxStep
    ) {
        guard let head = lanes[lane].slots.first else { return }
        if let after {
            if head.message == batch.countedMessage { refundAttempt(batch, lane) }
            limitRate(after, step.clock)
            return
        }
        guard head.kind == .send else {
            // The message behind the fence was not at fault.
            refundAttempt(batch, lane)
            return backOffLane(lane, step.clock, isOfQuestions: false)
        }
        if head.message != batch.countedMessage {
            lanes[lane].slots[0].attempts += 1
            // A message that fails now must show the attempt; for one that waits it is stored when the batch is taken
            // back.
            if head.attempts + 1 > configuration.retry.retriesMax, let previous = head.previous {
                step.write(.attempt(head.message, previous: previous, attempts: head.attempts + 1, at: step.clock.wall))
            }
        }
        countHeadAttempt(lane, code: code, detail: detail, &step)
    }

    mutating func unsendable(
        _ batch: Batch, _ messages: [MessageID], _ failure: Failure, _ step: inout OutboxStep
    ) {
        guard let lane = laneIndices[batch.lane],
            lanes[lane].inFlightBatches.contains(where: { $0.batch.id == batch.id })
        else { return }
        refundAttempt(batch, lane)
        for message in messages {
            guard let location = locations[message], let index = lanes[lane].index(of: location.sequence) else {
                continue
            }
            giveUp(lane, index, failure, &step)
        }
        takeBack(lane, judged: batch, &step)
        dispatch(lane, &step)
    }

    /// The driver cancelled the batch itself: its messages return to waiting, without a counted attempt.
    mutating func interrupted(_ batch: Batch, _ step: inout OutboxStep) {
        guard let lane = laneIndices[batch.lane],
            lanes[lane].inFlightBatches.contains(where: { $0.batch.id == batch.id })
        else { return }
        refundAttempt(batch, lane)
        markInDoubt(lane) { $0.id == batch.id }
        takeBack(lane, judged: batch, &step)
        dispatch(lane, &step)
    }

    // MARK: - Attempts

    mutating func refundAttempt(_ batch: Batch, _ lane: Int) {
        guard let message = batch.countedMessage, let location = locations[message],
            let index = lanes[lane].index(of: location.sequence)
        else { return }
        lanes[lane].slots[index].attempts = max(0, lanes[lane].slots[index].attempts - 1)
    }

    /// Handles a transient failure of a whole batch: the attempt of its charged message has failed.
    private mutating func countAttempt(
        _ batch: Batch, _ lane: Int, code: String, detail: String, _ step: inout OutboxStep
    ) {
        lanes[lane].sendsHeadOnly = true
        guard batch.countedMessage != nil else {
            backOffLane(lane, step.clock, isOfQuestions: !batch.operations.contains { $0.kind == .send })
            return
        }
        countHeadAttempt(lane, code: code, detail: detail, &step)
    }

    /// The attempt of the lane's first message has failed: it waits, or it fails and the next one is sent.
    private mutating func countHeadAttempt(
        _ lane: Int, code: String, detail: String, _ step: inout OutboxStep
    ) {
        lanes[lane].sendsHeadOnly = true
        guard let index = lanes[lane].slots.firstIndex(where: { $0.kind == .send && !$0.isGone }) else {
            backOffLane(lane, step.clock, isOfQuestions: true)
            return
        }
        let attempts = lanes[lane].slots[index].attempts
        guard attempts > configuration.retry.retriesMax else {
            let pause = jittered(configuration.retry.pause(afterAttempts: attempts))
            lanes[lane].hold = OutboxLane.Hold(until: step.clock.now + pause)
            return
        }
        let failure = finalFailure(
            .retriesUsedUp, code: code, detail: "\(attempts) attempts, the last one: \(detail)", at: step.clock)
        giveUp(lane, index, failure, &step)
    }

    /// Attempts are stored before they begin. If a message has used up all of them without a verdict, one run of the
    /// process after another ended during an attempt: it fails, so that this cannot continue.
    mutating func failExhausted(_ lane: Int, _ step: inout OutboxStep) {
        guard lanes[lane].inFlightBatches.isEmpty else { return }
        while !laneIsPaused(lane), let index = lanes[lane].slots.firstIndex(where: { $0.kind == .send && !$0.isGone }),
            case let attempts = lanes[lane].slots[index].attempts, attempts > configuration.retry.retriesMax
        {
            let failure = finalFailure(
                .retriesUsedUp, code: "interrupted", detail: "\(attempts) attempts, all interrupted", at: step.clock)
            giveUp(lane, index, failure, &step)
            step.commit()
        }
    }

    /// Pauses the lane without counting an attempt: fences and deletions never fail, and wait longer each time, up to
    /// ``questionPauseMax``.
    ///
    /// - Parameter isOfQuestions: true if no message was under way: such a pause delays no message.
    mutating func backOffLane(_ lane: Int, _ clock: ClockReading, isOfQuestions: Bool) {
        lanes[lane].emptyBatchFailures += 1
        let factor = 1 << min(lanes[lane].emptyBatchFailures - 1, 6)
        let pause = jittered(configuration.retry.interval * factor, atMost: Self.questionPauseMax)
        lanes[lane].hold = OutboxLane.Hold(
            until: clock.now + pause,
            evidenceEndsFrom: isOfQuestions ? clock.now + configuration.probeInterval : nil)
        if isOfQuestions { questionHolds.insert(lane) }
    }

    /// The longest pause between two attempts at a fence or deletion, and so the time until a repair is noticed.
    private static let questionPauseMax: Duration = .seconds(15)

    /// Ends the pauses of fences and deletions that the server failed to process, since it is working again. One that
    /// always fails by itself is retried no more often than the server is probed. Cost: linear in the number of lanes
    /// with such pauses.
    mutating func endQuestionPauses(_ step: inout OutboxStep) {
        guard !questionHolds.isEmpty else { return }
        for lane in questionHolds.sorted() {
            guard let hold = lanes[lane].hold, let evidenceEndsFrom = hold.evidenceEndsFrom else {
                questionHolds.remove(lane)
                continue
            }
            lanes[lane].emptyBatchFailures = 0
            lanes[lane].hold?.until = min(hold.until, max(evidenceEndsFrom, step.clock.now))
            if evidenceEndsFrom <= step.clock.now { dispatch(lane, &step) }
        }
    }

    /// Fails the message; its number remains in the chain as a fence.
    mutating func giveUp(
        _ lane: Int, _ index: Int, _ failure: Failure, _ step: inout OutboxStep
    ) {
        let slot = lanes[lane].slots[index]
        noteFailure(of: slot, failure, lane, &step)
        step.write(
            .putMarker(
                ChainMarker(
                    kind: .fence, lane: lanes[lane].id, sequence: slot.sequence, previous: slot.previous,
                    message: slot.message)))
        lanes[lane].slots[index].kind = .fence
        fences[slot.message] = locations.removeValue(forKey: slot.message)
    }

    /// Marks the message as `error` and completes it, or, if it is in doubt, leaves its completion to the verdict.
    mutating func noteFailure(
        of slot: OutboxLane.Slot, _ failure: Failure, _ lane: Int, _ step: inout OutboxStep
    ) {
        // A fence for its sequence from before a resend may still wait for its verdict.
        let isInDoubt = slot.isInDoubt || fences[slot.message] != nil || mayBeElsewhere(slot.sequence)
        step.write(.fail(slot.message, failure, inDoubt: isInDoubt))
        notePause(by: slot.message, failure, lane)
        if isInDoubt {
            awaitingVerdict.insert(slot.message)
        } else {
            step.complete(slot.message, .failed(failure))
        }
    }

    /// A whole request was refused: a single message in it is refused; of several, the first half is sent next.
    private mutating func refuse(
        _ batch: Batch, _ lane: Int, code: String, detail: String, _ step: inout OutboxStep
    ) {
        let sends = batch.operations.count { $0.kind == .send }
        guard sends > 0 else {
            lanes[lane].sendsHeadOnly = true
            backOffLane(lane, step.clock, isOfQuestions: true)
            return
        }
        lanes[lane].sendsAfterRefusalMax = max(1, sends / 2)
        guard sends == 1, let message = batch.countedMessage, let location = locations[message],
            let index = lanes[lane].index(of: location.sequence)
        else {
            refundAttempt(batch, lane)
            return
        }
        giveUp(lane, index, finalFailure(.refused, code: code, detail: detail, at: step.clock), &step)
    }

    // MARK: - Taking batches back

    /// Takes back everything that is under way in a lane, and commits the outcomes applied before.
    ///
    /// One batch was judged. The others have no verdict: their messages get their attempts back, and the server may
    /// have them.
    mutating func takeBack(
        _ lane: Int, judged: Batch, _ step: inout OutboxStep
    ) {
        let others = lanes[lane].inFlightBatches.filter { $0.batch.id != judged.id }
        for other in others { refundAttempt(other.batch, lane) }
        markInDoubt(lane) { $0.id != judged.id }
        requeue(lane, &step)
        inFlightBatchCount -= lanes[lane].inFlightBatches.count
        lanes[lane].inFlightBatches.removeAll()
        lanes[lane].inFlightCount = 0
        step.commit()
        for other in others {
            if let report = other.report { applyConfirmations(of: other.batch, report, &step) }
        }
    }

    /// Marks the messages of batches that ended without a response: the server may have them.
    mutating func markInDoubt(_ lane: Int, where isUnanswered: (Batch) -> Bool) {
        var end = lanes[lane].inFlightCount
        for inFlight in lanes[lane].inFlightBatches.reversed() {
            // The oldest batch may be resolved in part.
            let start = max(0, end - inFlight.batch.operations.count)
            if isUnanswered(inFlight.batch) {
                for index in start..<end { lanes[lane].slots[index].isInDoubt = true }
            }
            end = start
        }
    }

    /// The mutations to commit at an orderly end of the run, when nothing is under way any more: an attempt that is
    /// cancelled in this way counts as no failure. Transmitted messages remain in doubt by their `previous`.
    package func mutationsToClose(at clock: ClockReading) -> [Mutation] {
        lanes.flatMap { lane -> [Mutation] in
            let counted = Set(lane.inFlightBatches.compactMap(\.batch.countedMessage))
            return lane.slots.prefix(lane.inFlightCount).filter { $0.kind == .send }.map { slot in
                let attempts = counted.contains(slot.message) ? max(0, slot.attempts - 1) : slot.attempts
                return Mutation.requeue(slot.message, attempts: attempts, at: clock.wall)
            }
        }
    }

    /// Returns messages in batch in flight to waiting.
    private func requeue(_ lane: Int, _ step: inout OutboxStep) {
        for index in 0..<lanes[lane].inFlightCount {
            let slot = lanes[lane].slots[index]
            guard slot.kind == .send else { continue }
            step.write(.requeue(slot.message, attempts: slot.attempts, at: step.clock.wall))
        }
    }
}
