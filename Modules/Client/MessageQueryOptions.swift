public import CausewayLiveQuery
public import CausewayModels

/// The messages of a channel, or those of a type, of a thread or with tags, and their order, as of
/// ``MessageRepository/getMessages(options:)``.
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

    /// The channel whose messages are shown.
    public var channel: ChannelID
    /// The order of the messages.
    public var sort: SortOption
    /// The end of the order at which the first page lies.
    public var start: Start
    /// The number of messages in a page: 1 to ``LiveLimits/pageSizeMax``.
    public var pageSize: Int
    /// The type of the messages; `nil` for every type.
    public var type: MessageType?
    /// The replies to one message, or the messages that are no replies; `nil` for all of them.
    public var messageParentFilter: MessageFilter.Parent?
    /// Tags of which the messages have at least one, at most ``Limits/tagsMax``; if empty, messages with any tags, and
    /// without.
    public var includingTags: Set<String>
    /// Tags of which the messages have none, at most ``Limits/tagsMax``.
    public var excludingTags: Set<String>
    /// True if the list keeps deleted messages in their places, without their content (``Message/isDeleted``). They
    /// have the type and the parent that they had, and no tags. Among those that are older than the newest one by more
    /// than ``Limits/deletedMessagesReachMax`` positions, none is listed.
    public var includeDeleted: Bool

    /// Creates options: by default all messages of the channel that are not deleted, the newest first,
    /// ``Limits/pageSizeDefault`` in a page.
    public init(
        channel: ChannelID, sort: SortOption = .lastCreated, start: Start = .first,
        pageSize: Int = Limits.pageSizeDefault, type: MessageType? = nil,
        messageParentFilter: MessageFilter.Parent? = nil, includingTags: Set<String> = [],
        excludingTags: Set<String> = [], includeDeleted: Bool = false
    ) {
        self.channel = channel
        self.includeDeleted = includeDeleted
        self.type = type
        self.messageParentFilter = messageParentFilter
        self.includingTags = includingTags
        self.excludingTags = excludingTags
        self.sort = sort
        self.start = start
        self.pageSize = pageSize
    }

    /// The same as a query, for ``CausewayClient/liveCollection(_:)`` and ``CausewayClient/liveChanges(of:)``.
    public var query: MessagesQuery {
        MessagesQuery(
            .channel(channel),
            filter: MessageFilter(
                type: type, parent: messageParentFilter, includingTags: includingTags, excludingTags: excludingTags),
            includesDeleted: includeDeleted, direction: sort == .firstCreated ? .ascending : .descending,
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
