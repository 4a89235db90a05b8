import CausewayModels
import CausewayStorage

/// A message, or an operation that creates none, in the simplest form: one type with everything that either has.
@dynamicMemberLookup
struct ReferenceItem {
    var message: Message
    /// The change that an operation makes; `nil` for a message. Its content is that of ``message``.
    var change: OperationPayload?

    init(_ message: Message, change: OperationPayload? = nil) {
        self.message = message
        self.change = change
    }

    init(_ draft: OperationDraft, ordinal: Int64, laneSequence: Int64) {
        let parent = draft.payload.createsMessage ? draft.payload.related : nil
        message = Message(
            id: draft.id, channel: draft.channel, sender: draft.sender, parent: parent,
            displayed: MessageBody(content: draft.payload.content, tags: draft.payload.tags),
            createdAt: draft.createdAt,
            ordinal: ordinal,
            lane: draft.lane, laneSequence: laneSequence)
        if draft.payload.createsMessage {
            message.upload = draft.payload.content.attachment.map { AttachmentUpload(total: $0.size) }
        }
        if case .create = draft.payload { change = nil } else { change = draft.payload }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<Message, Value>) -> Value {
        get { message[keyPath: path] }
        set { message[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: KeyPath<Message, Value>) -> Value { message[keyPath: path] }

    var isOperation: Bool { change != nil }
    var target: MessageID? { change?.related }
    var related: MessageID? { change?.related ?? message.parent }

    /// The item as an operation of the outbox; `nil` if it is none.
    var queued: QueuedOperation? {
        guard message.syncState != .synced else { return nil }
        var payload = change ?? .create(message.sentContent, parent: message.parent, tags: message.tags)
        payload.content = message.sentContent
        return QueuedOperation(
            id: message.id, channel: message.channel, sender: message.sender, payload: payload,
            createdAt: message.createdAt, ordinal: message.ordinal, delivery: message.delivery)
    }
}
