import CausewayModels
import DequeModule

/// A lane's chain: the requests that the server has not confirmed, oldest first.
///
/// ```
///   slots:   [ in flight … | transmitted before … | never transmitted … ]
///              ▲ covered by `inFlightBatches`, oldest first
/// ```
///
/// Sequences ascend. A transmitted slot is never removed from the middle: its number is a link of the chain that the
/// server follows. A slot that was never transmitted may be removed and leaves no gap.
struct OutboxLane: Sendable, Hashable {
    /// A batch under way, with its response while an older batch has none yet.
    struct InFlightBatch: Sendable, Hashable {
        var batch: Batch
        var since: ClockReading
        /// Nothing else of the lane was under way when it was sent: the mark in the server's response is reliable.
        var isAlone: Bool
        var report: DeliveryReport?
    }

    /// A pause of the lane until `until`.
    struct Hold: Sendable, Hashable {
        var until: MonotonicTime
        /// For a pause of fences, which delays no message: from this time on, evidence that the server is working ends
        /// it. `nil` for a pause of everything.
        var evidenceEndsFrom: MonotonicTime?

        var isOfQuestions: Bool { evidenceEndsFrom != nil }
    }

    let id: LaneID
    var slots: Deque<Slot> = []
    var inFlightBatches: [InFlightBatch] = []
    /// The number of leading slots that the batches in flight cover.
    var inFlightCount = 0
    var lastTransmitted: Int64
    /// The value of `lastTransmitted` when this opening of the store began.
    var base: Int64
    /// True once the server has admitted this opening of the store in the lane, its mark not behind the batch.
    var isConfirmed = false
    /// The highest sequence in the store's snapshot.
    var knownUntil: Int64 = 0
    var hold: Hold?
    var caution = BatchCaution()
    /// Consecutive failures of batches without a message, and consecutive gaps without progress.
    var emptyBatchFailures = 0
    /// Sequences of messages, oldest first; may include some that are no longer to be sent. Empty without expiry.
    var aging: Deque<Int64> = []
    /// Slots removed since the gaps were last closed.
    var removedCount = 0

    init(id: LaneID, lastTransmitted: Int64) {
        self.id = id
        self.lastTransmitted = lastTransmitted
        base = lastTransmitted
    }

    // MARK: - Look-ups

    /// The index of the slot with this sequence. O(log n).
    func index(of sequence: Int64) -> Int? {
        var low = 0
        var high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < slots.count && slots[low].sequence == sequence ? low : nil
    }

    /// The first slot that was not removed. O(1) amortised.
    var firstSlot: Slot? { slots.first { !$0.isRemoved } }

    /// The index of the first message among the slots. O(1) amortised.
    var headIndex: Int? { slots.firstIndex(where: \.isMessage) }

    /// The first message among the slots. O(1) amortised.
    var headMessage: MessageID? { headIndex.map { slots[$0].message } }

    /// True while the batch is under way.
    func isUnderWay(_ batch: Batch) -> Bool { inFlightBatches.contains { $0.batch.id == batch.id } }

    /// The time since when the slot at this index is in flight.
    func inFlightSince(_ index: Int) -> Timestamp? {
        var covered = 0
        for inFlight in inFlightBatches {
            covered += inFlight.batch.operations.count
            if index < covered { return inFlight.since.wall }
        }
        return nil
    }

    // MARK: - Removal

    /// Removes a slot that was never transmitted. O(log n) amortised: gaps are closed when they are as many as the
    /// remaining slots, so that creating and deleting behind a waiting head does not accumulate memory.
    mutating func removeUnsent(at index: Int) {
        slots[index].remove()
        removedCount += 1
        if removedCount > 64, removedCount * 2 > slots.count {
            slots.removeAll(where: \.isRemoved)
            removedCount = 0
        }
        dropRemovedHead()
    }

    /// Drops removed slots at the front of the unsent ones, so that the head is found immediately.
    mutating func dropRemovedHead() {
        while inFlightCount < slots.count, slots[inFlightCount].isRemoved { slots.remove(at: inFlightCount) }
    }

    /// Removes the first slot, which is in flight and has its verdict.
    mutating func removeHead() {
        slots.removeFirst()
        inFlightCount -= 1
    }

    /// Ends the lane's pause if it is one of its head's: the message is no longer to be sent.
    mutating func endHold(ofHead message: MessageID) {
        if headMessage == message { hold = nil }
    }
}
