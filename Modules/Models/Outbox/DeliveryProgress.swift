/// The progress of the delivery of one operation: of the creation of a message, of an edit, of a reaction.
public struct DeliveryProgress: Sendable, Hashable {
    /// The state of the delivery.
    public var syncState: SyncState
    /// The reason why it is `error`; kept while it waits after a resend until the next attempt ends.
    public var failure: Failure?
    /// True while it is unknown whether the server received an abandoned copy of it; also after a resend.
    public var isInDoubt: Bool

    /// The lane that delivers it; `nil` for a message of another user.
    public var lane: LaneID?
    /// Its sequence in its lane: larger means later. Assigned at creation and again at a resend, never by the clock. 0
    /// while it waits for the message that it refers to, see ``Deliverable/isParked``.
    public var laneSequence: Int64
    /// The lane sequence that was transmitted before it; `nil` if it was never transmitted.
    public var previousSequence: Int64?
    /// The time when it entered the queue: at its creation, at the last resend, or when the message that it waited for
    /// was delivered. By the clock of this device.
    public var queuedAt: Timestamp
    /// The number of counted attempts to deliver it with its current lane sequence.
    public var attempts: Int
    /// The time when the last attempt began.
    public var lastAttemptAt: Timestamp?
    /// The last ``Limits/historyKeptMax`` changes of its state, oldest first; its creation is not included.
    public var history: [StateChange]
    /// The upload of the attachment that the server needs before it; `nil` for an operation without an attachment, and
    /// for messages that were not created here.
    public var upload: AttachmentUpload?

    /// For stores that keep these values in fields of their own.
    public init(
        syncState: SyncState = .created, failure: Failure? = nil, isInDoubt: Bool = false, lane: LaneID?,
        laneSequence: Int64, previousSequence: Int64? = nil, queuedAt: Timestamp, attempts: Int = 0,
        lastAttemptAt: Timestamp? = nil, history: [StateChange] = [], upload: AttachmentUpload? = nil
    ) {
        self.syncState = syncState
        self.failure = failure
        self.isInDoubt = isInDoubt
        self.lane = lane
        self.laneSequence = laneSequence
        self.previousSequence = previousSequence
        self.queuedAt = queuedAt
        self.attempts = attempts
        self.lastAttemptAt = lastAttemptAt
        self.history = history
        self.upload = upload
    }
}

/// One state change in the delivery history of a message.
public struct StateChange: Sendable, Hashable {
    /// The new state.
    public let state: SyncState
    /// The time of the change, by the clock of this device.
    public let at: Timestamp

    /// Creates a change; see the properties.
    public init(state: SyncState, at: Timestamp) {
        self.state = state
        self.at = at
    }
}
