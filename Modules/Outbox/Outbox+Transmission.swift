import CausewayModels
import CausewayStorage
import DequeModule

/// Sending: selection of the links of a lane for the next batch.
extension Outbox {
    mutating func dispatchAll(_ step: inout OutboxStep) {
        // Including each lane's followers: a lane may be visited before the one that it waits for makes progress.
        for lane in lanes.indices { dispatch(lane, &step) }
    }

    /// Sends what the lane may send now, and what the lanes that wait for it may send.
    mutating func dispatch(_ lane: Int, _ step: inout OutboxStep) {
        dispatchLane(lane, &step)
        for follower in followers(of: lane) { dispatch(follower, &step) }
    }

    /// Lets lanes that found no room send while there is room, one batch each.
    mutating func grantTurns(_ step: inout OutboxStep) {
        while let lane = lanesInTurn.first, hasRoom(for: lane, step.clock) {
            lanesInTurn.removeFirst()
            lanes[lane].isInTurn = false
            dispatchLane(lane, &step, hasTurn: true)
        }
    }

    private mutating func waitForTurn(_ lane: Int) {
        guard !lanes[lane].isInTurn, lanes[lane].inFlightCount < lanes[lane].slots.count else { return }
        lanes[lane].isInTurn = true
        lanesInTurn.append(lane)
    }

    /// - Parameter hasTurn: true for a lane that waited for room, and may send before those that still wait.
    private mutating func dispatchLane(
        _ lane: Int, _ step: inout OutboxStep, hasTurn: Bool = false
    ) {
        guard !isForking else { return }
        expire(lane, &step)
        guard mayTransmit(at: step.clock.now) else { return }
        if let hold = lanes[lane].hold {
            guard hold.until <= step.clock.now || hold.isOfQuestions && hasMessageToSend(lane, step.clock) else {
                return
            }
            lanes[lane].hold = nil
            questionHolds.remove(lane)
        }
        failExhausted(lane, &step)
        dropAged(lane)
        let sendsMax = sendsMax(of: lane)
        let inFlightMax = sendsMax == .max ? configuration.deliveriesInFlightMax : 1
        var mayGo = hasTurn
        while lanes[lane].inFlightBatches.count < inFlightMax {
            let goesByItself = goesByItself(lane, step.clock)
            guard mayGo || lanesInTurn.isEmpty, hasRoom(for: lane, step.clock) else { return waitForTurn(lane) }
            let first = nextBatch
            var batch = Batch(
                id: first, lane: lanes[lane].id, outbox: outboxID, epoch: epoch, opening: lineage.opening,
                ancestors: isConfirmed ? [] : lineage.ancestors, base: lanes[lane].base, operations: [],
                countedMessage: nil)
            let mutations = lanes[lane].fill(
                &batch, configuration, step.clock, sendsBelow: sendLimit(of: lane), sendsMax: sendsMax,
                expiredUntil: expiredUntil(step.clock))
            guard !batch.operations.isEmpty else { return }
            nextBatch += 1
            inFlightBatchCount += 1
            laneByItself = goesByItself ? lane : nil
            mayGo = false
            step.perform(.transmit(batch, mutations))
        }
    }

    /// True while a batch is under way that excludes all others.
    var isUnderWayByItself: Bool { laneByItself.map { !lanes[$0].inFlightBatches.isEmpty } ?? false }

    /// True if there is room among the batches under way for the lane's next one.
    private func hasRoom(for lane: Int, _ clock: ClockReading) -> Bool {
        if inFlightBatchCount == 0 { return true }
        guard inFlightBatchCount < configuration.deliveriesInFlightTotalMax, !isUnderWayByItself else { return false }
        return !goesByItself(lane, clock)
    }

    /// True if nothing else may be under way with the lane's next batch: after a crash its possible cause is sent by
    /// itself, so that no other lane is charged for another crash.
    private func goesByItself(_ lane: Int, _ clock: ClockReading) -> Bool {
        guard lanes[lane].sendsAfterCrashMax != nil, lanes[lane].inFlightBatches.isEmpty else { return false }
        if let hold = lanes[lane].hold, hold.until > clock.now, !hold.isOfQuestions { return false }
        return hasMessageToSend(lane, clock)
    }

