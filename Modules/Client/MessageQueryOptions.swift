public import CausewayLiveQuery
public import CausewayModels

/// The messages of a channel and their order, as of ``MessageRepository/getMessages(options:)``.
///
/// ```swift
/// let newestFirst = client.messages.getMessages(options: MessageQueryOptions(channel: general, sort: .lastCreated))
/// ```
public struct MessageQueryOptions: Sendable, Hashable {
    /// An order of messages. Undelivered ones count as the newest.
    public enum SortOption: Sendable, Hashable, CaseIterable {
        /// The oldest first.
        case firstCreated
        /// The newest first.
        case lastCreated
    }

    /// The end of the channel at which the collection begins.
    public enum Start: Sendable, Hashable, CaseIterable {
        /// At the first message of the order; `nextPage()` goes on from there.
        case first
        /// At the last message of the order; `previousPage()` goes back from there.
        case last
    }

    public var channel: ChannelID
    /// The order of the messages.
    public var sort: SortOption
    public var start: Start
    /// The number of messages in a page: 1 to ``LiveLimits/pageSizeMax``.
    public var pageSize: Int

    public init(
        channel: ChannelID, sort: SortOption = .lastCreated, start: Start = .first,
        pageSize: Int = Limits.pageSizeDefault
    ) {
        self.channel = channel
        self.sort = sort
        self.start = start
        self.pageSize = pageSize
    }

    /// The same as a query, for ``CausewayClient/liveCollection(_:)`` and ``CausewayClient/liveChanges(of:)``.
    public var query: MessagesQuery {
        MessagesQuery(
            .channel(channel), direction: sort == .firstCreated ? .ascending : .descending,
            anchor: start == .first ? .first : .last, pageSize: pageSize)
    }
}

extension MessageRepository {
    /// The messages that the options describe; otherwise like
    /// ``getMessages(in:direction:anchor:pageSize:)``, which begins with the newest messages, shown at the bottom.
    @MainActor
    public func getMessages(options: MessageQueryOptions) -> LiveCollection<Message> {
        live.collection(options.query, on: server)
    }

    /// The changes of the messages that the options describe, for any task; otherwise like
    /// ``messageChanges(in:direction:anchor:pageSize:)``.
    public func messageChanges(options: MessageQueryOptions) -> LiveChanges<Message> {
        live.changes(of: options.query, on: server)
    }
}
