/// A message in the form that the server returns.
public struct RemoteMessage: Sendable, Hashable {
    /// Chosen by the device that created it, and never changed.
    public var id: MessageID
    /// The channel in which the message is.
    public var channel: ChannelID
    /// The author of the message.
    public var sender: UserID
    /// The message that this one replies to.
    public var parent: MessageID?
    /// The current content and reactions.
    public var body: MessageBody
    /// The creation time, by the clock of the device that created it. For display; nothing is ordered by it.
    public var createdAt: Timestamp
    /// The position on the server.
    public var serverPosition: ServerPosition

    /// The current content.
    public var content: MessageContent { body.content }

    /// Creates a message; without `parent` it is no reply.
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

    /// Creates a message that is no reply, was never edited, and has no tags and no reactions.
    public init(
        id: MessageID, channel: ChannelID, sender: UserID, content: MessageContent, createdAt: Timestamp,
        serverPosition: ServerPosition
    ) {
        self.init(
            id: id, channel: channel, sender: sender, body: MessageBody(content: content), createdAt: createdAt,
            serverPosition: serverPosition)
    }
}
