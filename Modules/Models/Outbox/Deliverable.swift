/// An item that the outbox delivers, with the state of its delivery.
public protocol Deliverable: Sendable {
    /// The idempotency key on the server.
    var id: MessageID { get }
    /// The channel of the message that it creates or changes.
    var channel: ChannelID { get }
    /// The user who made it.
    var sender: UserID { get }
    /// The type of its content.
    var type: MessageType { get }
    /// The time when it was created, by the clock of the device that created it. For display; nothing is ordered by it.
    var createdAt: Timestamp { get }
    /// The order in which this store received it: larger means later. Numbers may be skipped.
    var ordinal: Int64 { get }
    /// The message that it depends on: the parent of a reply, the target of an edit or a reaction.
    var related: MessageID? { get }
    /// True if its delivery puts a message on the server. Only its target depends on any other item.
    var createsMessage: Bool { get }
    /// The state of its delivery; its parts are available as properties, too.
    var delivery: DeliveryProgress { get set }
}

extension Deliverable {
    /// The state of the delivery.
    public var syncState: SyncState {
        get { delivery.syncState }
        set { delivery.syncState = newValue }
    }

    /// The reason why it is `error`; kept while it waits after a resend until the next attempt ends.
    public var failure: Failure? {
        get { delivery.failure }
        set { delivery.failure = newValue }
    }

    /// True while it is unknown whether the server received an abandoned copy of it; also after a resend.
    public var isInDoubt: Bool {
        get { delivery.isInDoubt }
        set { delivery.isInDoubt = newValue }
    }

    /// The lane that delivers it; `nil` for a message of another user.
    public var lane: LaneID? {
        get { delivery.lane }
        set { delivery.lane = newValue }
    }

    /// See ``DeliveryProgress/laneSequence``.
    public var laneSequence: Int64 {
        get { delivery.laneSequence }
        set { delivery.laneSequence = newValue }
    }

    /// See ``DeliveryProgress/previousSequence``.
    public var previousSequence: Int64? {
        get { delivery.previousSequence }
        set { delivery.previousSequence = newValue }
    }

    /// See ``DeliveryProgress/queuedAt``.
    public var queuedAt: Timestamp {
        get { delivery.queuedAt }
        set { delivery.queuedAt = newValue }
    }

    /// The number of counted attempts to deliver it with its current lane sequence.
    public var attempts: Int {
        get { delivery.attempts }
        set { delivery.attempts = newValue }
    }

    /// The time when the last attempt began.
    public var lastAttemptAt: Timestamp? {
        get { delivery.lastAttemptAt }
        set { delivery.lastAttemptAt = newValue }
    }

    /// The last ``Limits/historyKeptMax`` changes of its state, oldest first; its creation is not included.
    public var history: [StateChange] {
        get { delivery.history }
        set { delivery.history = newValue }
    }

    /// See ``DeliveryProgress/upload``.
    public var upload: AttachmentUpload? {
        get { delivery.upload }
        set { delivery.upload = newValue }
    }

    /// True while it is in the outbox: in every state but `synced`.
    public var isUndelivered: Bool { syncState != .synced }

    /// True while it has no sequence in its lane, because the message that it refers to is not on the server yet.
    public var isParked: Bool { syncState == .created && laneSequence == 0 }

    /// True while it is queued or being sent: undelivered, and not failed.
    public var isPending: Bool {
        switch syncState {
        case .created, .uploading, .syncing: true
        case .synced, .error: false
        }
    }
}
