import CausewayModels
import CausewayStorage
import DequeModule

/// Responses: the server's outcome for each link, and its consequences.
extension Outbox {
    mutating func responded(
        _ batch: Batch, _ report: DeliveryReport, _ step: inout OutboxStep
    ) {
        confirm(batch, report)
        guard let lane = laneIndices[batch.lane],
            let inFlight = lanes[lane].inFlightBatches.firstIndex(where: { $0.batch.id == batch.id })
        else {
            if report.isInRange { applyConfirmations(of: batch, report, &step) }
            dispatchAll(&step)
            return
        }
        guard report.outcomes.count == batch.operations.count, report.isInRange else {
            failed(batch, .inDoubt(detail: "the server's response does not match the request"), &step)
            return
        }
        lanes[lane].inFlightBatches[inFlight].report = report
        settleRespondedBatches(lane, &step)
        dispatch(lane, &step)
        if report.outcomes.first?.isDone == true { endQuestionPauses(&step) }
    }

    /// The maximum number of consecutive times that a lane is renumbered because the server's mark is ahead.
    private static let renumberingsMax = 3

    /// Applies the confirmations in a response to a batch that is no longer under way: its accepted messages are on the
    /// server.
    mutating func applyConfirmations(
        of batch: Batch, _ report: DeliveryReport, _ step: inout OutboxStep
    ) {
        for (operation, outcome) in zip(batch.operations, report.outcomes) {
            if case .accepted(let serverPosition) = outcome {
                confirmed(operation.message, serverPosition, &step)
            }
        }
    }

    /// Processes the responses of the oldest batches in batch in flight, in order.
    private mutating func settleRespondedBatches(
        _ lane: Int, _ step: inout OutboxStep
    ) {
        while let inFlight = lanes[lane].inFlightBatches.first, let report = inFlight.report {
            guard settle(inFlight, report, lane, &step) else {
                return takeBack(lane, judged: inFlight.batch, &step)
            }
            lanes[lane].inFlightBatches.removeFirst()
            inFlightBatchCount -= 1
            lanes[lane].dropGoneHead()
            lanes[lane].widenAfterCrash(inFlight.batch, upTo: configuration.batchOperationsMax)
            lanes[lane].widenAfterRefusal(inFlight.batch, upTo: configuration.batchOperationsMax)
            step.commit()
        }
    }

    /// Applies the outcomes of a batch in order; each removes the head of the lane.
    ///
    /// - Returns: false if an outcome stopped the lane.
    private mutating func settle(
        _ inFlight: OutboxLane.InFlightBatch, _ report: DeliveryReport, _ lane: Int, _ step: inout OutboxStep
    ) -> Bool {
        let batch = inFlight.batch
        for (operation, outcome) in zip(batch.operations, report.outcomes) {
            guard let slot = lanes[lane].slots.first, slot.sequence == operation.sequence else {
                preconditionFailure("a flight does not lie over the head of its lane")
            }
            switch outcome {
            case .accepted, .fenced, .deleted, .refused, .unrelated:
                lanes[lane].slots.removeFirst()
                lanes[lane].inFlightCount -= 1
                lanes[lane].sendsHeadOnly = false
                lanes[lane].emptyBatchFailures = 0
                countRefusedAttempt(slot, outcome, at: inFlight.since, &step)
                conclude(slot, outcome, lane, &step)
            case .late(let mark):
                // A server whose mark is ahead every time must not be followed endlessly.
                if mark > lanes[lane].lastTransmitted, slot.kind == .send,
                    lanes[lane].emptyBatchFailures < Self.renumberingsMax
                {
                    lanes[lane].emptyBatchFailures += 1
                    renumber(lane, above: mark, &step)
                    return false
                }
                lanes[lane].slots.removeFirst()
                lanes[lane].inFlightCount -= 1
                countRefusedAttempt(slot, outcome, at: inFlight.since, &step)
                conclude(slot, outcome, lane, &step)
            case .gap(let mark):
                refundAttempt(batch, lane)
                follow(inFlight.isAlone ? mark : nil, lane, &step)
                return false
            case .tryLater(let code, let detail, let after):
                tryLater(batch, lane, code: code, detail: detail, after: after, &step)
                return false
            case .notAttempted:
                // No earlier operation stopped the server: do not retry immediately in a loop.
                refundAttempt(batch, lane)
                backOffLane(lane, step.clock, isOfQuestions: false)
                return false
            }
        }
        return true
    }

