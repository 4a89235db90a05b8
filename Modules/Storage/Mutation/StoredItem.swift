public import CausewayModels

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A message, or an operation that creates none: what the steps of a delivery change.
public enum StoredItem: Sendable, Hashable, Deliverable {
    /// A message, created here or by others.
    case message(Message)
    /// An edit, a reaction, or another operation on a message that exists.
    ///
    /// On the heap: an operation is larger than a message, and most items are messages.
    indirect case operation(QueuedOperation)

    public var id: OperationID {
        switch self {
        case .message(let message): message.id
        case .operation(let operation): operation.id
        }
    }

    public var channel: ChannelID {
        switch self {
        case .message(let message): message.channel
        case .operation(let operation): operation.channel
        }
    }

    public var sender: UserID {
        switch self {
        case .message(let message): message.sender
        case .operation(let operation): operation.sender
        }
    }

    public var createdAt: Timestamp {
        switch self {
        case .message(let message): message.createdAt
        case .operation(let operation): operation.createdAt
        }
    }

    public var ordinal: Int64 {
        switch self {
        case .message(let message): message.ordinal
        case .operation(let operation): operation.ordinal
        }
    }

    public var related: MessageID? {
        switch self {
        case .message(let message): message.related
        case .operation(let operation): operation.related
        }
    }

    public var createsMessage: Bool {
        switch self {
        case .message: true
        case .operation: false
        }
    }

    public var delivery: DeliveryProgress {
        get {
            switch self {
            case .message(let message): message.delivery
            case .operation(let operation): operation.delivery
            }
        }
        set {
            switch self {
            case .message(var message):
                message.delivery = newValue
                self = .message(message)
            case .operation(var operation):
                operation.delivery = newValue
                self = .operation(operation)
            }
        }
    }

    public var type: MessageType {
        switch self {
        case .message(let message): message.type
        case .operation(let operation): operation.type
        }
    }

    /// The message; `nil` for an operation that creates none.
    public var message: Message? {
        if case .message(let message) = self { message } else { nil }
    }

    /// The operation, if it creates no message.
    public var operation: QueuedOperation? {
        if case .operation(let operation) = self { operation } else { nil }
    }

    /// The message that it changes; `nil` for a message.
    public var target: MessageID? { operation?.target }

    /// The message that it refers to while it is in the outbox, and that is kept for it.
    public var reference: MessageID? { isUndelivered ? related : nil }

    /// The content that is sent to the server, in the form in which stores keep it.
    public var sentContent: MessageContent {
        switch self {
        case .message(let message): message.sentContent
        case .operation(let operation): operation.content
        }
    }

    /// The coded content: the JSON that ``MessageContent`` defines. Stores count its bytes (``ItemRow/bytes``), so that
    /// all of them count alike.
    public func codedContent() throws(StoreError) -> Data { try ContentCoding.encode(sentContent) }

    /// The operation that was or is to be delivered: for a message, the one that creates it.
    public var asOperation: QueuedOperation {
        switch self {
        case .message(let message): QueuedOperation(creating: message)
        case .operation(let operation): operation
        }
    }

    /// The operation in the outbox; `nil` for a message that the server has.
    public var queued: QueuedOperation? { isUndelivered ? asOperation : nil }

    /// Replaces the content, while no copy of it can exist elsewhere.
    package func rewritten(_ content: MessageContent) -> StoredItem {
        switch self {
        case .message(let message): return .message(message.rewritten(content))
        case .operation(var operation):
            guard isUndelivered else { return self }
            operation.payload.content = content
            return .operation(operation)
        }
    }

    /// Creates the item of a draft as it enters the store; `laneSequence` is 0 if it has to wait for the message that
    /// it refers to.
    package init(_ draft: OperationDraft, ordinal: Int64, laneSequence: Int64) {
        if case .create(let content, let parent, let tags) = draft.payload {
            self = .message(
                Message(
                    id: draft.id, channel: draft.channel, sender: draft.sender, parent: parent,
                    displayed: MessageBody(content: content, tags: tags), createdAt: draft.createdAt, ordinal: ordinal,
                    lane: draft.lane, laneSequence: laneSequence, upload: AttachmentUpload(of: content.attachment)))
        } else {
            self = .operation(
                QueuedOperation(
                    id: draft.id, channel: draft.channel, sender: draft.sender, payload: draft.payload,
                    createdAt: draft.createdAt, ordinal: ordinal,
                    delivery: DeliveryProgress(
                        lane: draft.lane, laneSequence: laneSequence, queuedAt: draft.createdAt)))
        }
    }
}

/// An item as a store holds it, with the size of its coded content.
public struct ItemRow: Sendable {
    /// The message or the operation, with every value that it has.
    public var item: StoredItem
    /// The size of the coded content.
    public var bytes: Int

    /// - Parameter bytes: the size of ``StoredItem/codedContent()``.
    public init(item: StoredItem, bytes: Int) {
        self.item = item
        self.bytes = bytes
    }

    package init(message: Message, bytes: Int) { self.init(item: .message(message), bytes: bytes) }

    /// See ``StoredItem/message``.
    public var message: Message? { item.message }
}
