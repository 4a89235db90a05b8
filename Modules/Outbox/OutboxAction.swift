package import CausewayModels
package import CausewayStorage

/// An action that the engine performs next, in the given order.
package enum OutboxAction: Sendable, Equatable {
    /// Commit; no later action may begin before it is durable.
    case commit([Mutation])
    /// Commit the mutations, at the latest now, then pass the batch to the transport, and report
    /// ``OutboxEvent/responded(_:_:)`` or ``OutboxEvent/failed(_:_:)``. See ``Swift/Array/joiningCommits()``.
    case transmit(Batch, [Mutation])
    /// Commit the mutations, at the latest now, then upload the attachment, and report ``OutboxEvent/upload(_:_:)``.
    case upload(UploadQueue.Attempt, [Mutation])
    /// Cancel the attempt to upload with this number, and report nothing more of it. If it is abandoned, its session on
    /// the server is cancelled, too.
    case cancelUpload(Int, isAbandoned: Bool)
    /// Another copy of the store exists: commit ``Mutation/forkOutbox(_:at:)`` with a new id, and report
    /// ``OutboxEvent/forked(_:)`` before anything else. Batches under way continue; their responses still count as
    /// confirmations.
    case fork
    /// The server has another history: commit ``Mutation/followHistory(_:_:marks:at:)`` with a new id, and report
    /// ``OutboxEvent/forked(_:)`` before anything else. Responses that belong to the former history confirm nothing.
    case follow(ServerHistory, marks: [LaneID: Int64])
    /// The feed was reset: read the outbox from the store, and report ``OutboxEvent/forked(_:)`` before anything else.
    case reload
    /// Probe the server through the transport; one probe at a time.
    case probe
    /// Complete the waiters of the message; once for each message and time in the queue.
    case complete(MessageID, DeliveryResult)
    /// Complete the waiters of the message with its stored state: its doubt has been resolved. No waiter of this run of
    /// the process was completed before.
    case completeAsStored(MessageID)
}

/// The final result of the delivery of a message.
package enum DeliveryResult: Sendable, Hashable {
    case delivered(ServerPosition)
    case failed(Failure)
    case deleted
}

/// One batch under way: consecutive links of one lane.
package struct Batch: Sendable, Hashable {
    package struct Operation: Sendable, Hashable {
        package var kind: OutboxEntry.Kind
        package var message: MessageID
        package var sequence: Int64
        package var previous: Int64
    }

    /// Unique within one run of the process.
    package var id: Int
    package var lane: LaneID
    package var outbox: OutboxID
    package var epoch: Int64
    package var opening: OpeningID?
    /// Earlier openings of the store; empty once the server has confirmed this one.
    package var ancestors: [OpeningID] = []
    /// The highest sequence of the lane that was transmitted before this opening.
    package var base: Int64 = 0
    /// True if an earlier batch of the lane is under way.
    package var isPipelined = false
    package var operations: [Operation]
    /// The message whose attempts this batch counts: the first one that is to be sent.
    package var countedMessage: MessageID?
}
