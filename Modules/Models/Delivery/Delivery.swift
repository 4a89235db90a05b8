/// An ordered batch of operations of one lane, for one server.
public struct Delivery: Sendable, Hashable {
    public var outbox: OutboxID
    public var epoch: Int64
    /// The opening of the store that sends the batch; `nil` from a client without lineage.
    public var opening: OpeningID?
    /// Earlier openings of the same store, newest first. Empty once the server has confirmed the current one.
    public var ancestors: [OpeningID] = []
    /// The highest sequence of the lane that was transmitted before this opening began.
    public var base: Int64 = 0
    /// The server's history as the client knows it; `nil` before the first contact. A server with another history
    /// applies nothing.
    public var history: ServerHistory?
    public var lane: LaneID
    public var operations: [DeliveryOperation]

    public init(outbox: OutboxID, epoch: Int64, lane: LaneID, operations: [DeliveryOperation]) {
        self.outbox = outbox
        self.epoch = epoch
        self.lane = lane
        self.operations = operations
    }
}

/// One operation of a ``Delivery``. Every attempt of the same operation carries the same numbers.
public struct DeliveryOperation: Sendable, Hashable {
    public enum Body: Sendable, Hashable {
        case send(
            MessageID, channel: ChannelID, content: MessageContent, createdAt: Timestamp, parent: MessageID? = nil)
        /// Replaces the content of `target`. The operation's own id is its idempotency key.
        case edit(MessageID, target: MessageID, content: MessageContent)
        case addReaction(MessageID, target: MessageID, name: String)
        case removeReaction(MessageID, target: MessageID, name: String)
        case fence(MessageID)
        case delete(MessageID)
    }

    /// The operation's sequence in its lane.
    public var sequence: Int64
    /// The last sequence that was transmitted before this one in the same lane; 0 if there was none.
    public var previous: Int64
    public var body: Body

    public init(sequence: Int64, previous: Int64, body: Body) {
        self.sequence = sequence
        self.previous = previous
        self.body = body
    }
}

/// The server's response to a ``Delivery``.
public struct DeliveryReport: Sendable, Hashable {
    /// The lane's high-water mark after the delivery.
    public var mark: Int64
    /// One outcome for each operation, in the same order.
    public var outcomes: [DeliveryOutcome]
    /// The opening that the server has admitted as the newest one of its store; `nil` from a server without lineage.
    public var opening: OpeningID?
    /// The server's history; `nil` from a server without histories.
    public var history: ServerHistory?

    public init(mark: Int64, outcomes: [DeliveryOutcome], opening: OpeningID? = nil) {
        self.mark = mark
        self.outcomes = outcomes
        self.opening = opening
    }
}
