import CausewayModels
import CausewayStorage
import DequeModule

/// Attempts: counting and refunding them, pauses between them, and messages that have used them up.
extension Outbox {
    /// Returns the attempt that was counted for the batch, before it was sent, to its message.
    mutating func refundAttempt(_ batch: Batch) {
        guard let message = batch.countedMessage, let slot = sendSlot(of: message) else { return }
        let attempts = lanes[slot.lane].slots[slot.index].attempts
        lanes[slot.lane].slots[slot.index].attempts = max(0, attempts - 1)
    }

    /// Handles a transient failure of a whole batch: the attempt of its charged message has failed.
    mutating func countAttempt(
        _ batch: Batch, _ lane: Int, code: String, detail: String, _ step: inout OutboxStep
    ) {
        lanes[lane].caution.isHeadOnly = true
        guard batch.countedMessage != nil else {
            return backOff(lane, isOfQuestions: !batch.hasMessage, step.clock)
        }
        countHeadAttempt(lane, code: code, detail: detail, &step)
    }

    /// One link of a batch, the head of the lane, cannot be applied now.
    mutating func tryLater(
        _ batch: Batch, _ lane: Int, code: String, detail: String, after: Duration?, _ step: inout OutboxStep
    ) {
        guard let head = lanes[lane].slots.first else { return }
        if let after {
            // Behind a fence, the counted message was not at fault either.
            if head.message == batch.countedMessage || !head.isMessage { refundAttempt(batch) }
            return limitRate(after, step.clock)
        }
        guard head.isMessage else {
            // The message behind the fence was not at fault.
            refundAttempt(batch)
            return backOff(lane, isOfQuestions: false, step.clock)
        }
        if head.message != batch.countedMessage {
            lanes[lane].slots[0].attempts += 1
            // A message that fails now must show the attempt; for one that waits it is stored when the batch is taken
            // back.
            if head.attempts + 1 > configuration.retry.retriesMax, let previous = head.previous {
                step.write(
                    .attempt(head.message, previous: previous, attempts: head.attempts + 1, at: step.clock.wall))
            }
        }
        countHeadAttempt(lane, code: code, detail: detail, &step)
    }

    /// The attempt of the lane's first message has failed: it waits, or it fails and the next one is sent.
    private mutating func countHeadAttempt(
        _ lane: Int, code: String, detail: String, _ step: inout OutboxStep
    ) {
        lanes[lane].caution.isHeadOnly = true
        guard let index = lanes[lane].headIndex else {
            return backOff(lane, isOfQuestions: true, step.clock)
        }
        let slot = lanes[lane].slots[index]
        guard slot.attempts > configuration.retry.retriesMax else {
            let pause = jittered(configuration.retry.pause(afterAttempts: slot.attempts))
            lanes[lane].hold = OutboxLane.Hold(until: step.clock.now + pause)
            return
        }
        let failure = finalFailure(
            of: slot, .retriesUsedUp, code: code, detail: "\(slot.attempts) attempts, the last one: \(detail)",
            at: step.clock)
        giveUp(lane, index, failure, &step)
    }

    /// Attempts are stored before they begin. If a message has used up all of them without a verdict, one run of the
    /// process after another ended during an attempt: it fails, so that this cannot continue.
    mutating func failExhausted(_ lane: Int, _ step: inout OutboxStep) {
        guard lanes[lane].inFlightBatches.isEmpty else { return }
        while failedMessage(pausing: lane) == nil, let index = lanes[lane].headIndex,
            case let slot = lanes[lane].slots[index], slot.attempts > configuration.retry.retriesMax
        {
            let failure = finalFailure(
                of: slot, .retriesUsedUp, code: "interrupted",
                detail: "\(slot.attempts) attempts, all interrupted", at: step.clock)
            giveUp(lane, index, failure, &step)
            step.commit()
        }
    }

    // MARK: - Pauses of fences

    /// Pauses the lane without counting an attempt: fences and deletions never fail, and wait longer each time, up to
    /// ``questionPauseMax``.
    ///
    /// - Parameter isOfQuestions: true if no message was under way: such a pause delays no message.
    mutating func backOff(_ lane: Int, isOfQuestions: Bool, _ clock: ClockReading) {
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

    // MARK: - Giving up

    /// Fails the message; its number remains in the chain as a fence.
    mutating func giveUp(_ lane: Int, _ index: Int, _ failure: Failure, _ step: inout OutboxStep) {
        noteFailure(of: lanes[lane].slots[index], failure, lane, &step)
        becomeFence(lane, index, &step)
    }

    /// Fails a message that is not in flight: one that was never transmitted, of which no copy can exist, leaves no gap
    /// and needs no fence.
    mutating func failUnsent(_ lane: Int, _ index: Int, _ failure: Failure, _ step: inout OutboxStep) {
        let slot = lanes[lane].slots[index]
        lanes[lane].endHold(ofHead: slot.message)
        guard !slot.wasTransmitted, !mayBeElsewhere(slot.ordinal, in: lanes[lane].id) else {
            return giveUp(lane, index, failure, &step)
        }
        noteFailure(of: slot, failure, lane, &step)
        slotIndex.removeSend(slot.message)
        lanes[lane].removeUnsent(at: index)
    }

    /// The slot's message is no longer to be sent; a fence takes its place in the chain.
    mutating func becomeFence(_ lane: Int, _ index: Int, _ step: inout OutboxStep) {
        lanes[lane].slots[index].becomeFence()
        let slot = lanes[lane].slots[index]
        slotIndex.becomeFence(slot.message)
        step.write(
            .putMarker(
                ChainMarker(
                    kind: .fence, lane: lanes[lane].id, sequence: slot.sequence, previous: slot.previous,
                    message: slot.message)))
    }

    /// Marks the message as `error` and completes it, or, if it is in doubt, leaves its completion to the verdict.
    mutating func noteFailure(of slot: OutboxLane.Slot, _ failure: Failure, _ lane: Int, _ step: inout OutboxStep) {
        // A fence for its sequence from before a resend may still wait for its verdict.
        let isInDoubt =
            slot.isInDoubt || slotIndex.hasFence(for: slot.message) || mayBeElsewhere(slot.ordinal, in: lanes[lane].id)
        step.write(.fail(slot.message, failure, inDoubt: isInDoubt))
        endUpload(of: slot.message, isAbandoned: false, &step)
        notePause(by: slot.message, failure, lane)
        if isInDoubt {
            awaitingVerdict.insert(slot.message)
        } else {
            step.complete(slot.message, .failed(failure))
        }
    }
}
