import CausewayModels
package import CausewayStorage
import DequeModule

/// Batches that failed as a whole: the transport's errors, and batches that the driver did not send.
extension Outbox {
    /// The lane in which the batch is under way; `nil` if the batch was taken back meanwhile.
    func lane(of batch: Batch) -> Int? {
        laneIndices[batch.lane].flatMap { lanes[$0].isUnderWay(batch) ? $0 : nil }
    }

    mutating func failed(_ batch: Batch, _ error: TransportError, _ step: inout OutboxStep) {
        guard let lane = lane(of: batch) else {
            // A request to wait still applies to all lanes.
            if case .rateLimited(let after, _) = error { limitRate(after, step.clock) }
            return
        }
        if error.mayHaveBeenApplied { lanes[lane].markInDoubt { $0.id == batch.id } }
        switch error {
        case .unreachable(let detail):
            refundAttempt(batch)
            goOffline(detail, step.clock)
        case .notSent:
            // A refusal by this machine is a failure neither of the message nor of the server.
            refundAttempt(batch)
            lanes[lane].hold = OutboxLane.Hold(until: step.clock.now + jittered(configuration.probeInterval))
        case .rateLimited(let after, _):
            refundAttempt(batch)
            limitRate(after, step.clock)
        case .actionRequired(let actionRequired):
            refundAttempt(batch)
            requireAction(actionRequired, step.clock)
        case .transient(let code, let detail), .serverFailed(let code, let detail):
            countAttempt(batch, lane, code: code, detail: detail, &step)
        case .inDoubt(let detail):
            lanes[lane].noteSilence(after: batch)
            countAttempt(batch, lane, code: "noAnswer", detail: detail, &step)
            goOffline(detail, step.clock)
        case .storeForked:
            return noteFork(&step)
        case .historyChanged:
            refundAttempt(batch)
            noteOtherHistory(&step)
        case .refused(let code, let detail):
            refuse(batch, lane, code: code, detail: detail, &step)
        }
        takeBack(lane, judged: batch, &step)
        dispatch(lane, &step)
    }

    /// Messages of the batch cannot be sent; the others return to waiting.
    mutating func unsendable(
        _ batch: Batch, _ messages: [MessageID], _ reason: Failure.Reason, code: String, detail: String,
        _ step: inout OutboxStep
    ) {
        guard let lane = lane(of: batch) else { return }
        refundAttempt(batch)
        for message in messages {
            guard let slot = sendSlot(of: message) else { continue }
            let failure = finalFailure(
                of: lanes[lane].slots[slot.index], reason, code: code, detail: detail, at: step.clock)
            giveUp(lane, slot.index, failure, &step)
        }
        takeBack(lane, judged: batch, &step)
        dispatch(lane, &step)
    }

    /// The driver cancelled the batch itself: its messages return to waiting, without a counted attempt.
    mutating func interrupted(_ batch: Batch, _ step: inout OutboxStep) {
        guard let lane = lane(of: batch) else { return }
        refundAttempt(batch)
        lanes[lane].markInDoubt { $0.id == batch.id }
        takeBack(lane, judged: batch, &step)
        dispatch(lane, &step)
    }

    /// A whole request was refused: a single message in it is refused; of several, the first half is sent next.
    private mutating func refuse(
        _ batch: Batch, _ lane: Int, code: String, detail: String, _ step: inout OutboxStep
    ) {
        let messages = batch.operations.count { $0.kind == .send }
        guard messages > 0 else {
            lanes[lane].caution.isHeadOnly = true
            backOff(lane, isOfQuestions: true, step.clock)
            return
        }
        lanes[lane].caution.afterRefusalMax = max(1, messages / 2)
        guard messages == 1, let message = batch.countedMessage, let slot = sendSlot(of: message) else {
            refundAttempt(batch)
            return
        }
        let failure = finalFailure(
            of: lanes[lane].slots[slot.index], .refused, code: code, detail: detail, at: step.clock)
        giveUp(lane, slot.index, failure, &step)
    }

    /// The text for what was created by another account than the one that is logged in. It is stored with this account,
    /// so that the other one never sees it, and nothing sends it in this one's name.
    static let foreignDetail =
        "another account created this and logged out before it was stored, so it was not sent; "
        + "log in with that account and create it again, and delete it here"

    // MARK: - Taking batches back

    /// Takes back everything that is under way in a lane, and commits the outcomes applied before.
    ///
    /// One batch was judged. The others have no verdict: their messages get their attempts back, and the server may
    /// have them.
    mutating func takeBack(_ lane: Int, judged: Batch, _ step: inout OutboxStep) {
        let others = lanes[lane].inFlightBatches.filter { $0.batch.id != judged.id }
        for other in others { refundAttempt(other.batch) }
        lanes[lane].markInDoubt { $0.id != judged.id }
        turns.end(lanes[lane].takeBack(&step))
        step.commit()
        for other in others {
            if let report = other.report { applyConfirmations(of: other.batch, report, &step) }
        }
    }

    /// The mutations to commit at an orderly end of the run, when nothing is under way any more: an attempt that is
    /// cancelled in this way counts as no failure. Transmitted messages remain in doubt by their `previous`.
    package func mutationsToClose(at clock: ClockReading) -> [Mutation] {
        lanes.flatMap { $0.mutationsToClose(at: clock) }
            + uploads.entriesToClose.map { entry in
                .upload(entry.message, .requeue(session: entry.session, attempts: entry.attempts), at: clock.wall)
            }
    }
}
