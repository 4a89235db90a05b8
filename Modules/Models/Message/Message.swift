/// A message as the store holds it: its content, and the state of its delivery.
///
/// A value: it does not change after it was read.
public struct Message: Sendable, Hashable, Identifiable {
    /// Chosen at creation; the idempotency key on the server.
    public let id: MessageID
    public let channel: ChannelID
    public let sender: UserID
    /// Whether it is a message in its own right, a reply, or an operation on another message.
    public let role: MessageRole
    /// The displayed body: with pending changes of this device applied that the server has not confirmed.
    public var displayed: MessageBody
    /// The confirmed body, without pending changes; `nil` while no operation on the message is pending.
    package var confirmed: MessageBody?
    /// The creation time, by the clock of the device that created it. For display; nothing is ordered by it.
    public let createdAt: Timestamp
    /// The order in which this store received messages: larger means later. Numbers may be skipped.
    public let ordinal: Int64

    public var syncState: SyncState
    /// The reason why it is `error`; kept while it waits after a resend until the next attempt ends.
    public var failure: Failure?
    /// True while it is unknown whether the server received an abandoned copy of the message; also after a resend.
    public var isInDoubt: Bool
    /// The message's position on the server; `nil` until it is `synced`.
    public var serverPosition: ServerPosition?

    /// The lane that delivers it; `nil` for a message of another user.
    public var lane: LaneID?
    /// Its sequence in its lane: larger means later. Assigned at creation and again at a resend, never by the clock. 0
    /// while it waits for the message that it refers to, see ``isParked``.
    public var laneSequence: Int64
    /// The time when it entered the queue: at its creation, at the last resend, or when the message that it waited for
    /// was delivered. By the clock of this device.
    public var queuedAt: Timestamp
    /// The number of counted attempts to deliver it with its current lane sequence.
    public var attempts: Int
    /// The time when the last attempt began.
    public var lastAttemptAt: Timestamp?
    /// The last ``Limits/historyKeptMax`` changes of its state, oldest first; its creation is not included.
    public var history: [StateChange]
    /// The lane sequence that was transmitted before it; `nil` if it was never transmitted.
    package var previousSequence: Int64?

    public var type: MessageType { content.type }

    /// The displayed content; for an operation, the content that it applies.
    public var content: MessageContent { displayed.content }
    public var editedAt: Timestamp? { displayed.editedAt }
    public var reactions: [String: Int] { displayed.reactions }
    public var myReactions: Set<String> { displayed.myReactions }
    /// The message that this one replies to.
    public var parent: MessageID? { role.parent }

    /// The content that is sent to the server under this id: it does not change once it was transmitted.
    package var sentContent: MessageContent { (confirmed ?? displayed).content }

    /// True while it is in the outbox: in every state but `synced`.
    public var isUndelivered: Bool { syncState != .synced }

    /// True while it has no sequence in its lane, because the message that it refers to is not on the server yet.
    public var isParked: Bool { syncState == .created && laneSequence == 0 }

    package init(
        id: MessageID, channel: ChannelID, sender: UserID, role: MessageRole = .message, displayed: MessageBody,
        confirmed: MessageBody? = nil, createdAt: Timestamp, ordinal: Int64, lane: LaneID?, laneSequence: Int64,
        queuedAt: Timestamp? = nil, syncState: SyncState = .created, failure: Failure? = nil, isInDoubt: Bool = false,
        serverPosition: ServerPosition? = nil, attempts: Int = 0, lastAttemptAt: Timestamp? = nil,
        history: [StateChange] = [],
        previousSequence: Int64? = nil
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.role = role
        self.displayed = displayed
        self.confirmed = confirmed
        self.createdAt = createdAt
        self.ordinal = ordinal
        self.lane = lane
        self.laneSequence = laneSequence
        self.queuedAt = queuedAt ?? createdAt
        self.syncState = syncState
        self.failure = failure
        self.isInDoubt = isInDoubt
        self.serverPosition = serverPosition
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
        failure: Failure? = nil, isInDoubt: Bool = false, serverPosition: ServerPosition? = nil, attempts: Int = 0,
        lastAttemptAt: Timestamp? = nil, previousSequence: Int64? = nil
    ) {
        self.init(
            id: id, channel: channel, sender: sender, displayed: MessageBody(content: content), createdAt: createdAt,
            ordinal: ordinal, lane: lane, laneSequence: laneSequence, syncState: syncState, failure: failure,
            isInDoubt: isInDoubt, serverPosition: serverPosition, attempts: attempts, lastAttemptAt: lastAttemptAt,
            previousSequence: previousSequence)
    }
}

/// The position that the server assigned to an accepted message. A repeat of the same message returns the same
/// placement.
public struct ServerPosition: Sendable, Hashable, Codable {
    /// The position in the channel: 1, 2, 3 … in the order of acceptance by the server.
    public let position: Int64
    /// The time when the server accepted the message, by the server's clock.
    public let acceptedAt: Timestamp

    /// Clamps the position to 0 through ``Limits/positionMax``.
    public init(position: Int64, acceptedAt: Timestamp) {
        self.position = min(max(position, 0), Limits.positionMax)
        self.acceptedAt = acceptedAt
    }

    private enum Key: String, CodingKey { case position, acceptedAt }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            position: try values.decode(Int64.self, forKey: .position),
            acceptedAt: try values.decode(Timestamp.self, forKey: .acceptedAt))
    }
}

/// One state change in the delivery history of a message.
public struct StateChange: Sendable, Hashable {
    /// The new state.
    public let state: SyncState
    /// The time of the change, by the clock of this device.
    public let at: Timestamp

    public init(state: SyncState, at: Timestamp) {
        self.state = state
        self.at = at
    }
}

/// A position in an ordered list of messages, between the end of one page and the start of the next.
public struct MessageCursor: Sendable, Hashable, Codable {
    /// The position on the server; `Int64.max` for undelivered messages. Constant for lists without positions.
    public var position: Int64
    /// The message's ordinal; its lane sequence in the sending order.
    public var ordinal: Int64

    public init(position: Int64, ordinal: Int64) {
        self.position = position
        self.ordinal = ordinal
    }
}

extension Message {
    /// The message's cursor in the order of its channel.
    public var cursor: MessageCursor {
        MessageCursor(position: serverPosition?.position ?? .max, ordinal: ordinal)
    }
}
