package import CausewayModels
package import CausewayStorage

/// The time of an event: the monotonic clock decides, the wall clock is written down for people.
package struct Moment: Sendable, Hashable {
    package var now: MonotonicTime
    package var wall: Timestamp

    package init(now: MonotonicTime, wall: Timestamp) {
        self.now = now
        self.wall = wall
    }

    /// The wall-clock moment at which a deadline is expected.
    package func wall(at deadline: MonotonicTime) -> Timestamp { wall.advanced(by: deadline - now) }
}

/// Everything that can happen to the outbox.
package enum OutboxEvent: Sendable, Equatable {
    /// The store committed new links of a chain; in commit order.
    case enqueued([OutboxEntry])
    /// The answer to ``OutboxAction/transmit(_:_:)``.
    case answered(DeliveryRound, DeliveryReport)
    /// The transport failed at ``OutboxAction/transmit(_:_:)``.
    case failed(DeliveryRound, TransportError)
    /// These messages of a round could not be put into a request; nothing of the round was sent.
    case unsendable(DeliveryRound, [MessageID], detail: String)
    /// These messages of a round were created by another account than the one that is logged in; nothing of the round
    /// was sent.
    case foreign(DeliveryRound, [MessageID])
    /// The driver itself broke ``OutboxAction/transmit(_:_:)`` off, to renew the token: the server may have what was in
    /// it, and no attempt is used up.
    case interrupted(DeliveryRound)
    /// The server lost data, or is another one: it has this history now, and in it the lanes of the outbox stand at
    /// these marks.
    case historyChanged(ServerHistory, marks: [LaneID: Int64])
    /// The feed was reset by somebody else than the outbox: the store holds what it has not told of.
    case feedReset
    /// The answer to ``OutboxAction/fork``, ``OutboxAction/follow(_:marks:)`` and ``OutboxAction/reload``: the store as
    /// it is after that commit.
    case forked(OutboxSnapshot)
    /// The answer to ``OutboxAction/probe``.
    case greeted
    /// The transport failed at ``OutboxAction/probe``.
    case probeFailed(TransportError)
    /// Proof that the server has a message, by whatever way it came.
    case proven(MessageID, Placement)
    /// A message in the queue says something else since the last commit; its content has this size now.
    case rewritten(MessageID, bytes: Int)
    /// The mutations of ``Outbox/deletion(of:with:by:at:lane:)`` were committed.
    case deleted([MessageID])
    /// These messages failed and pause no lane, as the store has it: they are operations, resent, or gone.
    case unpaused([MessageID])
    /// Somebody logged in, or a saved session goes on: deliveries may begin.
    case sessionBegan
    /// The token or the trust was renewed.
    case attentionResolved
    case paused
    case resumed
    /// Somebody asks to look for the server now.
    case probeRequested
    /// ``Outbox/nextDeadline`` has come.
    case deadline
}
