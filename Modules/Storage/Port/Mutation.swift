public import CausewayModels

/// One step of a commit. Each is named after what it means for the message, not after the columns it touches.
///
/// A step that does not fit the state of its message does nothing: `synced` is final (only another ``deliver`` or
/// ``merge`` moves it, and ``followHistory(_:_:marks:at:)`` when the server has lost it), and from `error` lead only
/// ``deliver``, ``merge``, ``resend``, ``fail`` and ``delete``.
public enum Mutation: Sendable, Hashable {
    /// An attempt begins, for what is `created`, `uploading` or `syncing`: `syncing`, and from now on the message
    /// counts as transmitted after `previous`. For what is `syncing` already it corrects the attempt under way.
    case attempt(MessageID, previous: Int64, attempts: Int, at: Timestamp)
    /// The attempt ended without a verdict: back to `created`; sequence and `previous` stay, an older failure goes.
    case requeue(MessageID, attempts: Int, at: Timestamp)
    /// The server has it: `synced`, in its place; failure and doubt are gone. Holds for a message in any state. What
    /// was parked for it gets its places, in the order of creation, and its age in the queue begins. An operation is
    /// applied to its message for good, and is gone.
    case deliver(MessageID, Placement, at: Timestamp)
    /// Given up: `error`, unless it is `synced`. `inDoubt` says that a copy may have reached the server. An operation
    /// on a message that is not here any more is gone instead, and no operation keeps ``Failure/pausesLane``: nothing
    /// but its message waits for it.
    case fail(MessageID, Failure, inDoubt: Bool)
    /// The server has no copy of what was transmitted and will take none: the doubt of the message is gone.
    case settle(MessageID)
    /// Back into the queue at the tail of its lane, from any undelivered state: a new sequence, `created`, no attempts,
    /// never transmitted. The failure stays until the next attempt ends, a doubt about its old place until
    /// ``settle(_:)``. What needs another message that is not on the server is parked, as ``Store/enqueue(_:)`` does.
    case resend(MessageID, at: Timestamp)
    /// The server has not got the message that this one is about: it waits for that one without a place in its lane, or
    /// is given up with the failure when that one is not here, or is `synced` and so was taken away on the server.
    case park(MessageID, Failure)
    /// Takes in a message or an operation as ``Store/enqueue(_:)`` does, within the commit.
    case enqueue(MessageDraft)
    /// An undelivered message says something else; only for what no copy can exist of on the server.
    case rewrite(MessageID, MessageContent)
    /// The message is gone from every query. What is still parked for it waits for nothing any more: it gets its
    /// places, and the server says what becomes of it.
    case delete(MessageID)
    /// A control entry at the given sequence, replacing one that is there.
    case putControl(ControlEntry)
    /// A deletion of a message that is on the server, at the tail of the lane: the store assigns the sequence. The
    /// message need not be here any more.
    case appendDelete(MessageID, lane: LaneID)
    /// A control entry was transmitted after `previous`.
    case attemptControl(sequence: Int64, previous: Int64)
    /// A control entry is done with.
    case removeControl(sequence: Int64)
    /// The chain of a lane changed: an entry now follows `previous` (the server named another mark). A control entry
    /// goes before a message of the same sequence.
    case rebase(sequence: Int64, previous: Int64)
    /// The highest sequence that was transmitted in a lane; kept as given, even when it is lower than before.
    case setLastTransmitted(LaneID, Int64)
    /// The counter hands out only numbers above `mark` from now on. Never lowers it; what is above
    /// ``Limits/sequenceMax`` counts as that.
    case raiseSequence(above: Int64)
    /// Another copy of this store exists: the outbox goes on under a new id, in which nothing was ever transmitted.
    ///
    /// Every link, those that no feed has told of yet among them, gets a new number in the order of the old ones, and
    /// what was under way is `created` again; attempts and failures stay. The other copy may have delivered whatever
    /// is here: each `error` message gets a fence and is in doubt until the server has answered.
    /// ``Lineage/sharedBelow`` rises above all of it. The feed reports a reset.
    case forkOutbox(OutboxID, at: Timestamp)
    /// The last history that the server named.
    case keepHistory(ServerHistory)
    /// The server lost data, or is another one: it has another history now, in which the lanes of this outbox stand at
    /// the marks, or have never been used.
    ///
    /// The messages that the session's user delivered from here above their lanes' marks are queued again as `created`,
    /// in the places that they had; within a lane in the order of creation. Then the outbox goes on as after
    /// ``forkOutbox(_:at:)``: so what was lost comes before what was created later, and what was in the queue counts as
    /// possibly delivered. What a page says of a message holds from now on, also when it was changed later in the
    /// former history. The feed reports a reset.
    case followHistory(ServerHistory, OutboxID, marks: [LaneID: Int64], at: Timestamp)
    /// A deletion to remember; the store assigns ``DeleteAction/sequence``, and keeps the last
    /// ``Limits/deleteActionsKeptMax``.
    case recordDelete(DeleteAction)
    /// A login, or a logout (``Session/endedAt``). From then on the store shows and changes what belongs to the account
    /// of the session; see ``Store``. When that is another account than before, the feed reports a reset.
    case saveSession(Session)
    /// The session is over: every undelivered message becomes `error` as ``Store/begin(_:)`` does it under `fail`, and
    /// no failure pauses a lane any more (``Store/begin(_:)`` leaves those as they are). The feed reports a reset
    /// instead of single changes.
    case endSession(Failure)
    /// A message that the server has: inserted (without a lane), or merged with the one of the same id, which becomes
    /// `synced` and takes the server's content. Does nothing when a recorded deletion names the id: what was deleted
    /// here does not come back with a page.
    case merge(PlacedMessage, at: Timestamp)
}

extension Mutation {
    /// The content that it brings; stores keep it coded.
    package var content: MessageContent? {
        switch self {
        case .merge(let placed, at: _): placed.content
        case .enqueue(let draft): draft.content
        case .rewrite(_, let content): content
        default: nil
        }
    }

    /// The message that has failed for good with it, or may have: the server will have no copy.
    package var failedForGood: MessageID? {
        switch self {
        case .fail(let id, _, inDoubt: false), .settle(let id), .park(let id, _): id
        default: nil
        }
    }

    /// The mutation with its content as a store returns it.
    package var normalized: Mutation {
        switch self {
        case .merge(var placed, let time):
            placed.face.content = placed.content.normalized
            return .merge(placed, at: time)
        case .enqueue(let draft): return .enqueue(draft.normalized)
        case .rewrite(let id, let content): return .rewrite(id, content.normalized)
        default: return self
        }
    }

    /// The message that it gives up, or may give up, so that its lane is paused.
    package var pausingMessage: MessageID? {
        switch self {
        case .fail(let id, let failure, inDoubt: _) where failure.pausesLane: id
        case .park(let id, let failure) where failure.pausesLane: id
        default: nil
        }
    }
}
