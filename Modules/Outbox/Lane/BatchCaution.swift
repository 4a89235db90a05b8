import CausewayModels

/// Limits on the messages in a lane's batches after failures, so that a failure is charged to the message that caused
/// it.
struct BatchCaution: Sendable, Hashable {
    /// After a failure the head is sent alone, so that only it is judged, until something was accepted.
    var isHeadOnly = false
    /// The maximum number of messages in one batch after a crash with an attempt under way: 1, then doubled with each
    /// response to a batch with messages, until everything that had been transmitted before the crash has been
    /// delivered. Until then nothing of another lane is under way with a batch of this lane. So a payload that crashes
    /// the process is soon alone with its attempts, and nothing else is charged for it twice. `nil` if there was no
    /// crash.
    var afterCrashMax: Int?
    /// The maximum number of messages in one batch after the server refused a whole batch of several: half as many as
    /// that one contained, then doubled with each response to a batch with messages, until no limit remains. So the
    /// message that the server cannot read is isolated after a few batches, however many are sent with it. `nil` if
    /// there is no such limit.
    var afterRefusalMax: Int?

    /// The maximum size of one batch (``Batch/sizeOfOperation`` counts) after a large one got no response: half of that
    /// one's, then doubled with every eighth response up to the size that failed, which is tried alone before the limit
    /// ends. Until then one batch of the lane is under way at a time. So a link that is too slow for full batches still
    /// delivers a backlog, instead of the same batches again and again. `nil` if there is no such limit.
    private(set) var afterSilenceSizeMax: Int?
    /// The largest size that got no response since there was no limit.
    private var silentSize = 0
    /// Responses since ``afterSilenceSizeMax`` has had its present value.
    private var responsesSinceSilence = 0

    /// Batches up to this size are sent however slow the link is: 16 kbit/s carry it in 16 s.
    static let silenceSizeMin = 32 * 1024
    /// The responses after which ``afterSilenceSizeMax`` doubles: trying a larger size costs a time-out where it is too
    /// large.
    static let responsesPerDoubling = 8

    /// True if several batches of the lane may be under way at once.
    var allowsSeveralBatches: Bool { messagesMax == .max && afterSilenceSizeMax == nil }

    /// The maximum number of messages in one batch; `.max` if there is no limit.
    var messagesMax: Int { isHeadOnly ? 1 : min(afterCrashMax ?? .max, afterRefusalMax ?? .max) }

    /// A batch of this size got no response. A small one is cut off by an outage: it says nothing about the link.
    mutating func noteSilence(after size: Int) {
        guard size > Self.silenceSizeMin else { return }
        silentSize = max(afterSilenceSizeMax == nil ? 0 : silentSize, size)
        afterSilenceSizeMax = max(Self.silenceSizeMin, size / 2)
        responsesSinceSilence = 0
    }

    /// Doubles the limits after a response to a batch.
    ///
    /// - Parameters:
    ///   - most: the number of operations in the largest batch.
    ///   - hasMessage: true if the batch contained a message.
    ///   - isBeforeCrash: true if the lane's next link was transmitted before a crash. Messages that had never been
    ///     transmitted had no part in it.
    mutating func widen(upTo most: Int, hasMessage: Bool, isBeforeCrash: Bool) {
        if let max = afterCrashMax {
            afterCrashMax = isBeforeCrash ? (hasMessage ? min(max * 2, most) : max) : nil
        }
        if let max = afterRefusalMax, hasMessage { afterRefusalMax = max * 2 < most ? max * 2 : nil }
        if let size = afterSilenceSizeMax, hasMessage { widenAfterSilence(from: size) }
    }

    private mutating func widenAfterSilence(from size: Int) {
        responsesSinceSilence += 1
        guard responsesSinceSilence >= Self.responsesPerDoubling else { return }
        responsesSinceSilence = 0
        afterSilenceSizeMax = size < silentSize ? min(size * 2, silentSize) : nil
    }
}
