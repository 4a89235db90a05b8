public import CausewayLiveQuery
public import CausewayModels

/// Changes of messages for any task, without the main actor: for programs without a screen.
extension MessageRepository {
    /// The changes of the messages of a channel, like those of ``getMessages(in:direction:anchor:pageSize:)``: first
    /// the stored messages of the first page, then the server's, then every change. Each iterator sees all of them,
    /// merged however far it fell behind; the query is open as long as the sequence or one of its iterators exists.
    ///
    /// ```swift
    /// for await change in client.messages.messageChanges(in: general) {
    ///     for index in change.insertions { await respond(to: change.snapshot[index]) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - direction: `.ascending` lists the oldest first, `.descending` the newest.
    ///   - anchor: the location of the first page.
    ///   - pageSize: 1 to ``LiveLimits/pageSizeMax``.
    public func messageChanges(
        in channel: ChannelID, direction: LiveDirection = .ascending, anchor: LiveAnchor<MessageCursor> = .last,
        pageSize: Int = Limits.pageSizeDefault
    ) -> LiveChanges<Message> {
        live.changes(
            of: MessagesQuery(.channel(channel), direction: direction, anchor: anchor, pageSize: pageSize), on: server)
    }

    /// The changes of one message, like those of ``getMessage(_:)``: a list of that message; while it does not exist,
    /// the list is empty and the status `notExist`.
    public func messageChanges(of id: MessageID) -> LiveChanges<Message> {
        live.changes(of: OneMessageQuery(id), isObject: true, on: server)
    }

    /// The changes of the list of failed messages, in the order of creation; of one channel if given. A message leaves
    /// it when it is resent or deleted.
    public func failures(
        in channel: ChannelID? = nil, pageSize: Int = Limits.pageSizeDefault
    ) -> LiveChanges<Message> {
        live.changes(of: MessagesQuery(.failed(in: channel), pageSize: pageSize), on: server)
    }
}
