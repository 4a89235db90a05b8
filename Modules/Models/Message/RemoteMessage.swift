/// A message in the form that the server returns.
public struct PlacedMessage: Sendable, Hashable {
    public var id: MessageID
    public var channel: ChannelID
    public var sender: UserID
    /// The message that this one replies to.
    public var parent: MessageID?
    /// The current content and reactions.
    public var face: MessageFace
    public var createdAt: Timestamp
    public var placement: Placement

    public var content: MessageContent { face.content }

    public init(
        id: MessageID, channel: ChannelID, sender: UserID, parent: MessageID? = nil, face: MessageFace,
        createdAt: Timestamp, placement: Placement
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.parent = parent
        self.face = face
        self.createdAt = createdAt
        self.placement = placement
    }

    public init(
        id: MessageID, channel: ChannelID, sender: UserID, content: MessageContent, createdAt: Timestamp,
        placement: Placement
    ) {
        self.init(
            id: id, channel: channel, sender: sender, face: MessageFace(content: content), createdAt: createdAt,
            placement: placement)
    }
}
