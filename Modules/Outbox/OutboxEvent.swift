package import CausewayModels
package import CausewayStorage

/// The time of an event: decisions use the monotonic clock, the wall clock is stored for display.
package struct ClockReading: Sendable, Hashable {
    package var now: MonotonicTime
    package var wall: Timestamp

    package init(now: MonotonicTime, wall: Timestamp) {
        self.now = now
        self.wall = wall
    }

    /// The wall clock time at which a deadline is expected.
    package func wall(at deadline: MonotonicTime) -> Timestamp { wall.advanced(by: deadline - now) }
}

/// An event that the outbox handles.
package enum OutboxEvent: Sendable, Equatable {
    /// The store committed new links of a chain; in commit order.
    case enqueued([OutboxEntry])
    /// The response to ``OutboxAction/transmit(_:_:)``.
    case responded(Batch, DeliveryReport)
    /// The transport failed at ``OutboxAction/transmit(_:_:)``.
    case failed(Batch, TransportError)
    /// These messages of a batch could not be encoded into a request; nothing of the batch was sent.
    case unsendable(Batch, [MessageID], detail: String)
    /// These messages of a batch were created by another account than the one that is logged in; nothing of the batch
    /// was sent.
    case foreign(Batch, [MessageID])
    /// The driver itself cancelled ``OutboxAction/transmit(_:_:)``, to renew the token: the server may have received
    /// the batch, and no attempt is used up.
    case interrupted(Batch)
    /// The server lost data, or is another server: it has this history now, in which the lanes of the outbox are at
    /// these marks.
    case historyChanged(ServerHistory, marks: [LaneID: Int64])
    /// The feed was reset, not by the outbox itself: the store contains changes that it has not reported.
    case feedReset
    /// The result of ``OutboxAction/fork``, ``OutboxAction/follow(_:marks:)`` and ``OutboxAction/reload``: the store
    /// after that commit.
    case forked(OutboxSnapshot)
    /// The probe of ``OutboxAction/probe`` succeeded.
    case authenticated
    /// The transport failed at ``OutboxAction/probe``.
    case probeFailed(TransportError)
    /// A confirmation, from any source, that the server has a message. Without effect, in O(1), if nothing here waits
    /// for it.
    case confirmed(MessageID, ServerPosition)
    /// Progress or the end of an attempt to upload, by its number: the result of ``OutboxAction/upload(_:_:)``.
    case upload(Int, UploadEvent)
    /// The content of a queued message was replaced by the last commit; it has this size now.
    case rewritten(MessageID, bytes: Int)
    /// The mutations of ``Outbox/deletion(of:with:by:at:lane:)`` were committed.
    case deleted([MessageID])
    /// These failed messages are in the queue again, though no link reports it: they were parked or resent. They no
    /// longer pause their lanes.
    case unpaused([MessageID])
    /// A user logged in, or a saved session was resumed: deliveries may begin.
    case sessionBegan
    /// The token or the trust was renewed.
    case actionResolved
    case paused
    case resumed
    /// A caller requested an immediate probe of the server.
    case probeRequested
    /// The server responded to a request that is not the outbox's own: an idle client need not probe it.
    case heard
    /// The machine's network changed, or came up: what was found out before says nothing about it.
    case networkChanged
    /// The machine has no network. The driver has broken off the calls under way.
    case networkLost
    /// ``Outbox/nextDeadline`` has been reached.
    case deadline
}

extension OutboxEvent {
    /// The batch whose end the driver reports: nothing more of it is sent. `nil` for other events.
    package var endedBatch: Batch? {
        switch self {
        case .responded(let batch, _), .failed(let batch, _), .unsendable(let batch, _, _), .foreign(let batch, _),
            .interrupted(let batch):
            batch
        default: nil
        }
    }
}
