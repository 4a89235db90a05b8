public import CausewayModels

/// A message of the outbox, and the reason why it is not on the server.
public struct OutboxItem: Sendable, Hashable {
    public let message: Message
    /// The reason why it is not on the server yet; `nil` for a failed message, which waits for user action.
    public let wait: WaitReason?

    public init(message: Message, wait: WaitReason?) {
        self.message = message
        self.wait = wait
    }
}

/// A page of the outbox.
public struct OutboxPage: Sendable {
    public let items: [OutboxItem]
    /// The start of the next page; `nil` if this was the last.
    public let next: MessageCursor?
}
