public import CausewayModels

/// A message of the outbox, and why it is still there.
public struct OutboxItem: Sendable, Hashable {
    public let message: Message
    /// Why it is not on the server yet; `nil` for a failed message, which waits for nobody but a person.
    public let wait: WaitReason?

    public init(message: Message, wait: WaitReason?) {
        self.message = message
        self.wait = wait
    }
}

/// A page of the outbox.
public struct OutboxPage: Sendable {
    public let items: [OutboxItem]
    /// Where the next page begins; `nil` when this was the last.
    public let next: MessageCursor?
}
