/// An ordered batch of operations of one lane, for one server.
public struct Delivery: Sendable, Hashable {
    /// The id of the outbox, under which the server keeps the marks of its lanes.
    public var outbox: OutboxID
    /// The opening of the store, as a number that grows.
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
    /// The lane of all operations of the batch.
    public var lane: LaneID
    /// True if an earlier delivery of the lane is under way. If this one arrives first, a server may wait a moment for
    /// the other instead of reporting a gap.
    public var isPipelined = false
    /// The operations, by ascending sequence.
    public var operations: [DeliveryOperation]

    /// Creates a batch that is not pipelined, without lineage and history; set the other properties afterwards.
    public init(outbox: OutboxID, epoch: Int64, lane: LaneID, operations: [DeliveryOperation]) {
        self.outbox = outbox
        self.epoch = epoch
        self.lane = lane
        self.operations = operations
    }
}

/// One operation of a ``Delivery``. Every attempt of the same operation carries the same numbers.
public struct DeliveryOperation: Sendable, Hashable {
    /// The content of an operation.
    public enum Body: Sendable, Hashable {
        /// Creates a message, whose id is the idempotency key.
        case send(
            MessageID, channel: ChannelID, content: MessageContent, createdAt: Timestamp, parent: MessageID? = nil,
            tags: [String] = [])
        /// Replaces the content of `target`. The operation's own id is its idempotency key.
        case edit(MessageID, target: MessageID, content: MessageContent)
        /// Adds a reaction of the account to `target`. The operation's own id is its idempotency key.
        case addReaction(MessageID, target: MessageID, name: String)
        /// Removes a reaction of the account from `target`. The operation's own id is its idempotency key.
        case removeReaction(MessageID, target: MessageID, name: String)
        /// Writes to a record. The operation's own id is its idempotency key.
        case write(MessageID, RecordWrite)
        /// Asks for the verdict on the operation with this id: the server reports it as accepted if it has it, and
        /// otherwise refuses every late copy with this sequence.
        case fence(MessageID)
        /// Deletes the message with this id; the result is the same if the server does not have it.
        case delete(MessageID)
    }

    /// The operation's sequence in its lane.
    public var sequence: Int64
    /// The last sequence that was transmitted before this one in the same lane; 0 if there was none.
    public var previous: Int64
    /// The content.
    public var body: Body

    /// Creates an operation; see the properties.
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
    /// Messages among the accepted ones that have been deleted on the server since, by another device or another copy
    /// of the store: they are delivered, and must not be shown.
    public var deletedSince: Set<MessageID> = []
    /// The opening that the server has admitted as the newest one of its store; `nil` from a server without lineage.
    public var opening: OpeningID?
    /// The server's history; `nil` from a server without histories.
    public var history: ServerHistory?

    /// Creates a report of which the server deleted nothing since and names no history; set the other properties
    /// afterwards.
    public init(mark: Int64, outcomes: [DeliveryOutcome], opening: OpeningID? = nil) {
        self.mark = mark
        self.outcomes = outcomes
        self.opening = opening
    }
}

/// The server's result for one operation of a delivery.
public enum DeliveryOutcome: Sendable, Hashable {
    /// The server has the message, at this position. A repeat returns the first placement again. The position of a
    /// write is the version that it gave the record.
    case accepted(ServerPosition)
    /// Result of a fence: the server has no copy, and will accept no late one with this sequence.
    case fenced
    /// Result of a deletion: the message is no longer on the server.
    case deleted
    /// Refused permanently; the lane advanced past it.
    case refused(code: String, detail: String)
    /// Refused because the message that it refers to is not on the server; the lane advanced past it.
    case unrelated(detail: String)
    /// Not applied now, nor anything after it. `after` is the time that the server asked to wait, if it did.
    case tryLater(code: String, detail: String, after: Duration?)
    /// Not processed, because of an earlier operation.
    case notAttempted
    /// An earlier operation is missing: the lane's high-water mark is `mark`.
    case gap(mark: Int64)
    /// Below the lane's mark, and unknown: it was never accepted, and with this sequence never will be.
    case late(mark: Int64)
}

/// Range checks for marks and positions, which come from outside. Values out of range are rejected: arithmetic on them
/// could trap, and a mark that no sequence can exceed would renumber a lane endlessly.
extension DeliveryReport {
    /// False if an outcome holds a number that a correct server cannot have sent.
    package var isInRange: Bool { outcomes.allSatisfy(\.isInRange) }
}

extension DeliveryOutcome {
    package var isInRange: Bool {
        switch self {
        case .accepted(let serverPosition): serverPosition.isInRange
        case .gap(let mark), .late(let mark): (0..<Limits.sequenceMax).contains(mark)
        case .fenced, .deleted, .refused, .unrelated, .tryLater, .notAttempted: true
        }
    }
}

extension ServerPosition {
    package var isInRange: Bool { (1...Limits.positionMax).contains(position) }
}
