/// A message as the store holds it: what a user sees, and how far it has come.
///
/// A value: it never changes after it was read.
public struct Message: Sendable, Hashable, Identifiable {
    /// Chosen at creation; the idempotency key on the server.
    public let id: MessageID
    public let channel: ChannelID
    public let sender: UserID
    public var content: MessageContent
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
    /// Its place in its lane: larger means later. Given at creation and again at a resend, never by the clock.
    public var laneSequence: Int64
    /// Tries to deliver it that counted, in this place of the lane.
    public var attempts: Int
    /// When the last attempt began.
    public var lastAttemptAt: Timestamp?
    /// The lane sequence that was transmitted before it; `nil` while it was never transmitted.
    package var previousSequence: Int64?

    public var type: MessageType { content.type }

    /// True while it is in the outbox: everything that is not `synced`.
    public var isUndelivered: Bool { syncState != .synced }

    package init(
        id: MessageID, channel: ChannelID, sender: UserID, content: MessageContent, createdAt: Timestamp,
        ordinal: Int64, lane: LaneID?, laneSequence: Int64, syncState: SyncState = .created,
        failure: Failure? = nil, isInDoubt: Bool = false, placement: Placement? = nil, attempts: Int = 0,
        lastAttemptAt: Timestamp? = nil, previousSequence: Int64? = nil
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.content = content
        self.createdAt = createdAt
        self.ordinal = ordinal
        self.lane = lane
        self.laneSequence = laneSequence
        self.syncState = syncState
        self.failure = failure
        self.isInDoubt = isInDoubt
        self.placement = placement
        self.attempts = attempts
        self.lastAttemptAt = lastAttemptAt
        self.previousSequence = previousSequence
    }
}
