import CausewayModels
import CausewayStorage
import DequeModule

/// Responses: the server's outcome for each link, and its consequences.
extension Outbox {
    mutating func answered(
        _ round: DeliveryRound, _ report: DeliveryReport, _ moment: Moment, _ actions: inout [OutboxAction]
    ) {
        confirm(round, report)
        guard let lane = laneIndices[round.lane],
            let flight = lanes[lane].flights.firstIndex(where: { $0.round.id == round.id })
        else {
            if report.isInRange { takeProofs(of: round, report, moment, &actions) }
            pumpAll(moment, &actions)
            return
        }
        guard report.outcomes.count == round.operations.count, report.isInRange else {
            failed(round, .inDoubt(detail: "the server's answer does not fit the request"), moment, &actions)
            return
        }
        lanes[lane].flights[flight].report = report
        settleAnsweredFlights(lane, moment, &actions)
        pump(lane, moment, &actions)
        if report.outcomes.first?.isDone == true { endQuestionPauses(moment, &actions) }
    }

    /// The maximum number of consecutive times that a lane is renumbered because the server's mark is ahead.
    private static let startsAnewMax = 3

    /// Applies the confirmations in a response to a batch that is no longer under way: its accepted messages are on the
    /// server.
    mutating func takeProofs(
        of round: DeliveryRound, _ report: DeliveryReport, _ moment: Moment, _ actions: inout [OutboxAction]
    ) {
        for (operation, outcome) in zip(round.operations, report.outcomes) {
            if case .accepted(let placement) = outcome { proven(operation.message, placement, moment, &actions) }
        }
    }

    /// Processes the responses of the oldest batches in flight, in order.
    private mutating func settleAnsweredFlights(
        _ lane: Int, _ moment: Moment, _ actions: inout [OutboxAction]
    ) {
        while let flight = lanes[lane].flights.first, let report = flight.report {
            var settlement = Settlement()
            guard settle(flight, report, lane, moment, &settlement) else {
                return takeBack(lane, judged: flight.round, moment, &settlement, &actions)
            }
            lanes[lane].flights.removeFirst()
            flightCount -= 1
            lanes[lane].dropGoneHead()
            lanes[lane].widenAfterCrash(flight.round, upTo: configuration.batchOperationsMax)
            lanes[lane].widenAfterRefusal(flight.round, upTo: configuration.batchOperationsMax)
            commit(settlement, &actions)
        }
    }

    /// The consequences of a batch's outcomes: one commit, followed by the completions.
    struct Settlement {
        var mutations: [Mutation] = []
        var completions: [OutboxAction] = []
    }

    func commit(_ settlement: Settlement, _ actions: inout [OutboxAction]) {
        if !settlement.mutations.isEmpty { actions.append(.commit(settlement.mutations)) }
        actions += settlement.completions
    }

    /// Applies the outcomes of a batch in order; each removes the head of the lane.
    ///
    /// - Returns: false if an outcome stopped the lane.
    private mutating func settle(
        _ flight: OutboxLane.Flight, _ report: DeliveryReport, _ lane: Int, _ moment: Moment,
        _ settlement: inout Settlement
    ) -> Bool {
        let round = flight.round
        for (operation, outcome) in zip(round.operations, report.outcomes) {
            guard let slot = lanes[lane].slots.first, slot.sequence == operation.sequence else {
                preconditionFailure("a flight does not lie over the head of its lane")
            }
            switch outcome {
            case .accepted, .fenced, .deleted, .refused, .unrelated:
                lanes[lane].slots.removeFirst()
                lanes[lane].inFlightCount -= 1
                lanes[lane].isCautious = false
                lanes[lane].fruitless = 0
                countRefusedAttempt(slot, outcome, at: flight.since, &settlement)
                conclude(slot, outcome, lane, moment, &settlement)
            case .late(let mark):
                // A server whose mark is ahead every time must not be followed endlessly.
                if mark > lanes[lane].lastTransmitted, slot.kind == .send, lanes[lane].fruitless < Self.startsAnewMax {
                    lanes[lane].fruitless += 1
                    startAnew(lane, above: mark, moment, &settlement)
                    return false
                }
                lanes[lane].slots.removeFirst()
                lanes[lane].inFlightCount -= 1
                countRefusedAttempt(slot, outcome, at: flight.since, &settlement)
                conclude(slot, outcome, lane, moment, &settlement)
            case .gap(let mark):
                giveBackAttempt(round, lane)
                follow(flight.isAlone ? mark : nil, lane, moment, &settlement)
                return false
            case .tryLater(let code, let detail, let after):
                tryLater(round, lane, moment, code: code, detail: detail, after: after, &settlement)
                return false
            case .notAttempted:
                // No earlier operation stopped the server: do not retry immediately in a loop.
                giveBackAttempt(round, lane)
                holdFruitless(lane, moment, isOfQuestions: false)
                return false
            }
        }
        return true
    }

