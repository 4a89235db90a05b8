/// One link of a lane's chain: a request that the server has not confirmed yet.
public struct OutboxEntry: Sendable, Hashable {
    /// The kinds of links.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// Deliver the message.
        case send = 0
        /// Ask for a verdict: the server responds with the placement if it has the message, and otherwise makes sure
        /// that it never accepts a late copy with this sequence. Also keeps the chain contiguous.
        case fence = 1
        /// Like `fence`, for a message that was deleted meanwhile: if the server has it, a `delete` follows.
        case retract = 2
        /// Delete the message from the server.
        case delete = 3
    }

    /// The kind of the link, which decides the request that is sent.
    public var kind: Kind
    /// The lane of the link.
    public var lane: LaneID
    /// The sequence in the lane.
    public var sequence: Int64
    /// The number under which the item was created: equal to ``sequence`` until the item moves to another place in its
    /// lane, lower afterwards. What a copy of the store may have is decided by it. ``sequence`` for all kinds but
    /// `send`.
    public var ordinal: Int64
    /// The sequence that was transmitted before it in its lane; `nil` if it was never transmitted.
    public var previous: Int64?
    /// The message that is sent, asked for or deleted; the operation's id if it is an operation on another message.
    public var message: MessageID
    /// The number of counted attempts.
    public var attempts: Int
    /// The size of the coded content, for batching; 0 for all kinds but `send`.
    public var bytes: Int
    /// The time when it entered the queue, by the clock of this device: at its creation or its last resend; 0 for all
    /// kinds but `send`.
    public var queuedAt: Timestamp
    /// True for the `send` of an operation on another message: an edit, or a reaction added or removed. Only its target
    /// depends on it, so its failure pauses no lane. False for all other kinds.
    public var isOperation: Bool
    /// The upload of the attachment that the server needs before the message; `nil` without one, and for all kinds but
    /// `send`.
    public var upload: AttachmentUpload?

    /// Creates a link; see the properties.
    ///
    /// - Parameter ordinal: `nil` for an item that was never moved.
    public init(
        kind: Kind, lane: LaneID, sequence: Int64, ordinal: Int64? = nil, previous: Int64?, message: MessageID,
        attempts: Int, bytes: Int,
        queuedAt: Timestamp = Timestamp(milliseconds: 0), isOperation: Bool = false,
        upload: AttachmentUpload? = nil
    ) {
        self.kind = kind
        self.lane = lane
        self.sequence = sequence
        self.ordinal = ordinal ?? sequence
        self.previous = previous
        self.message = message
        self.attempts = attempts
        self.bytes = bytes
        self.queuedAt = queuedAt
        self.isOperation = isOperation
        self.upload = upload
    }
}
