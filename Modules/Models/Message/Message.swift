/// A message as the store holds it: what a user sees, and how far it has come.
///
/// A value: it never changes after it was read.
public struct Message: Sendable, Hashable, Identifiable {
    /// Chosen at creation; the idempotency key on the server.
    public let id: MessageID
    public let channel: ChannelID
    public let sender: UserID
    /// Whether it is a message of its own, a reply, or an operation on another message.
    public let role: MessageRole
    /// What a screen shows of it: with what this device has changed and the server has not yet taken.
    public var face: MessageFace
    /// The same without that; `nil` while nothing waits to be applied to it.
    package var base: MessageFace?
    /// When it was created, by the clock of the device that created it. For people; nothing is ordered by it.
    public let createdAt: Timestamp
    /// The order in which this store took messages in: larger means later. Numbers may be left out.
    public let ordinal: Int64

    public var syncState: SyncState
    /// Why it is `error`; kept through a resend's wait until the next attempt ends.
    public var failure: Failure?
    /// True while the server has not yet said whether a copy reached it that was given up; also after a resend.
    public var isInDoubt: Bool
    /// Where the server put it; `nil` until it is `synced`.
    public var placement: Placement?

    /// The lane it travels in; `nil` for a message of somebody else.
    public var lane: LaneID?
    /// Its place in its lane: larger means later. Given at creation and again at a resend, never by the clock. 0 while
    /// it waits for the message that it is about, see ``isParked``.
    public var laneSequence: Int64
    /// When it entered the queue: at its creation, at the last resend, or when the message that it waited for was
    /// delivered. By the clock of this device.
    public var queuedAt: Timestamp
    /// Tries to deliver it that counted, in this place of the lane.
    public var attempts: Int
    /// When the last attempt began.
    public var lastAttemptAt: Timestamp?
    /// The last ``Limits/historyKeptMax`` changes of its state, oldest first; its creation is not among them.
    public var history: [StateChange]
    /// The lane sequence that was transmitted before it; `nil` while it was never transmitted.
    package var previousSequence: Int64?

    public var type: MessageType { content.type }

    /// What it says, or, of an operation, what is to be said or done.
    public var content: MessageContent { face.content }
    public var editedAt: Timestamp? { face.editedAt }
    public var reactions: [String: Int] { face.reactions }
    public var myReactions: Set<String> { face.myReactions }
    /// The message that it answers.
    public var parent: MessageID? { role.parent }

    /// What goes to the server under this id: it never changes once it was transmitted.
    package var sentContent: MessageContent { (base ?? face).content }

    /// True while it is in the outbox: everything that is not `synced`.
    public var isUndelivered: Bool { syncState != .synced }

    /// True while it has no place in its lane, because the message that it is about is not on the server yet.
    public var isParked: Bool { syncState == .created && laneSequence == 0 }

    package init(
        id: MessageID, channel: ChannelID, sender: UserID, role: MessageRole = .message, face: MessageFace,
        base: MessageFace? = nil, createdAt: Timestamp, ordinal: Int64, lane: LaneID?, laneSequence: Int64,
        queuedAt: Timestamp? = nil, syncState: SyncState = .created, failure: Failure? = nil, isInDoubt: Bool = false,
        placement: Placement? = nil, attempts: Int = 0, lastAttemptAt: Timestamp? = nil, history: [StateChange] = [],
        previousSequence: Int64? = nil
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.role = role
        self.face = face
        self.base = base
        self.createdAt = createdAt
        self.ordinal = ordinal
        self.lane = lane
        self.laneSequence = laneSequence
        self.queuedAt = queuedAt ?? createdAt
        self.syncState = syncState
        self.failure = failure
        self.isInDoubt = isInDoubt
        self.placement = placement
        self.attempts = attempts
        self.lastAttemptAt = lastAttemptAt
        self.history = history
        self.previousSequence = previousSequence
    }
}

extension Message {
    package init(
        id: MessageID, channel: ChannelID, sender: UserID, content: MessageContent, createdAt: Timestamp,
        ordinal: Int64, lane: LaneID?, laneSequence: Int64, syncState: SyncState = .created,
        failure: Failure? = nil, isInDoubt: Bool = false, placement: Placement? = nil, attempts: Int = 0,
        lastAttemptAt: Timestamp? = nil, previousSequence: Int64? = nil
    ) {
        self.init(
            id: id, channel: channel, sender: sender, face: MessageFace(content: content), createdAt: createdAt,
            ordinal: ordinal, lane: lane, laneSequence: laneSequence, syncState: syncState, failure: failure,
            isInDoubt: isInDoubt, placement: placement, attempts: attempts, lastAttemptAt: lastAttemptAt,
            previousSequence: previousSequence)
    }
}