    /// A refusal is the verdict on an attempt, also for a message that was sent without a counted attempt behind the
    /// first of a batch: a failed message never shows fewer attempts than there were.
    private func countRefusedAttempt(
        _ slot: OutboxLane.Slot, _ outcome: DeliveryOutcome, at start: Moment, _ settlement: inout Settlement
    ) {
        guard outcome.isRefusal, slot.kind == .send, slot.attempts == 0, let previous = slot.previous else { return }
        settlement.mutations.append(.attempt(slot.message, previous: previous, attempts: 1, at: start.wall))
    }

    /// Concludes a link that has its verdict and has left its lane.
    private mutating func conclude(
        _ slot: OutboxLane.Slot, _ outcome: DeliveryOutcome, _ lane: Int, _ moment: Moment,
        _ settlement: inout Settlement
    ) {
        switch slot.kind {
        case .send:
            Self.forget(slot, in: &places)
            concludeSend(slot, outcome, lane, moment, &settlement)
        case .fence:
            Self.forget(slot, in: &fences)
            settlement.mutations.append(.removeControl(sequence: slot.sequence))
            if case .accepted(let placement) = outcome {
                delivered(slot.message, placement, moment, &settlement)
            } else if fences[slot.message] == nil {
                // No later fence of the message waits for its own verdict.
                settlement.mutations.append(.settle(slot.message))
                if undecided.remove(slot.message) != nil {
                    settlement.completions.append(.completeAsStored(slot.message))
                }
            }
        case .retract:
            Self.forget(slot, in: &fences)
            undecided.remove(slot.message)  // removed; an older fence may still have represented it
            settlement.mutations.append(.removeControl(sequence: slot.sequence))
            if case .accepted = outcome {
                settlement.mutations.append(.appendDelete(slot.message, lane: lanes[lane].id))
            }
        case .delete:
            settlement.mutations.append(.removeControl(sequence: slot.sequence))
        }
    }

    private mutating func concludeSend(
        _ slot: OutboxLane.Slot, _ outcome: DeliveryOutcome, _ lane: Int, _ moment: Moment,
        _ settlement: inout Settlement
    ) {
        switch outcome {
        case .accepted(let placement):
            settlement.mutations.append(.deliver(slot.message, placement, at: moment.wall))
            settlement.completions.append(.complete(slot.message, .delivered(placement)))
        case .unrelated(let detail):
            let alone = finalFailure(.refused, code: "messageNotFound", detail: detail, at: moment)
            parkOrFail(slot, alone, lane, &settlement)
        case .refused(let code, let detail):
            let failure = finalFailure(.refused, code: code, detail: detail, at: moment)
            notePause(by: slot.message, failure, lane)
            settlement.mutations.append(.fail(slot.message, failure, inDoubt: false))
            settlement.completions.append(.complete(slot.message, .failed(failure)))
        default:
            let failure = finalFailure(
                .refused, code: "late",
                detail: "the server had refused it before; the answer with its reason was lost", at: moment)
            parkOrFail(slot, failure, lane, &settlement)
        }
    }

    /// The message follows the one that it refers to, or fails with it; the store decides. Under a policy that pauses
    /// lanes the lane waits for the store's decision.
    private mutating func parkOrFail(
        _ slot: OutboxLane.Slot, _ failure: Failure, _ lane: Int, _ settlement: inout Settlement
    ) {
        notePause(by: slot.message, failure, lane)
        settlement.mutations.append(.park(slot.message, failure))
        settlement.completions.append(.completeAsStored(slot.message))
    }

    /// Static, because a method would hold a copy of the machine, and changing `places` would copy it.
    private static func forget(_ slot: OutboxLane.Slot, in places: inout [MessageID: Place]) {
        if places[slot.message]?.sequence == slot.sequence { places[slot.message] = nil }
    }

    // MARK: - Confirmations