    /// A refusal is the verdict on an attempt, also for a message that was sent without a counted attempt behind the
    /// first of a batch: a failed message never shows fewer attempts than there were.
    private func countRefusedAttempt(
        _ slot: OutboxLane.Slot, _ outcome: DeliveryOutcome, at start: ClockReading, _ step: inout OutboxStep
    ) {
        guard outcome.isRefusal, slot.kind == .send, slot.attempts == 0, let previous = slot.previous else { return }
        step.write(.attempt(slot.message, previous: previous, attempts: 1, at: start.wall))
    }

    /// Concludes a link that has its verdict and has left its lane.
    private mutating func conclude(
        _ slot: OutboxLane.Slot, _ outcome: DeliveryOutcome, _ lane: Int, _ step: inout OutboxStep
    ) {
        switch slot.kind {
        case .send:
            Self.forget(slot, in: &locations)
            concludeSend(slot, outcome, lane, &step)
        case .fence:
            Self.forget(slot, in: &fences)
            step.write(.removeMarker(sequence: slot.sequence))
            if case .accepted(let serverPosition) = outcome {
                delivered(slot.message, serverPosition, &step)
            } else if fences[slot.message] == nil {
                // No later fence of the message waits for its own verdict.
                step.write(.settle(slot.message))
                if awaitingVerdict.remove(slot.message) != nil {
                    step.completeAsStored(slot.message)
                }
            }
        case .retract:
            Self.forget(slot, in: &fences)
            awaitingVerdict.remove(slot.message)  // removed; an older fence may still have represented it
            step.write(.removeMarker(sequence: slot.sequence))
            if case .accepted = outcome {
                step.write(.appendDelete(slot.message, lane: lanes[lane].id))
            }
        case .delete:
            step.write(.removeMarker(sequence: slot.sequence))
        }
    }

