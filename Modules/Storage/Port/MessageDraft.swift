public import CausewayModels

/// A message before the store has given it its place.
public struct MessageDraft: Sendable, Hashable {
    public var id: MessageID
    public var channel: ChannelID
    public var sender: UserID
    public var role: MessageRole
    public var content: MessageContent
    public var createdAt: Timestamp
    public var lane: LaneID

    public init(
        id: MessageID, channel: ChannelID, sender: UserID, role: MessageRole = .message, content: MessageContent,
        createdAt: Timestamp, lane: LaneID
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.role = role
        self.content = content
        self.createdAt = createdAt
        self.lane = lane
    }
}