    /// The server has the message, which may have been in state `error`, or waiting to be sent again.
    private mutating func delivered(
        _ message: MessageID, _ placement: Placement, _ moment: Moment, _ settlement: inout Settlement
    ) {
        settlement.mutations.append(.deliver(message, placement, at: moment.wall))
        release(by: message)
        if places[message] != nil {
            settlement.completions.append(.complete(message, .delivered(placement)))
        } else {
            provenBeforePlaced.insert(message)
            if undecided.remove(message) != nil { settlement.completions.append(.completeAsStored(message)) }
        }
        guard let place = places[message], let index = lanes[place.lane].index(of: place.sequence) else { return }
        if lanes[place.lane].headMessage == message { lanes[place.lane].hold = nil }  // the pause was the head's
        places[message] = nil
        if let previous = lanes[place.lane].slots[index].previous {
            // Its number is a link of the chain: it remains, as a fence.
            lanes[place.lane].slots[index].kind = .fence
            fences[message] = place
            settlement.mutations.append(
                .putControl(
                    ControlEntry(
                        kind: .fence, lane: lanes[place.lane].id, sequence: place.sequence, previous: previous,
                        message: message)))
        } else {
            lanes[place.lane].vanish(at: index)
        }
    }

    mutating func proven(
        _ message: MessageID, _ placement: Placement, _ moment: Moment, _ actions: inout [OutboxAction]
    ) {
        if let fence = fences[message], let index = lanes[fence.lane].index(of: fence.sequence),
            lanes[fence.lane].slots[index].kind == .retract
        {
            return  // deleted meanwhile; the response to the retraction triggers the deletion
        }
        var settlement = Settlement()
        delivered(message, placement, moment, &settlement)
        commit(settlement, &actions)
    }

    // MARK: - A different mark on the server

    /// Continues from `mark`, where the server's lane is. Without a reliable mark (another batch was under way and may
    /// have moved it since) the same head is sent again, alone.
    private mutating func follow(_ mark: Int64?, _ lane: Int, _ moment: Moment, _ settlement: inout Settlement) {
        lanes[lane].fruitless += 1
        if lanes[lane].fruitless > 1 {
            lanes[lane].hold = OutboxLane.Hold(until: moment.now + jittered(configuration.retry.interval))
        }
        guard let mark, let head = lanes[lane].slots.first, head.previous != mark, mark < head.sequence else { return }
        lanes[lane].slots[0].previous = mark
        settlement.mutations.append(.rebase(sequence: head.sequence, previous: mark))
    }

    /// The messages that unprocessed responses of the lane confirm.
    private func proofsUnderWay(in lane: Int) -> [MessageID: Placement] {
        var proofs: [MessageID: Placement] = [:]
        for flight in lanes[lane].flights {
            for (operation, outcome) in zip(flight.round.operations, flight.report?.outcomes ?? []) {
                if case .accepted(let placement) = outcome { proofs[operation.message] = placement }
            }
        }
        return proofs
    }

    /// Another copy of this store has advanced further than this one: waiting messages get new numbers above its mark.
    private mutating func startAnew(
        _ lane: Int, above mark: Int64, _ moment: Moment, _ settlement: inout Settlement
    ) {
        settlement.mutations.append(.raiseSequence(above: mark))
        let proofs = proofsUnderWay(in: lane)
        for index in lanes[lane].slots.indices {
            let slot = lanes[lane].slots[index]
            guard slot.kind == .send, !slot.isGone else { continue }
            Self.forget(slot, in: &places)
            if let placement = proofs[slot.message] {
                settlement.mutations.append(.deliver(slot.message, placement, at: moment.wall))
                settlement.completions.append(.complete(slot.message, .delivered(placement)))
            } else {
                settlement.mutations.append(.resend(slot.message, at: moment.wall))
            }
        }
        lanes[lane].slots.removeAll { $0.kind == .send }
        lanes[lane].inFlightCount = 0
        lanes[lane].lastTransmitted = mark
        lanes[lane].startedAnewAbove = mark
        settlement.mutations.append(.setLastTransmitted(lanes[lane].id, mark))
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
    fileprivate mutating func widenAfterCrash(_ round: DeliveryRound, upTo most: Int) {
        guard let max = sendsAfterCrashMax else { return }
        let hasOlder = inFlightCount < slots.count && slots[inFlightCount].wasTransmitted
        let hasMessage = round.operations.contains { $0.kind == .send }
        sendsAfterCrashMax = hasOlder ? (hasMessage ? min(max * 2, most) : max) : nil
    }
    /// Doubles the size of batches after a refusal of a whole batch, following a response to one with messages.
    fileprivate mutating func widenAfterRefusal(_ round: DeliveryRound, upTo most: Int) {
        guard let max = sendsAfterRefusalMax, round.operations.contains(where: { $0.kind == .send }) else { return }
        sendsAfterRefusalMax = max * 2 < most ? max * 2 : nil
    }
}
