import CausewayModels
import CausewayStorage
import DequeModule

/// Responses: the server's outcome for each link, in the order of the batches.
extension Outbox {
    mutating func responded(_ batch: Batch, _ report: DeliveryReport, _ step: inout OutboxStep) {
        confirm(batch, report)
        guard let lane = lane(of: batch),
            let inFlight = lanes[lane].inFlightBatches.firstIndex(where: { $0.batch.id == batch.id })
        else {
            if report.isInRange { applyConfirmations(of: batch, report, &step) }
            return dispatchAll(&step)
        }
        guard report.outcomes.count == batch.operations.count, report.isInRange else {
            return failed(batch, .inDoubt(detail: "the server's response does not match the request"), &step)
        }
        lanes[lane].inFlightBatches[inFlight].report = report
        resolveBatches(lane, &step)
        dispatch(lane, &step)
        if report.outcomes.first?.isDone == true { endQuestionPauses(&step) }
    }

    /// Processes the responses of the oldest batches in flight, in order.
    private mutating func resolveBatches(_ lane: Int, _ step: inout OutboxStep) {
        while let inFlight = lanes[lane].inFlightBatches.first, let report = inFlight.report {
            guard apply(report, to: inFlight, lane, &step) else {
                return takeBack(lane, judged: inFlight.batch, &step)
            }
            lanes[lane].removeResolvedBatch(upTo: configuration.batchOperationsMax)
            turns.end(1)
            step.commit()
        }
    }

    /// The maximum number of consecutive times that the outbox continues under a new id because the server's mark is
    /// ahead; then the server's response counts as a refusal.
    private static let marksAheadMax = 3

    /// Applies the outcomes of a batch in order; each removes the head of the lane.
    ///
    /// - Returns: false if an outcome stopped the lane.
    private mutating func apply(
        _ report: DeliveryReport, to inFlight: OutboxLane.InFlightBatch, _ lane: Int, _ step: inout OutboxStep
    ) -> Bool {
        let batch = inFlight.batch
        for (operation, outcome) in zip(batch.operations, report.outcomes) {
            guard let slot = lanes[lane].slots.first, slot.sequence == operation.sequence else {
                preconditionFailure("a flight does not lie over the head of its lane")
            }
            switch outcome {
            case .accepted, .fenced, .deleted, .refused, .unrelated:
                lanes[lane].noteProgress()
                marksAhead = 0
                resolveHead(slot, outcome, of: inFlight, lane, &step)
                removeDeleted(slot.message, outcome, report, &step)
            case .late(let mark):
                // Another copy of this store has delivered. A server whose mark is ahead every time must not be
                // followed endlessly.
                if mark > lanes[lane].lastTransmitted, slot.isMessage, marksAhead < Self.marksAheadMax {
                    marksAhead += 1
                    applyConfirmations(of: batch, report, after: slot.sequence, &step)
                    noteFork(&step)
                    return false
                }
                resolveHead(slot, outcome, of: inFlight, lane, &step)
            case .gap(let mark):
                refundAttempt(batch)
                follow(inFlight.isAlone ? mark : nil, lane, &step)
                return false
            case .tryLater(let code, let detail, let after):
                tryLater(batch, lane, code: code, detail: detail, after: after, &step)
                return false
            case .notAttempted:
                // No earlier operation stopped the server: do not retry immediately in a loop.
                refundAttempt(batch)
                backOff(lane, isOfQuestions: false, step.clock)
                return false
            }
        }
        return true
    }

    /// Removes a message that was delivered, and has been deleted on the server since.
    mutating func removeDeleted(
        _ message: MessageID, _ outcome: DeliveryOutcome, _ report: DeliveryReport, _ step: inout OutboxStep
    ) {
        guard case .accepted = outcome, report.deletedSince.contains(message) else { return }
        step.write(.delete(message))
    }

    // MARK: - Verdicts

