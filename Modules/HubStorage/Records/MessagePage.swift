internal import CausewayModels

/// The range of a page of a channel. By key, never by an offset from the start.
package enum MessageRange: Sendable, Equatable {
    /// The newest messages.
    case newest
    /// The oldest messages above this position.
    case after(Int64)
    /// The newest messages below this position.
    case before(Int64)

    /// True when the messages are read from the newest to the oldest.
    package var isDescending: Bool {
        if case .after = self { false } else { true }
    }
}

/// A page of the messages of a channel: the shown ones, and the deleted ones if they were requested.
package struct MessagePage: Sendable, Equatable {
    /// The messages in the order of reading, from the end at which the range begins.
    package var messages: [StoredMessage]
    /// Whether the channel has more in the direction of reading.
    package var hasMore: Bool
    /// The position of the last examined message, if the page ends there and not with its last message.
    package var lastExamined: Int64?
    /// The positions of messages that the page leaves out because their rows are damaged, in the order of reading.
    package var unreadable: [Int64] = []
    /// The channel's newest position, even when its message was deleted.
    package var lastPosition: Int64
    /// A state that the page includes.
    package var cursor: ChangesCursor

    package init(messages: [StoredMessage], hasMore: Bool, lastPosition: Int64, cursor: ChangesCursor) {
        self.messages = messages
        self.hasMore = hasMore
        self.lastPosition = lastPosition
        self.cursor = cursor
    }
}
