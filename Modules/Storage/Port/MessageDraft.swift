public import CausewayModels

/// A message before the store has assigned its ordinal and its lane sequence.
public struct MessageDraft: Sendable, Hashable {
    /// Chosen by the caller; the idempotency key on the server.
    public var id: MessageID
    /// The channel to which it is sent.
    public var channel: ChannelID
    /// The author: the user of the account that sends it.
    public var sender: UserID
    /// The message that this one replies to.
    public var parent: MessageID?
    /// The tags of the message; see `MessageTags`.
    public var tags: [String]
    /// The content as it will be sent.
    public var content: MessageContent
    /// The creation time, by the clock of this device. For display; nothing is ordered by it.
    public var createdAt: Timestamp
    /// The lane of the message.
    public var lane: LaneID
    /// The account that sends it. The store refuses a draft of an account that is not the current one; a draft with
    /// `nil` belongs to the current account.
    public var account: Account?

    /// Creates a draft: by default no reply, without tags, of the current account.
    public init(
        id: MessageID, channel: ChannelID, sender: UserID, parent: MessageID? = nil, tags: [String] = [],
        content: MessageContent, createdAt: Timestamp, lane: LaneID, account: Account? = nil
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.parent = parent
        self.tags = tags
        self.content = content
        self.createdAt = createdAt
        self.lane = lane
        self.account = account
    }

    /// The draft with its content as a store returns it.
    package var normalized: MessageDraft {
        var draft = self
        draft.content = content.normalized
        return draft
    }
}
