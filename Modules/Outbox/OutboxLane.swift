import CausewayModels
import DequeModule

/// A lane's chain: what still has to be said to the server, oldest first.
///
/// ```
///   slots:   [ in flight … | transmitted before … | never transmitted … ]
///              ▲ covered by `flights`, oldest first
/// ```
///
/// Sequences ascend. A slot that was transmitted is never taken out of the middle: its number is a link of the
/// chain that the server follows. A slot that was never transmitted may vanish (`isGone`) and leaves no hole.
struct OutboxLane: Sendable, Hashable {
    struct Slot: Sendable, Hashable {
        var kind: OutboxEntry.Kind
        var message: MessageID
        var sequence: Int64
        var previous: Int64?
        var attempts: Int
        var bytes: Int
        /// When it entered the queue: by the wall clock for what the snapshot held, else by one that was not set since.
        var queuedAt: Timestamp
        /// Taken out before it was ever transmitted; skipped.
        var isGone = false
        /// An attempt ended without an answer: the server may have it.
        var isInDoubt = false

        var wasTransmitted: Bool { previous != nil }
        /// True for a message that waits or is on its way.
        var isToBeSent: Bool { kind == .send && !isGone }
    }

    /// A round under way, and its answer while an older round has none yet.
    struct Flight: Sendable, Hashable {
        var round: DeliveryRound
        var since: Moment
        /// Nothing else of the lane was under way when it left: what the server says of its mark holds.
        var isAlone: Bool
        var report: DeliveryReport?
    }

    /// Not before `until`.
    struct Hold: Sendable, Hashable {
        var until: MonotonicTime
        /// For a pause of questions, which holds up no message: from this moment on, evidence that the server is well
        /// ends it. `nil` for a pause of everything.
        var evidenceEndsFrom: MonotonicTime?

        var isOfQuestions: Bool { evidenceEndsFrom != nil }
    }

    let id: LaneID
    var slots: Deque<Slot> = []
    var flights: [Flight] = []
    /// How many leading slots the flights cover.
    var inFlightCount = 0
    var lastTransmitted: Int64
    /// What `lastTransmitted` was when this opening of the store began.
    var base: Int64 = 0
    /// The highest sequence that the store's snapshot told of.
    var knownUntil: Int64 = 0
    /// The mark above which the lane started anew; below it the server looks at no `previous`.
    var startedAnewAbove: Int64 = 0
    var hold: Hold?
    /// Failed messages that pause the lane, oldest failure first, and among them such as do so no longer; never one of
    /// those at the front.
    var pausing: Deque<MessageID> = []
    /// After a failure the head goes alone, so that it alone is judged, until something was accepted.
    var isCautious = false
    /// Messages in one delivery at the most, after a crash with an attempt under way: 1, then twice as many with each
    /// delivery that was answered, until everything that had been transmitted before the crash is through. Until then
    /// nothing of another lane is under way with one of this. So a payload that kills the process is soon alone with
    /// its attempts, and nothing else pays for it twice. `nil` when there was no crash.
    var sendsAfterCrashMax: Int?
    /// Messages in one delivery at the most, after the server refused a whole delivery of several: half as many as that
    /// one held, then twice as many with each delivery that was answered. So the one that the server cannot read is
    /// alone after few deliveries, however many go with it. `nil` when there is no such limit.
    var sendsAfterRefusalMax: Int?
    /// True while it waits for its turn, see ``Outbox/lanesInTurn``.
    var isInTurn = false
    /// Failures in a row of rounds without a message, and of gaps without progress.
    var fruitless = 0

    /// Slots that vanished since the gaps were closed last.
    var vanished = 0

    /// Sequences of messages, oldest first, and among them such as are not to be sent any more; empty without expiry.
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

    /// The first slot, not counting vanished ones. O(1) amortised.
    var firstSlot: Slot? { slots.first { !$0.isGone } }

    /// The first slot, not counting vanished ones, that is a message. O(1) amortised.
    var headMessage: MessageID? {
        slots.first { $0.kind == .send && !$0.isGone }?.message
    }
}
