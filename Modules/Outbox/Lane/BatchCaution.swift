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

    /// The maximum number of messages in one batch; `.max` if there is no limit.
    var messagesMax: Int { isHeadOnly ? 1 : min(afterCrashMax ?? .max, afterRefusalMax ?? .max) }

    /// Doubles the limits after a response to a batch.
    ///
    /// - Parameters:
    ///   - hasMessage: true if the batch contained a message.
    ///   - isBeforeCrash: true if the lane's next link was transmitted before a crash. Messages that had never been
    ///     transmitted had no part in it.
    mutating func widen(upTo most: Int, hasMessage: Bool, isBeforeCrash: Bool) {
        if let max = afterCrashMax {
            afterCrashMax = isBeforeCrash ? (hasMessage ? min(max * 2, most) : max) : nil
        }
        if let max = afterRefusalMax, hasMessage { afterRefusalMax = max * 2 < most ? max * 2 : nil }
    }
}
