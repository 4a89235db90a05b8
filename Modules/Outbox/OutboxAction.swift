package import CausewayModels
package import CausewayStorage

/// What the engine does next, in the order given.
package enum OutboxAction: Sendable, Equatable {
    /// Commit; nothing that follows may begin before it is durable.
    case commit([Mutation])
    /// Commit the mutations, then hand the round to the transport, and report
    /// ``OutboxEvent/answered(_:_:)`` or ``OutboxEvent/failed(_:_:)``.
    case transmit(DeliveryRound, [Mutation])
    /// Another copy of the store exists: commit ``Mutation/forkOutbox(_:at:)`` with a fresh id, and report
    /// ``OutboxEvent/forked(_:)`` before anything else. What is under way goes on; its answers still prove what they
    /// prove.
    case fork
    /// The server has another history: commit ``Mutation/followHistory(_:_:marks:at:)`` with a fresh id, and report
    /// ``OutboxEvent/forked(_:)`` before anything else. What the former history's answers still say proves nothing.
    case follow(ServerHistory, marks: [LaneID: Int64])
    /// The feed was reset: read the outbox from the store, and report ``OutboxEvent/forked(_:)`` before anything else.
    case reload
    /// Ask the transport to greet the server; one at a time.
    case probe
    /// Tell who waits for the message; once for each message and stay in the queue.
    case complete(MessageID, DeliveryResult)
    /// Tell who waits for the message what the store now says of it: its doubt is gone. Nobody who waits in
    /// this run of the process was told before.
    case completeAsStored(MessageID)
}

/// How the delivery of a message ended.
package enum DeliveryResult: Sendable, Hashable {
    case delivered(Placement)
    case failed(Failure)
    case deleted
}

/// One delivery under way: a run of links of one lane.
package struct DeliveryRound: Sendable, Hashable {
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
    package var operations: [Operation]
    /// The message whose attempts this round counts: the first one that is to be sent.
    package var charged: MessageID?
}
