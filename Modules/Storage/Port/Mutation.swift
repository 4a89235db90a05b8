public import CausewayModels

/// One step of a commit, named after its meaning for the message, not after the columns that it changes.
///
/// An id names a message, or an operation that creates none, which has the same states.
///
/// A step that does not apply to the state of its message does nothing: `synced` is final (only another `deliver` or
/// `merge` changes it, and ``followHistory(_:_:marks:at:)`` if the server has lost the message), and only
/// `deliver`, `merge`, `resend`, `fail` and `delete` apply to `error`.
public enum Mutation: Sendable, Hashable {
    /// An attempt begins, for a message that is `created`, `uploading` or `syncing`: it becomes `syncing`, and from now
    /// on counts as transmitted after `previous`. For a message that is already `syncing` it corrects the attempt under
    /// way.
    case attempt(MessageID, previous: Int64, attempts: Int, at: Timestamp)
    /// The attempt ended without a verdict: the message returns to `created`; sequence and `previous` are kept, an
    /// older failure is cleared.
    case requeue(MessageID, attempts: Int, at: Timestamp)
    /// The server has the message: it becomes `synced` with its position; failure and doubt are cleared. Applies in any
    /// state. Messages parked for it get their lane sequences, in the order of creation, and their age in the queue
    /// begins. An operation is applied permanently to its target, and is removed.
    case deliver(MessageID, ServerPosition, at: Timestamp)
    /// The message failed: it becomes `error`, unless it is `synced`. `inDoubt` is true if a copy may have reached the
    /// server. An operation whose target no longer exists is removed instead, and no operation keeps
    /// ``Failure/pausesLane``: only its target depends on it.
    case fail(MessageID, Failure, inDoubt: Bool)
    /// The server has no copy of the transmitted message and will accept none: its doubt is cleared.
    case settle(MessageID)
    /// Returns a message from any undelivered state to the tail of its lane: a new sequence, `created`, no attempts,
    /// never transmitted. The failure is kept until the next attempt ends, a doubt about its old sequence until
    /// ``settle(_:)``. A receipt or a session of its attachment's upload is kept; attempts to upload it count anew. A
    /// message that depends on another one that is not on the server is parked, as by ``Store/enqueue(_:)``.
    case resend(MessageID, at: Timestamp)
    /// The server does not have the message that this one refers to: it waits for that one without a lane sequence. It
    /// fails with the failure if that one does not exist here, or is `synced` and so was removed on the server.
    case park(MessageID, Failure)
    /// Enqueues an operation as ``Store/enqueue(_:)`` does, within the commit: what precedes it there may have made
    /// room for it, or removed the message with its id. A refusal refuses the commit.
    case enqueue(OperationDraft)
    /// A step in the upload of a message's attachment; see ``UploadStep``.
    case upload(MessageID, UploadStep, at: Timestamp)
    /// Replaces the content of an undelivered message; only for a message of which no copy can exist on the server.
    case rewrite(MessageID, MessageContent)
    /// Removes the message from every query. Messages still parked for it get their lane sequences, and the server
    /// decides about them. If the message is `synced`, its tombstone (``DeletedMessage``) is kept as a record of
    /// its own, in a channel's list by position, as far as ``Limits/deletedMessagesReachMax`` allows.
    case delete(MessageID)
    /// Drops delivered messages that need not be kept here any longer, and that the server keeps. Each message that is
    /// not `synced`, or that something in the outbox refers to (an operation on it, a reply that is not delivered), is
    /// left as it is; so is one that the store cannot tell from such a message at once. No deletion is recorded. The
    /// feed reports each as a removal, and the extent in ``StoreCommit/pruned``; the tombstones in that
    /// extent are dropped with them. Does nothing if another account has become current.
    case prune([MessageID], of: Account)
    /// Stores a control entry at the given sequence, replacing an existing one. The counter assigns only greater
    /// numbers from now on; a sequence above ``Limits/sequenceMax`` counts as that limit.
    case putMarker(ChainMarker)
    /// Deletes a message from the server, at the tail of the lane: the store assigns the sequence. The message need no
    /// longer exist here.
    case appendDelete(MessageID, lane: LaneID)
    /// A control entry was transmitted after `previous`.
    case attemptMarker(sequence: Int64, previous: Int64)
    /// A control entry has been resolved, and is removed.
    case removeMarker(sequence: Int64)
    /// The chain of a lane changed: an entry now follows `previous` (the server named another mark). A control entry
    /// takes precedence over a message of the same sequence.
    case rebase(sequence: Int64, previous: Int64)
    /// The highest sequence that was transmitted in a lane; stored as given, even if it is lower than before.
    case setLastTransmitted(LaneID, Int64)
    /// Another copy of this store exists: the outbox continues under a new id, in which nothing was ever transmitted.
    ///
    /// Every link, including links that no feed has reported yet, gets a new number in the order of the old ones, and
    /// messages under way return to `created`; attempts and failures are kept. The other copy may have delivered any of
    /// them: each `error` message gets a fence and is in doubt until the server has responded. A `retract` becomes a
    /// `delete`, which also holds for a copy that arrives later under the former id. ``Lineage/sharedBelow`` rises
    /// above all of them. Each attachment has to be uploaded, or found on the server, again: the other copy may be
    /// using the same sessions. The feed reports a reset.
    case forkOutbox(OutboxID, at: Timestamp)
    /// The last history that the server named.
    case keepHistory(ServerHistory)
    /// The server lost data, or is another server: it has another history now, in which the lanes of this outbox are at
    /// the given marks, or have never been used.
    ///
    /// The messages that the session's user delivered from here above their lanes' marks are queued again as `created`,
    /// each before every message of its lane that was created later, whether that one was lost or is still queued;
    /// queued messages keep their order among themselves. Then the outbox continues as after ``forkOutbox(_:at:)``:
    /// queued messages count as possibly delivered. From now on the state of a message in a page overrides the stored
    /// one, even if it was changed later in the former history, and the versions of records are 0, so that every state
    /// of the server's counts as newer. The event cursor is cleared. The feed reports a reset.
    case followHistory(ServerHistory, OutboxID, marks: [LaneID: Int64], at: Timestamp)
    /// Records a deletion; the store assigns ``DeleteAction/sequence``, and keeps the last
    /// ``Limits/deleteActionsKeptMax``.
    case recordDelete(DeleteAction)
    /// A login, or a logout (``Session/endedAt``). From then on the store reads and changes only data of the session's
    /// account; see ``Store``. If that is another account than before, the feed reports a reset.
    case saveSession(Session)
    /// The session ended: every undelivered message becomes `error` as in ``Store/start(_:)`` under `fail`, and no
    /// failure pauses a lane any more (``Store/start(_:)`` leaves those as they are). The feed reports a reset instead
    /// of single changes.
    case endSession(Failure)
    /// Removes everything that is stored of the current account: messages, operations, chains, past deletions, records,
    /// and what is known of the server. Its outbox continues under a new id, in which nothing was ever transmitted; its
    /// name and its session remain. Numbers are not assigned again. The feed reports a reset. Cost: linear in what is
    /// removed.
    case eraseAccount(OutboxID)
    /// A message that the server has: inserted (without a lane), or merged with the one of the same id, which becomes
    /// `synced` and takes the server's content. Does nothing if a recorded deletion names the id: a message that was
    /// deleted here is not restored by a page. A tombstone of the inserted message is removed: the server has lost
    /// the deletion.
    case merge(RemoteMessage, at: Timestamp)
    /// Records other than messages as the server has them; see ``RecordMerge``. No tombstone is stored beside its
    /// message.
    case mergeRecords(RecordMerge)
    /// The record was deleted on the server, or the account can no longer read it.
    case removeRecord(RecordKind, String)
    /// The server's events up to this cursor are stored: with this commit, and with earlier ones. Belongs to the
    /// current account; `nil` if it is to be taken anew. ``followHistory(_:_:marks:at:)`` clears it.
    case setEventCursor(EventCursor?)
}

extension Mutation {
    /// The content of the mutation; stores keep it coded.
    package var content: MessageContent? {
        switch self {
        case .merge(let placed, at: _): placed.content
        case .enqueue(let draft): draft.payload.content
        case .rewrite(_, let content): content
        default: nil
        }
    }

    /// The message that fails permanently with this mutation, or may fail: the server will have no copy.
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
            placed.body.content = placed.content.normalized
            return .merge(placed, at: time)
        case .enqueue(let draft): return .enqueue(draft.normalized)
        case .rewrite(let id, let content): return .rewrite(id, content.normalized)
        default: return self
        }
    }
}