    /// True if the lane's next batch would contain a message, apart from any pause: otherwise a batch of fences alone
    /// would be sent repeatedly.
    private func hasMessageToSend(_ lane: Int, _ clock: ClockReading) -> Bool {
        let next = lanes[lane].slots.lazy.filter { !$0.isGone }.prefix(configuration.batchOperationsMax)
        guard let slot = next.first(where: \.isToBeSent), slot.sequence < sendLimit(of: lane) else { return false }
        return expiredUntil(clock).map { slot.queuedAt > $0 } ?? true
    }

    /// The maximum number of messages in one batch of the lane.
    private func sendsMax(of lane: Int) -> Int {
        if goesAlone(lane) { return 1 }
        return min(lanes[lane].sendsAfterCrashMax ?? .max, lanes[lane].sendsAfterRefusalMax ?? .max)
    }
}

extension OutboxLane {
    /// Moves the next links into `batch`, which is under way from now on, and returns the mutations to commit before it
    /// is sent. Leaves the batch empty if there is nothing to send.
    ///
    /// - Parameters:
    ///   - limit: messages from this sequence on must wait; fences and deletions need not.
    ///   - sendsMax: the maximum number of messages.
    ///   - expired: a message that was queued at this time or earlier is not sent, nor is anything behind it.
    fileprivate mutating func fill(
        _ batch: inout Batch, _ configuration: OutboxConfiguration, _ clock: ClockReading,
        sendsBelow limit: Int64, sendsMax: Int, expiredUntil expired: Timestamp?
    ) -> [Mutation] {
        var mutations: [Mutation] = []
        var sends = 0
        var bytes = 0
        let lastTransmittedBefore = lastTransmitted
        var index = inFlightCount
        while index < slots.count, batch.operations.count < configuration.batchOperationsMax {
            if slots[index].isGone {
                slots.remove(at: index)
                continue
            }
            if slots[index].kind == .send {
                if slots[index].sequence >= limit { break }
                if let expired, slots[index].queuedAt <= expired { break }
                if sends > 0, sends >= sendsMax || bytes + slots[index].bytes > configuration.batchBytesMax { break }
                sends += 1
                bytes += slots[index].bytes
                if batch.countedMessage == nil, !hasMessageUnderWay {
                    batch.countedMessage = slots[index].message
                    slots[index].attempts += 1
                }
            }
            transmit(index, clock, &batch, &mutations)
            index += 1
        }
        if lastTransmitted != lastTransmittedBefore { mutations.append(.setLastTransmitted(id, lastTransmitted)) }
        if !batch.operations.isEmpty {
            inFlightBatches.append(InFlightBatch(batch: batch, since: clock, isAlone: inFlightBatches.isEmpty))
            inFlightCount += batch.operations.count
        }
        return mutations
    }

    /// A batch of fences alone counts no attempt: the first message behind them is charged, or a message that crashes
    /// the process would do so endlessly.
    private var hasMessageUnderWay: Bool {
        inFlightBatches.contains { inFlight in inFlight.batch.operations.contains { $0.kind == .send } }
    }

    private mutating func transmit(
        _ index: Int, _ clock: ClockReading, _ batch: inout Batch, _ mutations: inout [Mutation]
    ) {
        let isFirstTime = slots[index].previous == nil
        if isFirstTime {
            let before = index > 0 ? slots[index - 1].sequence : slots[index].sequence - 1
            slots[index].previous = lastTransmitted < slots[index].sequence ? lastTransmitted : before
            lastTransmitted = max(lastTransmitted, slots[index].sequence)
        }
        let slot = slots[index]
        let previous = slot.previous ?? 0
        if slot.kind == .send {
            mutations.append(
                .attempt(slot.message, previous: previous, attempts: slot.attempts, at: clock.wall))
        } else if isFirstTime {
            mutations.append(.attemptMarker(sequence: slot.sequence, previous: previous))
        }
        batch.operations.append(
            Batch.Operation(
                kind: slot.kind, message: slot.message, sequence: slot.sequence, previous: previous))
    }
}
