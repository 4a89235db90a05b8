/// The id of an operation: its idempotency key on the server. For the creation of a message it is the message's id.
public typealias OperationID = MessageID

/// One write in the outbox: durable since it was made, not confirmed by the server yet.
///
/// The creation of a message shows as that message. Every other operation shows in the message that it changes
/// (``Message/displayed``), and is removed when the server has confirmed it.
public struct QueuedOperation: Sendable, Hashable, Identifiable, Deliverable {
    public let id: OperationID
    /// The channel of the message that it creates or changes.
    public let channel: ChannelID
    /// The user who made it.
    public let sender: UserID
    /// The content of the operation.
    public var payload: OperationPayload
    /// The time when it was made, by the clock of the device. For display; nothing is ordered by it.
    public let createdAt: Timestamp
    public let ordinal: Int64
    /// The state of its delivery.
    public var delivery: DeliveryProgress

    public var related: MessageID? { payload.related }
    public var createsMessage: Bool { payload.createsMessage }

    /// For stores that keep the properties of an operation in fields of their own.
    public init(
        id: OperationID, channel: ChannelID, sender: UserID, payload: OperationPayload,
        createdAt: Timestamp,
        ordinal: Int64, delivery: DeliveryProgress
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.payload = payload
        self.createdAt = createdAt
        self.ordinal = ordinal
        self.delivery = delivery
    }

    /// The operation that creates a message.
    package init(creating message: Message) {
        self.init(
            id: message.id, channel: message.channel, sender: message.sender,
            payload: .create(message.sentContent, parent: message.parent, tags: message.tags),
            createdAt: message.createdAt, ordinal: message.ordinal, delivery: message.delivery)
    }
}

extension QueuedOperation {
    /// The content that is sent to the server under this id: it does not change once it was transmitted.
    public var content: MessageContent { payload.content }
    public var type: MessageType { content.type }

    /// The message that it changes; `nil` for the creation of one.
    public var target: MessageID? { payload.target }

    /// The operation's cursor in the order of creation.
    package var cursor: MessageCursor { MessageCursor(position: .max, ordinal: ordinal) }
}
