/// A message as the store holds it: its content, and the state of its delivery.
///
/// A value: it does not change after it was read.
public struct Message: Sendable, Hashable, Identifiable, Deliverable {
    /// Chosen at creation; the idempotency key on the server.
    public let id: MessageID
    /// The channel in which the message is; it never moves to another one.
    public let channel: ChannelID
    /// The author of the message.
    public let sender: UserID
    /// The message that this one replies to.
    public let parent: MessageID?
    /// The creation time, by the clock of the device that created it. For display; nothing is ordered by it.
    public let createdAt: Timestamp
    /// The order in which this store received messages: larger means later. Numbers may be skipped.
    public let ordinal: Int64
    /// The message's position on the server; `nil` until it is `synced`.
    public var serverPosition: ServerPosition?

    /// Everything else that changes. Copies of a message are everywhere, and few of them are changed.
    fileprivate var changing: CopyOnWrite<Changing>

    fileprivate struct Changing: Sendable, Hashable {
        var displayed: MessageBody
        var confirmed: MessageBody?
        var delivery: DeliveryProgress
        var deletion: Deletion?
    }

    fileprivate struct Deletion: Sendable, Hashable {
        var at: Timestamp?
    }

    /// The displayed body: with pending changes of this device applied that the server has not confirmed.
    public var displayed: MessageBody {
        _read { yield changing.value.displayed }
        _modify { yield &changing.value.displayed }
    }

    /// The confirmed body, without pending changes; `nil` while no operation on the message is pending.
    public var confirmed: MessageBody? {
        _read { yield changing.value.confirmed }
        _modify { yield &changing.value.confirmed }
    }

    /// The state of the delivery of the operation that creates the message; `synced` without a lane if it was created
    /// elsewhere.
    public var delivery: DeliveryProgress {
        _read { yield changing.value.delivery }
        _modify { yield &changing.value.delivery }
    }

    public var type: MessageType { content.type }

    /// The displayed content.
    public var content: MessageContent { displayed.content }
    /// The tags that the message was created with; see ``MessageTags``.
    public var tags: [String] { displayed.tags }
    /// The time when the server accepted the last edit, by its clock; `nil` if it was never edited.
    public var editedAt: Timestamp? { displayed.editedAt }
    /// True for what a list shows in place of a deleted message if it was asked to: its content is empty, and it cannot
    /// be changed any more.
    public var isDeleted: Bool { changing.value.deletion != nil }
    /// The time when the server deleted the message, by its clock; `nil` if it was not deleted, or the server has not
    /// reported it yet.
    public var deletedAt: Timestamp? { changing.value.deletion?.at }
    /// The displayed number of users who gave each reaction, by its name.
    public var reactions: [String: Int] { displayed.reactions }
    /// The displayed reactions of this account.
    public var myReactions: Set<String> { displayed.myReactions }
    public var related: MessageID? { parent }
    public var createsMessage: Bool { true }

    /// The content that is sent to the server under this id: it does not change once it was transmitted.
    public var sentContent: MessageContent { (confirmed ?? displayed).content }

    /// For stores that keep the properties of a message in fields of their own. A client creates messages by
    /// `MessageRepository`, and a store by what its library makes of a draft.
    public init(
        id: MessageID, channel: ChannelID, sender: UserID, parent: MessageID? = nil,
        displayed: MessageBody,
        confirmed: MessageBody? = nil, createdAt: Timestamp, ordinal: Int64,
        serverPosition: ServerPosition? = nil,
        delivery: DeliveryProgress
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.parent = parent
        self.createdAt = createdAt
        self.ordinal = ordinal
        self.serverPosition = serverPosition
        changing = CopyOnWrite(Changing(displayed: displayed, confirmed: confirmed, delivery: delivery))
    }
}

extension Message {
    /// The message that is shown in place of a deleted one. It has no ordinal: its position alone orders it.
    package init(_ deleted: DeletedMessage) {
        // Any type can have an unknown content, which need not have a file.
        let content: MessageContent =
            deleted.type == .text ? .text("") : .unknown(type: deleted.type.name, body: .object([:]))
        self.init(
            id: deleted.id, channel: deleted.channel, sender: deleted.sender, parent: deleted.parent,
            displayed: MessageBody(content: content), createdAt: deleted.createdAt, ordinal: 0, lane: nil,
            laneSequence: 0, syncState: .synced, serverPosition: deleted.serverPosition)
        changing.value.deletion = Deletion(at: deleted.deletedAt)
    }

    package init(
        id: MessageID, channel: ChannelID, sender: UserID, parent: MessageID? = nil,
        displayed: MessageBody,
        confirmed: MessageBody? = nil, createdAt: Timestamp, ordinal: Int64, lane: LaneID?,
        laneSequence: Int64,
        queuedAt: Timestamp? = nil, syncState: SyncState = .created, failure: Failure? = nil,
        isInDoubt: Bool = false,
        serverPosition: ServerPosition? = nil, attempts: Int = 0, lastAttemptAt: Timestamp? = nil,
        history: [StateChange] = [], previousSequence: Int64? = nil, upload: AttachmentUpload? = nil
    ) {
        self.init(
            id: id, channel: channel, sender: sender, parent: parent, displayed: displayed,
            confirmed: confirmed,
            createdAt: createdAt, ordinal: ordinal, serverPosition: serverPosition,
            delivery: DeliveryProgress(
                syncState: syncState, failure: failure, isInDoubt: isInDoubt, lane: lane,
                laneSequence: laneSequence,
                previousSequence: previousSequence, queuedAt: queuedAt ?? createdAt, attempts: attempts,
                lastAttemptAt: lastAttemptAt, history: history, upload: upload))
    }

    package init(
        id: MessageID, channel: ChannelID, sender: UserID, content: MessageContent,
        createdAt: Timestamp,
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

/// A position in an ordered list of messages, between the end of one page and the start of the next.
public struct MessageCursor: Sendable, Hashable, Codable {
    /// The position on the server; `Int64.max` for undelivered messages. Constant for lists without positions.
    public var position: Int64
    /// The message's ordinal; its lane sequence in the sending order.
    public var ordinal: Int64

    /// Creates a cursor; normally it comes from a page or from ``Message/cursor``.
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
