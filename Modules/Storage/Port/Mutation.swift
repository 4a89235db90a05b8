public import CausewayModels

/// One step of a commit. Each is named after what it means for the message, not after the columns it touches.
public enum Mutation: Sendable, Hashable {
    /// An attempt begins: `syncing`, and from now on the message counts as transmitted after `previous`.
    case attempt(MessageID, previous: Int64, attempts: Int, at: Timestamp)
    /// The attempt ended without a verdict: back to `created`; sequence and `previous` stay.
    case requeue(MessageID, attempts: Int)
    /// The server has it: `synced`, in its place; failure and doubt are gone. Holds for a message in any state.
    case deliver(MessageID, Placement)
    /// Given up: `error`. `inDoubt` says that a copy may have reached the server.
    case fail(MessageID, Failure, inDoubt: Bool)
    /// The server has no copy of what was transmitted and will take none: the doubt of the message is gone.
    case settle(MessageID)
    /// Back into the queue at the tail of its lane: a new sequence, `created`, no attempts, never transmitted. A doubt
    /// about its old place stays until ``settle(_:)``.
    case resend(MessageID)
    /// The message is gone from every query.
    case delete(MessageID)
    /// A control entry at the given sequence, replacing one that is there.
    case putControl(ControlEntry)
    /// A deletion of a message that is on the server, at the tail of the lane: the store assigns the sequence.
    case appendDelete(MessageID, lane: LaneID)
    /// A control entry was transmitted after `previous`.
    case attemptControl(sequence: Int64, previous: Int64)
    /// A control entry is done with.
    case removeControl(sequence: Int64)
    /// The chain of a lane changed: an entry now follows `previous` (the server named another mark).
    case rebase(sequence: Int64, previous: Int64)
    /// The highest sequence that was transmitted in a lane.
    case setLastTransmitted(LaneID, Int64)
    /// The counter hands out only numbers above `mark` from now on.
    case raiseSequence(above: Int64)
    /// A deletion to remember; the store assigns ``DeleteAction/sequence``.
    case recordDelete(DeleteAction)
    /// A login, or a logout (``Session/endedAt``).
    case saveSession(Session)
    /// The session is over: every undelivered message becomes `error` as ``Store/begin(_:)`` does it under `fail`.
    /// The feed reports a reset instead of single changes.
    case endSession(Failure)
    /// Another user logs in: control entries and doubts of the former one can no longer be resolved, and the
    /// lanes start anew. The feed reports a reset.
    case forgetAccount
    /// A message that the server has: inserted, or merged with the own one of the same id, which becomes `synced`.
    /// Does nothing when a recorded deletion names the id: what was deleted here does not come back with a page.
    case merge(PlacedMessage)
}
