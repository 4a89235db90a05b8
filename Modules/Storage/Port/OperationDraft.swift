public import CausewayModels

/// An operation before the store has assigned its ordinal and its lane sequence.
public struct OperationDraft: Sendable, Hashable {
    /// Chosen by the caller; the idempotency key on the server.
    public var id: OperationID
    /// The channel of the message that it creates or changes.
    public var channel: ChannelID
    /// The user who makes it: that of the account that sends it.
    public var sender: UserID
    /// The content of the operation.
    public var payload: OperationPayload
    /// The creation time, by the clock of this device. For display; nothing is ordered by it.
    public var createdAt: Timestamp
    /// The lane of the operation.
    public var lane: LaneID
    /// The account that sends it. The store refuses a draft of an account that is not the current one; a draft with
    /// `nil` belongs to the current account.
    public var account: Account?

    /// Creates a draft; by default of the current account.
    public init(
        id: OperationID, channel: ChannelID, sender: UserID, payload: OperationPayload, createdAt: Timestamp,
        lane: LaneID, account: Account? = nil
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.payload = payload
        self.createdAt = createdAt
        self.lane = lane
        self.account = account
    }

    /// The operation that creates a message.
    public init(_ draft: MessageDraft) {
        self.init(
            id: draft.id, channel: draft.channel, sender: draft.sender,
            payload: .create(draft.content, parent: draft.parent, tags: draft.tags), createdAt: draft.createdAt,
            lane: draft.lane, account: draft.account)
    }

    /// The draft with its content as a store returns it.
    package var normalized: OperationDraft {
        var draft = self
        draft.payload.content = payload.content.normalized
        return draft
    }
}
