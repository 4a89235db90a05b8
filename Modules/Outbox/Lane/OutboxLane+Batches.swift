import CausewayModels
import CausewayStorage
import DequeModule

/// Batches of a lane: filling the next one, and taking back those under way.
extension OutboxLane {
    /// True if the lane's next batch would contain a message, apart from any pause: otherwise a batch of fences alone
    /// would be sent repeatedly.
    ///
    /// - Parameter limit: messages from this sequence on must wait.
    func hasMessageToSend(below limit: Int64, within operationsMax: Int, expiredUntil expired: Timestamp?) -> Bool {
        let next = slots.lazy.filter { !$0.isRemoved }.prefix(operationsMax)
        guard let slot = next.first(where: \.isMessage), slot.sequence < limit else { return false }
        return expired.map { slot.queuedAt > $0 } ?? true
    }

    /// The limits of a batch.
    struct BatchLimits {
        var operationsMax: Int
        var messagesMax: Int
        var bytesMax: Int
        /// The maximum of contents and their surroundings; `nil` if there is none.
        var sizeMax: Int?
        /// Messages from this sequence on must wait; fences and deletions need not.
        var messagesBelow: Int64
        /// A message with this number of attempts is not sent, nor is anything behind it: it fails when nothing is
        /// under way before it.
        var attemptsMax: Int
        /// A message that was queued at this time or earlier is not sent, nor is anything behind it.
        var expiredUntil: Timestamp?
    }

    /// Moves the next links into `batch`, which is under way from now on, and returns the mutations to commit before it
    /// is sent. Leaves the batch empty if there is nothing to send.
    mutating func fill(_ batch: inout Batch, within limits: BatchLimits, at clock: ClockReading) -> [Mutation] {
        var mutations: [Mutation] = []
        var messages = 0
        var bytes = 0
        let lastTransmittedBefore = lastTransmitted
        var index = inFlightCount
        while index < slots.count, batch.operations.count < limits.operationsMax {
            if slots[index].isRemoved {
                slots.remove(at: index)
                continue
            }
            if slots[index].isMessage {
                if slots[index].sequence >= limits.messagesBelow { break }
                if slots[index].attempts >= limits.attemptsMax { break }
                if let expired = limits.expiredUntil, slots[index].queuedAt <= expired { break }
                if messages > 0,
                    messages >= limits.messagesMax || bytes + slots[index].bytes > limits.bytesMax
                        || isOver(limits.sizeMax, bytes + slots[index].bytes, operations: batch.operations.count + 1)
                {
                    break
                }
                messages += 1
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

    private func isOver(_ sizeMax: Int?, _ bytes: Int, operations: Int) -> Bool {
        sizeMax.map { bytes + operations * Batch.sizeOfOperation > $0 } ?? false
    }

    /// A batch got no response: large ones are avoided for a while.
    mutating func noteSilence(after batch: Batch) {
        var index = 0
        for inFlight in inFlightBatches {
            let count = inFlight.batch.operations.count
            guard inFlight.batch.id == batch.id else {
                index += count
                continue
            }
            // A batch that is resolved in part has lost its first links.
            let end = min(index + count, slots.count)
            let bytes = slots[min(index, end)..<end].reduce(0) { $0 + ($1.isMessage ? $1.bytes : 0) }
            return caution.noteSilence(after: bytes + count * Batch.sizeOfOperation)
        }
    }

    /// A batch of fences alone counts no attempt: the first message behind them is charged, or a message that crashes
    /// the process would do so endlessly.
    private var hasMessageUnderWay: Bool { inFlightBatches.contains(where: \.batch.hasMessage) }

    private mutating func transmit(
        _ index: Int, _ clock: ClockReading, _ batch: inout Batch, _ mutations: inout [Mutation]
    ) {
        guard let kind = slots[index].kind else { return }
        let sequence = slots[index].sequence
        let known = slots[index].previous
        let previous = known ?? predecessor(of: index)
        if known == nil {
            slots[index].transmit(after: previous)
            lastTransmitted = max(lastTransmitted, sequence)
        }
        let slot = slots[index]
        if kind == .send {
            mutations.append(.attempt(slot.message, previous: previous, attempts: slot.attempts, at: clock.wall))
        } else if known == nil {
            mutations.append(.attemptMarker(sequence: sequence, previous: previous))
        }
        batch.operations.append(
            Batch.Operation(kind: kind, message: slot.message, sequence: sequence, previous: previous))
    }

    /// The sequence that a link names when it is transmitted for the first time.
    private func predecessor(of index: Int) -> Int64 {
        if lastTransmitted < slots[index].sequence { return lastTransmitted }
        return index > 0 ? slots[index - 1].sequence : slots[index].sequence - 1
    }

    // MARK: - Responses

    /// Removes the oldest batch under way, whose links all have their verdicts, and widens the next ones.
    mutating func removeResolvedBatch(upTo operationsMax: Int) {
        let batch = inFlightBatches.removeFirst().batch
        dropRemovedHead()
        caution.widen(
            upTo: operationsMax, hasMessage: batch.hasMessage,
            isBeforeCrash: inFlightCount < slots.count && slots[inFlightCount].wasTransmitted)
    }

    /// The server processed the head's link: the lane is not at fault.
    mutating func noteProgress() {
        caution.isHeadOnly = false
        emptyBatchFailures = 0
    }

    // MARK: - Taking back

    /// Marks the messages of batches that ended without a response: the server may have them.
    mutating func markInDoubt(where isUnanswered: (Batch) -> Bool) {
        var end = inFlightCount
        for inFlight in inFlightBatches.reversed() {
            // The oldest batch may be resolved in part.
            let start = max(0, end - inFlight.batch.operations.count)
            if isUnanswered(inFlight.batch) {
                for index in start..<end { slots[index].markInDoubt() }
            }
            end = start
        }
    }

    /// Returns everything in flight to waiting.
    ///
    /// - Returns: the number of batches that were under way.
    mutating func takeBack(_ step: inout OutboxStep) -> Int {
        for slot in slots.prefix(inFlightCount) where slot.isMessage {
            step.write(.requeue(slot.message, attempts: slot.attempts, at: step.clock.wall))
        }
        let count = inFlightBatches.count
        inFlightBatches.removeAll()
        inFlightCount = 0
        return count
    }

    /// The mutations that return messages in flight to waiting at an orderly end of the run: an attempt that is
    /// cancelled in this way counts as no failure.
    func mutationsToClose(at clock: ClockReading) -> [Mutation] {
        let counted = Set(inFlightBatches.compactMap(\.batch.countedMessage))
        return slots.prefix(inFlightCount).filter(\.isMessage).map { slot in
            let attempts = counted.contains(slot.message) ? max(0, slot.attempts - 1) : slot.attempts
            return Mutation.requeue(slot.message, attempts: attempts, at: clock.wall)
        }
    }
}

extension Batch {
    /// Approximate bytes of an operation on the wire beside its content: ids, numbers, a time and names.
    static let sizeOfOperation = 512

    /// False for a batch of fences and deletions alone.
    var hasMessage: Bool { operations.contains { $0.kind == .send } }
}
