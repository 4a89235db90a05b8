public import CausewayLive
public import CausewayModels
public import CausewayStorage

/// Live objects and collections of messages. Each begins at once and lives as long as it is held, or observed.
extension MessageRepository {
    /// The messages of a channel: what is stored at once, what the server has as soon as it answers, and every change
    /// from then on. What is undelivered sorts behind everything that the server has placed.
    ///
    /// - Parameters:
    ///   - direction: `.ascending` shows the oldest first, `.descending` the newest.
    ///   - anchor: where the first page lies. `.last` with `.ascending` begins with the newest messages, shown below,
    ///     and `previousPage()` goes back in time; `.first` with `.descending` begins with them, shown on top.
    ///   - pageSize: 1 to ``LiveLimits/pageSizeMax``.
    @MainActor
    public func liveMessages(
        in channel: ChannelID, direction: LiveDirection = .ascending, anchor: LiveAnchor<MessageCursor> = .last,
        pageSize: Int = Limits.pageSizeDefault
    ) -> LiveCollection<Message> {
        let query = MessagesQuery(.channel(channel), direction: direction, anchor: anchor, pageSize: pageSize)
        return live.collection(query, remote: ChannelRemote(engine: engine, query: query, channel: channel))
    }

    /// One message, by its id: what is stored at once, what the server has as soon as it answers, and every change from
    /// then on. `snapshot` is `nil` while there is none here.
    @MainActor
    public func liveMessage(_ id: MessageID) -> LiveObject<Message> {
        live.object(OneMessageQuery(id), remote: MessageRemote(engine: engine, store: store, id: id))
    }

    /// Everything that is not `synced`, in the order of creation.
    @MainActor
    public func liveOutbox(pageSize: Int = Limits.pageSizeDefault) -> LiveCollection<Message> {
        live.collection(MessagesQuery(.undelivered, pageSize: pageSize))
    }

    /// The failed messages, in the order of creation; of one channel when given.
    @MainActor
    public func liveFailedMessages(
        in channel: ChannelID? = nil, pageSize: Int = Limits.pageSizeDefault
    ) -> LiveCollection<Message> {
        live.collection(MessagesQuery(.failed(in: channel), pageSize: pageSize))
    }

    /// Past deletions, newest first.
    @MainActor
    public func liveDeleteActions(pageSize: Int = Limits.pageSizeDefault) -> LiveCollection<DeleteAction> {
        live.collection(DeleteActionsQuery(pageSize: pageSize))
    }
}
