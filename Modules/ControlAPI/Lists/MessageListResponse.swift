package import CausewayModels

/// A page of messages, as JSON.
package struct MessageListResponse: Sendable, Hashable, Codable {
    package private(set) var messages: [MessageDTO]
    /// The cursor of the next page; absent on the last page.
    package private(set) var next: PageCursor?
    /// For a channel: whether the server was asked, and why that failed.
    package var refreshed: Bool?
    package var refreshProblem: String?

    package init(_ messages: [MessageDTO], next: MessageCursor?) {
        self.messages = messages
        self.next = next.map(PageCursor.init)
    }

    /// Adds the page after this one. Together they are the server's if both are.
    package mutating func append(_ page: MessageListResponse) {
        messages += page.messages
        next = page.next
        if page.refreshed == false { refreshed = false }
        refreshProblem = refreshProblem ?? page.refreshProblem
    }

    /// Returns the page with every message transformed.
    package func mapMessages(_ change: (MessageDTO) -> MessageDTO) -> MessageListResponse {
        var list = MessageListResponse(messages.map(change), next: next?.cursor)
        list.refreshed = refreshed
        list.refreshProblem = refreshProblem
        return list
    }
}

/// The cursor of a page as text, opaque to every caller of the service.
package struct PageCursor: Sendable, Hashable, Codable, LosslessStringConvertible {
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

    /// A leading `q` is the queue: messages to which the server has not assigned a position.
    package var description: String {
        (cursor.position == .max ? "q" : String(cursor.position)) + "." + String(cursor.ordinal)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let mark = PageCursor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "invalid cursor; use the `next` value of the previous page")
        }
        self = mark
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The range of a page within a list.
package struct PageRange: Sendable, Hashable {
    /// 1 to ``Limits/pageSizeMax``.
    package var limit: Int
    /// The cursor of the page; `nil` for the first page.
    package var after: PageCursor?

    package init(limit: Int = Limits.pageSizeDefault, after: PageCursor? = nil) {
        self.limit = min(max(1, limit), Limits.pageSizeMax)
        self.after = after
    }
}

/// The range of a page within a channel, and whether the server is asked first.
package struct ChannelQuery: Sendable, Hashable {
    /// Whether the server is asked before the store is read.
    package enum Refresh: String, Sendable, Hashable, CaseIterable {
        /// Asks the server when there is a session; returns the stored messages when that fails.
        case auto
        /// Asks the server; the call throws when that fails.
        case required
        /// Reads the store only.
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
