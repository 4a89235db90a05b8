import CausewayModels
import CausewayStorage
import DequeModule

/// Sending: which lanes send now, and what their next batches contain.
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
        while let lane = turns.waiting.first, hasRoom(for: lane, step.clock) {
            turns.dequeue()
            dispatchLane(lane, &step, hasTurn: true)
        }
    }

    /// - Parameter hasTurn: true for a lane that waited for room, and may send before those that still wait.
    private mutating func dispatchLane(_ lane: Int, _ step: inout OutboxStep, hasTurn: Bool = false) {
        guard storeView == .current else { return }
        expire(lane, &step)
        guard batchBlock(of: lane, at: step.clock) == nil else { return }
        endHold(of: lane)
        failExhausted(lane, &step)
        lanes[lane].dropAged()
        let messagesMax = messagesMax(of: lane)
        let isSeveral = messagesMax == .max && lanes[lane].caution.allowsSeveralBatches
        let inFlightMax = isSeveral ? configuration.deliveriesInFlightMax : 1
        var mayGo = hasTurn
        while lanes[lane].inFlightBatches.count < inFlightMax {
            let goesByItself = goesByItself(lane, step.clock)
            guard mayGo || turns.waiting.isEmpty, hasRoom(for: lane, step.clock) else { return waitForTurn(lane) }
            guard transmitBatch(of: lane, messagesMax: messagesMax, byItself: goesByItself, &step) else { return }
            mayGo = false
        }
    }

    /// - Returns: false if the lane has nothing to send.
    private mutating func transmitBatch(
        of lane: Int, messagesMax: Int, byItself: Bool, _ step: inout OutboxStep
    ) -> Bool {
        var batch = Batch(
            id: nextBatch, lane: lanes[lane].id, outbox: outboxID, epoch: epoch, opening: lineage.opening,
            ancestors: isConfirmed ? [] : lineage.ancestors, base: lanes[lane].base,
            isPipelined: !lanes[lane].inFlightBatches.isEmpty, operations: [], countedMessage: nil)
        let limits = OutboxLane.BatchLimits(
            operationsMax: configuration.batchOperationsMax, messagesMax: messagesMax,
            bytesMax: configuration.batchBytesMax, sizeMax: lanes[lane].caution.afterSilenceSizeMax,
            messagesBelow: messagesBelow(in: lane), attemptsMax: configuration.retry.retriesMax + 1,
            expiredUntil: aging.expiredUntil(step.clock))
        let mutations = lanes[lane].fill(&batch, within: limits, at: step.clock)
        guard !batch.operations.isEmpty else { return false }
        nextBatch += 1
        turns.begin(batch.id, byItself: byItself)
        step.perform(.transmit(batch, mutations))
        return true
    }

    /// Ends a pause of the lane that no longer delays it.
    private mutating func endHold(of lane: Int) {
        guard lanes[lane].hold != nil else { return }
        lanes[lane].hold = nil
        questionHolds.remove(lane)
    }

    // MARK: - Room

    private mutating func waitForTurn(_ lane: Int) {
        if lanes[lane].inFlightCount < lanes[lane].slots.count { turns.wait(lane) }
    }

    /// True if there is room among the batches under way for the lane's next one.
    private func hasRoom(for lane: Int, _ clock: ClockReading) -> Bool {
        turns.hasRoom(
            underWayMax: configuration.deliveriesInFlightTotalMax, goesByItself: goesByItself(lane, clock))
    }

    /// True if nothing else may be under way with the lane's next batch: after a crash its possible cause is sent by
    /// itself, so that no other lane is charged for another crash.
    private func goesByItself(_ lane: Int, _ clock: ClockReading) -> Bool {
        guard lanes[lane].caution.afterCrashMax != nil, lanes[lane].inFlightBatches.isEmpty else { return false }
        if let hold = lanes[lane].hold, hold.until > clock.now, !hold.isOfQuestions { return false }
        return hasMessageToSend(lane, clock)
    }

    /// The maximum number of messages in one batch of the lane; `.max` if there is no limit. While a failure pauses
    /// its lane only one is under way, so that nothing overtakes the one that fails.
    private func messagesMax(of lane: Int) -> Int {
        configuration.headFailure == .pauseLane ? 1 : lanes[lane].caution.messagesMax
    }
}