    /// The head of the lane has its verdict and leaves the chain.
    mutating func resolveHead(
        _ slot: OutboxLane.Slot, _ outcome: DeliveryOutcome, of inFlight: OutboxLane.InFlightBatch, _ lane: Int,
        _ step: inout OutboxStep
    ) {
        lanes[lane].removeHead()
        countRefusedAttempt(slot, outcome, at: inFlight.since, &step)
        switch slot.state {
        case .waiting, .transmitted, .inDoubt:
            slotIndex.removeSend(slot)
            resolveMessage(slot, outcome, lane, &step)
        case .fence:
            slotIndex.removeFence(slot)
            step.write(.removeMarker(sequence: slot.sequence))
            resolveFence(slot, outcome, &step)
        case .retract:
            slotIndex.removeFence(slot)
            awaitingVerdict.remove(slot.message)  // removed; an older fence may still have represented it
            step.write(.removeMarker(sequence: slot.sequence))
            if case .accepted = outcome { step.write(.appendDelete(slot.message, lane: lanes[lane].id)) }
        case .delete:
            step.write(.removeMarker(sequence: slot.sequence))
        case .removed: break
        }
    }

    /// A refusal is the verdict on an attempt, also for a message that was sent without a counted attempt behind the
    /// first of a batch: a failed message never shows fewer attempts than there were.
    private func countRefusedAttempt(
        _ slot: OutboxLane.Slot, _ outcome: DeliveryOutcome, at start: ClockReading, _ step: inout OutboxStep
    ) {
        guard outcome.isRefusal, slot.isMessage, slot.attempts == 0, let previous = slot.previous else { return }
        step.write(.attempt(slot.message, previous: previous, attempts: 1, at: start.wall))
    }

    private mutating func resolveMessage(
        _ slot: OutboxLane.Slot, _ outcome: DeliveryOutcome, _ lane: Int, _ step: inout OutboxStep
    ) {
        switch outcome {
        case .accepted(let serverPosition):
            step.write(.deliver(slot.message, serverPosition, at: step.clock.wall))
            step.complete(slot.message, .delivered(serverPosition))
        case .unrelated(let detail):
            let alone = finalFailure(of: slot, .refused, code: "messageNotFound", detail: detail, at: step.clock)
            parkOrFail(slot, alone, lane, &step)
        case .refused(Failure.attachmentUnknownCode, _) where mayUploadAgain(slot):
            step.write(.upload(slot.message, .startAgain, at: step.clock.wall))
        case .refused(let code, let detail):
            let failure = finalFailure(of: slot, .refused, code: code, detail: detail, at: step.clock)
            notePause(by: slot.message, failure, lane)
            step.write(.fail(slot.message, failure, inDoubt: false))
            step.complete(slot.message, .failed(failure))
        default:
            let failure = finalFailure(
                of: slot, .refused, code: "late",
                detail: "refused by the server before; the response with the reason was lost", at: step.clock)
            parkOrFail(slot, failure, lane, &step)
        }
    }

    /// True if the server had the file of a message and has lost it, for the first time since the message was created
    /// or resent. The upload begins again, and the message returns at the tail of its lane; not if nothing may overtake
    /// it.
    private func mayUploadAgain(_ slot: OutboxLane.Slot) -> Bool {
        guard configuration.headFailure != .pauseLane, let upload = slot.upload else { return false }
        return !upload.isRepeated
    }

    /// The message follows the one that it refers to, or fails with it; the store decides. Under a policy that pauses
    /// lanes the lane waits for the store's decision.
    private mutating func parkOrFail(
        _ slot: OutboxLane.Slot, _ failure: Failure, _ lane: Int, _ step: inout OutboxStep
    ) {
        notePause(by: slot.message, failure, lane)
        step.write(.park(slot.message, failure))
        step.completeAsStored(slot.message)
    }

    private mutating func resolveFence(
        _ slot: OutboxLane.Slot, _ outcome: DeliveryOutcome, _ step: inout OutboxStep
    ) {
        if case .accepted(let serverPosition) = outcome {
            delivered(slot.message, serverPosition, &step)
        } else if !slotIndex.hasFence(for: slot.message) {
            // No later fence of the message waits for its own verdict.
            step.write(.settle(slot.message))
            if awaitingVerdict.remove(slot.message) != nil { step.completeAsStored(slot.message) }
        }
    }
}

extension DeliveryOutcome {
    /// True if the server processed the operation, with whatever result: it is working.
    fileprivate var isDone: Bool {
        switch self {
        case .accepted, .fenced, .deleted, .refused, .unrelated: true
        case .tryLater, .notAttempted, .gap, .late: false
        }
    }

    /// True if the server processed the operation and will not store it.
    fileprivate var isRefusal: Bool {
        switch self {
        case .refused, .unrelated, .late: true
        case .accepted, .fenced, .deleted, .tryLater, .notAttempted, .gap: false
        }
    }
}
