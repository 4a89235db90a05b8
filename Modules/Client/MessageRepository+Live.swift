public import CausewayLiveQuery
public import CausewayModels
import CausewayStorage

/// Live objects and collections of messages. Each starts at once and remains active as long as it is held or observed.
extension MessageRepository {
    /// The messages of a channel: stored ones at once, the server's as soon as it responds, and every change from then
    /// on. Undelivered messages sort after all that have a position on the server.
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - direction: `.ascending` shows the oldest first, `.descending` the newest.
    ///   - anchor: the location of the first page. `.last` with `.ascending` begins with the newest messages, shown at
    ///     the bottom, and `previousPage()` goes back in time; `.first` with `.descending` begins with them, shown at
    ///     the top.
    ///   - pageSize: 1 to ``LiveLimits/pageSizeMax``.
    @MainActor
    public func getMessages(
        in channel: ChannelID, direction: LiveDirection = .ascending, anchor: LiveAnchor<MessageCursor> = .last,
        pageSize: Int = Limits.pageSizeDefault
    ) -> LiveCollection<Message> {
        live.collection(
            MessagesQuery(.channel(channel), direction: direction, anchor: anchor, pageSize: pageSize), on: server)
    }

    /// One message, by its id: the stored one at once, the server's as soon as it responds, and every change from then
    /// on. `snapshot` is `nil` while it does not exist here.
    @MainActor
    public func getMessage(_ id: MessageID) -> LiveObject<Message> {
        live.object(OneMessageQuery(id), on: server)
    }

    /// All messages that are not `synced`, failed ones included, in the order of creation. The data exist only here, so
    /// they are `fresh` as soon as they were read. Edits and reactions are not messages: ``outbox(limit:after:)`` lists
    /// them, too.
    ///
    /// - Parameter pageSize: 1 to ``LiveLimits/pageSizeMax``.
    @MainActor
    public func getOutbox(pageSize: Int = Limits.pageSizeDefault) -> LiveCollection<Message> {
        live.collection(MessagesQuery(.undelivered, pageSize: pageSize))
    }

    /// The failed messages, in the order of creation; of one channel if given. `fresh` as soon as they were read.
    /// Failed edits and reactions are not among them, but in ``failedOperations(in:limit:after:)``.
    ///
    /// - Parameters:
    ///   - channel: only messages of this channel; all of them without it.
    ///   - pageSize: 1 to ``LiveLimits/pageSizeMax``.
    @MainActor
    public func getFailedMessages(
        in channel: ChannelID? = nil, pageSize: Int = Limits.pageSizeDefault
    ) -> LiveCollection<Message> {
        live.collection(MessagesQuery(.failed(in: channel), pageSize: pageSize))
    }

    /// Past deletions that were requested on this device, newest first: the last ones, as many as the store keeps.
    ///
    /// - Parameter pageSize: 1 to ``LiveLimits/pageSizeMax``.
    @MainActor
    public func getDeleteActions(pageSize: Int = Limits.pageSizeDefault) -> LiveCollection<DeleteAction> {
        live.collection(DeleteActionsQuery(pageSize: pageSize))
    }
}
