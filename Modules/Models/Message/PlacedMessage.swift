/// A message as the server shows it.
public struct PlacedMessage: Sendable, Hashable {
    public var id: MessageID
    public var channel: ChannelID
    public var sender: UserID
    public var content: MessageContent
    public var createdAt: Timestamp
    public var placement: Placement

    public init(
        id: MessageID, channel: ChannelID, sender: UserID, content: MessageContent, createdAt: Timestamp,
        placement: Placement
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.content = content
        self.createdAt = createdAt
        self.placement = placement
    }
}
