package import Causeway

/// A page of messages, as JSON.
package struct MessageListForm: Sendable, Hashable, Codable {
    package let messages: [MessageForm]
    /// Where the next page begins; absent when this was the last.
    package let next: PlaceMark?
    /// For a channel: whether the server was asked, and why that did not work.
    package var refreshed: Bool?
    package var refreshProblem: String?

    package init(_ messages: [MessageForm], next: MessageCursor?) {
        self.messages = messages
        self.next = next.map(PlaceMark.init)
    }

    /// The same page with every message changed.
    package func mapMessages(_ change: (MessageForm) -> MessageForm) -> MessageListForm {
        var list = MessageListForm(messages.map(change), next: next?.cursor)
        list.refreshed = refreshed
        list.refreshProblem = refreshProblem
        return list
    }
}

/// A place between two messages as text: opaque to everybody but the service.
package struct PlaceMark: Sendable, Hashable, Codable, LosslessStringConvertible {
    package let cursor: MessageCursor

    package init(_ cursor: MessageCursor) { self.cursor = cursor }

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let ordinal = Int64(parts[1]) else { return nil }
        if parts[0] == "q" {
            cursor = MessageCursor(position: .max, ordinal: ordinal)
        } else if let position = Int64(parts[0]) {
            cursor = MessageCursor(position: position, ordinal: ordinal)
        } else {
            return nil
        }
    }

    /// `q` stands for the queue: what the server has not placed yet.
    package var description: String {
        (cursor.position == .max ? "q" : String(cursor.position)) + "." + String(cursor.ordinal)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let mark = PlaceMark(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a place in a list; take it from a page's `next`")
        }
        self = mark
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Which page of a list.
package struct PageRange: Sendable, Hashable {
    /// 1 to ``Limits/pageSizeMax``.
    package var limit: Int
    /// Where the page begins; at the end that the list begins with when `nil`.
    package var after: PlaceMark?

    package init(limit: Int = Limits.pageSizeDefault, after: PlaceMark? = nil) {
        self.limit = min(max(1, limit), Limits.pageSizeMax)
        self.after = after
    }
}

/// Which page of a channel, and from where.
package struct ChannelQuery: Sendable, Hashable {
    /// Whether the server is asked first.
    package enum Refresh: String, Sendable, Hashable, CaseIterable {
        /// When there is a session; what is stored is answered all the same when that does not work.
        case auto
        /// Yes; when that does not work, the call throws.
        case required
        /// No.
        case never
    }

    package var channel: ChannelID
    package var range: PageRange
    package var refresh: Refresh

    package init(channel: ChannelID, range: PageRange = PageRange(), refresh: Refresh = .auto) {
        self.channel = channel
        self.range = range
        self.refresh = refresh
    }
}
