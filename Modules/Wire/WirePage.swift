/// `GET /v1/channels/{channel}/messages`, by ascending position.
package struct WirePage: Sendable, Hashable, Codable {
    package var messages: [WireMessage]
    /// True if there is more in the requested direction.
    package var hasMore: Bool
    /// The first and the last position of which the page lists every message that was asked for; `through` is one less
    /// than `from` if there is none. Towards the newest messages, without ``hasMore``, the range ends with the
    /// channel's newest position. Absent from hubs that do not report it.
    package var from: Int64?
    package var through: Int64?
    /// The cursor for requesting changes, see ``WireChanges``; absent from hubs that do not report them.
    package var cursor: String?
    /// The deleted messages of the page, by ascending position, if they were asked for; absent if there are none.
    package var deleted: [WireDeletedMessage]?
    /// The positions in the range at which the hub has a message that it cannot read, ascending: their rows are
    /// damaged, and nothing says that they were deleted. Absent if there are none.
    package var unreadable: [Int64]?

    package init(
        messages: [WireMessage], hasMore: Bool, from: Int64? = nil, through: Int64? = nil, cursor: String? = nil,
        deleted: [WireDeletedMessage]? = nil, unreadable: [Int64]? = nil
    ) {
        self.deleted = deleted
        self.unreadable = unreadable
        self.cursor = cursor
        self.messages = messages
        self.hasMore = hasMore
        self.from = from
        self.through = through
    }
}

extension WirePage {
    /// The range of the page; `nil` if it is absent, or cannot be the range of these messages.
    package var range: Range<Int64>? {
        guard let from, let through, from >= 1, through >= from - 1, through < .max else { return nil }
        let range = from..<(through + 1)
        let positions = messages.map(\.position)
        let deleted = (deleted ?? []).map(\.position)
        for positions in [positions, deleted] {
            guard positions.allSatisfy(range.contains), zip(positions, positions.dropFirst()).allSatisfy(<) else {
                return nil
            }
        }
        return range
    }
}
