import CausewayModels
import DequeModule

/// A lane's chain: the requests that the server has not confirmed, oldest first.
///
/// ```
///   slots:   [ in batch in flight … | transmitted before … | never transmitted … ]
///              ▲ covered by `inFlightBatches`, oldest first
/// ```
///
/// Sequences ascend. A transmitted slot is never removed from the middle: its number is a link of the chain that the
/// server follows. A slot that was never transmitted may be removed (`isGone`) and leaves no gap.
struct OutboxLane: Sendable, Hashable {
    struct Slot: Sendable, Hashable {
        var kind: OutboxEntry.Kind
        var message: MessageID
        var sequence: Int64
        var previous: Int64?
        var attempts: Int
        var bytes: Int
        /// The time when it entered the queue: by the wall clock for entries of the snapshot, otherwise by one that
        /// ignores later changes of the wall clock.
        var queuedAt: Timestamp
        /// See ``OutboxEntry/isOperation``; kept when the slot becomes a fence.
        var isOperation: Bool
        /// Removed before it was ever transmitted; skipped.
        var isGone = false
        /// An attempt ended without a response: the server may have it.
        var isInDoubt = false

        var wasTransmitted: Bool { previous != nil }
        /// True for a message that waits or is being sent.
        var isToBeSent: Bool { kind == .send && !isGone }
    }

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
    /// The number of leading slots that the batches in batch in flight cover.
    var inFlightCount = 0
    var lastTransmitted: Int64
    /// The value of `lastTransmitted` when this opening of the store began.
    var base: Int64 = 0
    /// The highest sequence in the store's snapshot.
    var knownUntil: Int64 = 0
    /// The mark above which the lane was renumbered; below it the server does not check `previous`.
    var renumberedAbove: Int64 = 0
    var hold: Hold?
    /// Failed messages that pause the lane, oldest failure first; may include released ones, but never at the front.
    var pausing: Deque<MessageID> = []
    /// After a failure the head is sent alone, so that only it is judged, until something was accepted.
    var sendsHeadOnly = false
    /// The maximum number of messages in one batch after a crash with an attempt under way: 1, then doubled with each
    /// response to a batch with messages, until everything that had been transmitted before the crash has been
    /// delivered. Until then nothing of another lane is under way with a batch of this lane. So a payload that crashes
    /// the process is soon alone with its attempts, and nothing else is charged for it twice. `nil` if there was no
    /// crash.
    var sendsAfterCrashMax: Int?
    /// The maximum number of messages in one batch after the server refused a whole batch of several: half as many as
    /// that one contained, then doubled with each response to a batch with messages, until no limit remains. So the
    /// message that the server cannot read is isolated after a few batches, however many are sent with it. `nil` if
    /// there is no such limit.
    var sendsAfterRefusalMax: Int?
    /// True while it waits for its turn, see ``Outbox/lanesInTurn``.
    var isInTurn = false
    /// Consecutive failures of batches without a message, and consecutive gaps without progress.
    var emptyBatchFailures = 0

    /// Slots removed since the gaps were last closed.
    var removedCount = 0

    /// Sequences of messages, oldest first; may include some that are no longer to be sent. Empty without expiry.
    var aging: Deque<Int64> = []

    init(id: LaneID, lastTransmitted: Int64) {
        self.id = id
        self.lastTransmitted = lastTransmitted
    }

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
    var firstSlot: Slot? { slots.first { !$0.isGone } }

    /// The first message among the slots that were not removed. O(1) amortised.
    var headMessage: MessageID? {
        slots.first { $0.kind == .send && !$0.isGone }?.message
    }
}
