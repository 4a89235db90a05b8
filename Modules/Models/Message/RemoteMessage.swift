/// A message in the form that the server returns.
public struct RemoteMessage: Sendable, Hashable {
    public var id: MessageID
    public var channel: ChannelID
    public var sender: UserID
    /// The message that this one replies to.
    public var parent: MessageID?
    /// The current content and reactions.
    public var body: MessageBody
    public var createdAt: Timestamp
    /// The position on the server.
    public var serverPosition: ServerPosition

    /// The current content.
    public var content: MessageContent { body.content }

    public init(
        id: MessageID, channel: ChannelID, sender: UserID, parent: MessageID? = nil, body: MessageBody,
        createdAt: Timestamp, serverPosition: ServerPosition
    ) {
        self.id = id
        self.channel = channel
        self.sender = sender
        self.parent = parent
        self.body = body
        self.createdAt = createdAt
        self.serverPosition = serverPosition
    }

    public init(
        id: MessageID, channel: ChannelID, sender: UserID, content: MessageContent, createdAt: Timestamp,
        serverPosition: ServerPosition
    ) {
        self.init(
            id: id, channel: channel, sender: sender, body: MessageBody(content: content), createdAt: createdAt,
            serverPosition: serverPosition)
    }
}