    private mutating func concludeSend(
        _ slot: OutboxLane.Slot, _ outcome: DeliveryOutcome, _ lane: Int, _ step: inout OutboxStep
    ) {
        switch outcome {
        case .accepted(let serverPosition):
            step.write(.deliver(slot.message, serverPosition, at: step.clock.wall))
            step.complete(slot.message, .delivered(serverPosition))
        case .unrelated(let detail):
            let alone = finalFailure(.refused, code: "messageNotFound", detail: detail, at: step.clock)
            parkOrFail(slot, alone, lane, &step)
        case .refused(let code, let detail):
            let failure = finalFailure(.refused, code: code, detail: detail, at: step.clock)
            notePause(by: slot.message, failure, lane)
            step.write(.fail(slot.message, failure, inDoubt: false))
            step.complete(slot.message, .failed(failure))
        default:
            let failure = finalFailure(
                .refused, code: "late",
                detail: "refused by the server before; the response with the reason was lost", at: step.clock)
            parkOrFail(slot, failure, lane, &step)
        }
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

    /// Static, because a method would hold a copy of the machine, and changing `locations` would copy it.
    private static func forget(_ slot: OutboxLane.Slot, in locations: inout [MessageID: SlotLocation]) {
        if locations[slot.message]?.sequence == slot.sequence { locations[slot.message] = nil }
    }

    // MARK: - Confirmations

    /// The server has the message, which may have been in state `error`, or waiting to be sent again.
    private mutating func delivered(
        _ message: MessageID, _ serverPosition: ServerPosition, _ step: inout OutboxStep
    ) {
        step.write(.deliver(message, serverPosition, at: step.clock.wall))
        release(by: message)
        if locations[message] != nil {
            step.complete(message, .delivered(serverPosition))
        } else {
            confirmedBeforeKnown.insert(message)
            if awaitingVerdict.remove(message) != nil { step.completeAsStored(message) }
        }
        guard let location = locations[message], let index = lanes[location.lane].index(of: location.sequence) else {
            return
        }
        if lanes[location.lane].headMessage == message { lanes[location.lane].hold = nil }  // the pause was the head's
        locations[message] = nil
        if let previous = lanes[location.lane].slots[index].previous {
            // Its number is a link of the chain: it remains, as a fence.
            lanes[location.lane].slots[index].kind = .fence
            fences[message] = location
            step.write(
                .putMarker(
                    ChainMarker(
                        kind: .fence, lane: lanes[location.lane].id, sequence: location.sequence, previous: previous,
                        message: message)))
        } else {
            lanes[location.lane].removeUnsent(at: index)
        }
    }

    mutating func confirmed(
        _ message: MessageID, _ serverPosition: ServerPosition, _ step: inout OutboxStep
    ) {
        if let fence = fences[message], let index = lanes[fence.lane].index(of: fence.sequence),
            lanes[fence.lane].slots[index].kind == .retract
        {
            return  // deleted meanwhile; the response to the retraction triggers the deletion
        }
        delivered(message, serverPosition, &step)
        step.commit()
    }

    // MARK: - A different mark on the server

    /// Continues from `mark`, where the server's lane is. Without a reliable mark (another batch was under way and may
    /// have moved it since) the same head is sent again, alone.
    private mutating func follow(_ mark: Int64?, _ lane: Int, _ step: inout OutboxStep) {
        lanes[lane].emptyBatchFailures += 1
        if lanes[lane].emptyBatchFailures > 1 {
            lanes[lane].hold = OutboxLane.Hold(until: step.clock.now + jittered(configuration.retry.interval))
        }
        guard let mark, let head = lanes[lane].slots.first, head.previous != mark, mark < head.sequence else { return }
        lanes[lane].slots[0].previous = mark
        step.write(.rebase(sequence: head.sequence, previous: mark))
    }

    /// The messages that unprocessed responses of the lane confirm.
    private func proofsUnderWay(in lane: Int) -> [MessageID: ServerPosition] {
        var proofs: [MessageID: ServerPosition] = [:]
        for inFlight in lanes[lane].inFlightBatches {
            for (operation, outcome) in zip(inFlight.batch.operations, inFlight.report?.outcomes ?? []) {
                if case .accepted(let serverPosition) = outcome { proofs[operation.message] = serverPosition }
            }
        }
        return proofs
    }

    /// Another copy of this store has advanced further than this one: waiting messages get new numbers above its mark.
    private mutating func renumber(
        _ lane: Int, above mark: Int64, _ step: inout OutboxStep
    ) {
        step.write(.raiseSequence(above: mark))
        let proofs = proofsUnderWay(in: lane)
        for index in lanes[lane].slots.indices {
            let slot = lanes[lane].slots[index]
            guard slot.kind == .send, !slot.isGone else { continue }
            Self.forget(slot, in: &locations)
            if let serverPosition = proofs[slot.message] {
                step.write(.deliver(slot.message, serverPosition, at: step.clock.wall))
                step.complete(slot.message, .delivered(serverPosition))
            } else {
                step.write(.resend(slot.message, at: step.clock.wall))
            }
        }
        lanes[lane].slots.removeAll { $0.kind == .send }
        lanes[lane].inFlightCount = 0
        lanes[lane].lastTransmitted = mark
        lanes[lane].renumberedAbove = mark
        step.write(.setLastTransmitted(lanes[lane].id, mark))
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

extension OutboxLane {
    /// Doubles the size of batches after a crash, following a response to one that contained messages. Messages that
    /// had never been transmitted had no part in the crash.
    fileprivate mutating func widenAfterCrash(_ batch: Batch, upTo most: Int) {
        guard let max = sendsAfterCrashMax else { return }
        let hasOlder = inFlightCount < slots.count && slots[inFlightCount].wasTransmitted
        let hasMessage = batch.operations.contains { $0.kind == .send }
        sendsAfterCrashMax = hasOlder ? (hasMessage ? min(max * 2, most) : max) : nil
    }
    /// Doubles the size of batches after a refusal of a whole batch, following a response to one with messages.
    fileprivate mutating func widenAfterRefusal(_ batch: Batch, upTo most: Int) {
        guard let max = sendsAfterRefusalMax, batch.operations.contains(where: { $0.kind == .send }) else { return }
        sendsAfterRefusalMax = max * 2 < most ? max * 2 : nil
    }
}
