import CausewayModels

/// The reason why the outbox sends nothing at all.
///
/// A lasting condition of the whole outbox: sending resumes with the event that ends it, or at the time that it names.
enum Standstill: Sendable, Hashable {
    /// No user is logged in. Ends with ``OutboxEvent/sessionBegan``.
    case noSession
    /// An operator paused the outbox. Ends with ``OutboxEvent/resumed``.
    case paused
    /// Only a user can change the state, or a probe that succeeds after all.
    case actionRequired(ActionRequired)
    /// The server has not responded in this run, or has another history. Ends with a probe.
    case unknownServer
    /// The server cannot be reached. Ends with a probe and the settling time after it.
    case offline(detail: String)
    /// The server can be reached again, for less than the required time.
    case settling(until: MonotonicTime)
    /// The server asked to wait.
    case rateLimited(until: MonotonicTime)
    /// The outbox has started over repeatedly: see ``Outbox/noteFork(_:)`` and ``Outbox/noteOtherHistory(_:)``.
    case startingOver(until: MonotonicTime)
}

/// The reason why a lane sends no message, or nothing, while the outbox does send.
///
/// ``Outbox/messageBlock(of:)`` and ``Outbox/batchBlock(of:at:)`` decide it; sending obeys the same decision that a
/// waiting message shows.
enum LaneBlock: Sendable, Hashable {
    /// A message of the lane failed: fences are sent, messages wait until it is resent or deleted. Reached under
    /// ``HeadFailurePolicy/pauseLane``.
    case failed(MessageID)
    /// The messages from this sequence on wait for the oldest link of another lane: see
    /// ``OutboxConfiguration/precedence``.
    case earlier(LaneID, MessageID, from: Int64)
    /// The messages from this one on wait for its attachment to be uploaded. Ends with the receipt, or when the message
    /// fails or is deleted.
    case uploading(MessageID, from: Int64)
    /// The whole outbox sends nothing.
    case standstill(Standstill)
    /// The lane pauses after a failure. Reached by ``Outbox/backOff(_:isOfQuestions:_:)`` and the like.
    case hold(until: MonotonicTime)

    /// The sequence from which messages must wait.
    var messagesBelow: Int64 {
        switch self {
        case .failed, .standstill, .hold: 0
        case .earlier(_, _, from: let sequence), .uploading(_, from: let sequence): sequence
        }
    }
}
