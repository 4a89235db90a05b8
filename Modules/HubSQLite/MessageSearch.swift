internal import CausewayHubStorage
internal import CausewayModels
internal import GRDB

/// The search for the messages of a channel that satisfy a filter, from one position on.
///
/// The replies to a message, messages of one type except texts, and messages with tags have an index of their own. The
/// rest of a filter is checked message by message, up to a limit: the tags here and not by the database, which compares
/// texts by their bytes, and not by their characters as clients do. Deleted messages have an index by position alone,
/// and are searched apart from the shown ones.
struct MessageSearch {
    /// The result of a search.
    struct Found {
        /// The rows of the messages, in the order of reading; one more than the limit if there are as many.
        var rows: [(number: Int64, position: Int64)] = []
        /// True if messages were left out.
        var hasMore = false
        /// The position of the last message that was looked at, if the search ended there.
        var lastExamined: Int64?
    }

    /// Searches the messages, and the deleted ones if they are requested.
    static func run(
        in channel: Int64, _ range: MessageRange, _ filter: MessageFilter, includesDeleted: Bool, limit: PageLimit,
        _ db: Database
    ) throws -> Found {
        let shown = try MessageSearch(channel: channel, range, filter, limit: limit).run(db)
        // A deleted message has no tags.
        guard includesDeleted, filter.includingTags.isEmpty else { return shown }
        let deleted = try MessageSearch(channel: channel, range, filter, areDeleted: true, limit: limit).run(db)
        return shown.merged(with: deleted, isDescending: range.isDescending)
    }

    private let limit: PageLimit
    private let areDeleted: Bool
    private let filter: MessageFilter
    private let sql: String
    private let channel: Int64
    private let bound: Int64
    private let parent: MessageID?
    private let type: String?
    /// True if the index of types contains exactly the messages of the filter's type.
    private let isIndexedByType: Bool

    private init(
        channel: Int64, _ range: MessageRange, _ filter: MessageFilter, areDeleted: Bool = false, limit: PageLimit
    ) {
        self.limit = limit
        self.areDeleted = areDeleted
        self.filter = filter
        self.channel = channel
        bound = range.bound
        type = filter.type?.name
        if case .parent(let id) = filter.parent { parent = id } else { parent = nil }
        isIndexedByType = !areDeleted && parent == nil && filter.type != nil && filter.type != .text
        sql = Self.statement(
            filter, areDeleted: areDeleted, isDescending: range.isDescending, isIndexedByType: isIndexedByType)
    }

    /// The columns are the message, its position, whether it satisfies the filter except for its tags, and these.
    private static func statement(
        _ filter: MessageFilter, areDeleted: Bool, isDescending: Bool, isIndexedByType: Bool
    ) -> String {
        var conditions = "channel = ? AND deleted_at IS \(areDeleted ? "NOT " : "")NULL"
        conditions += " AND position \(isDescending ? "<" : ">") ?"
        var tests: [String] = []
        var table = areDeleted ? "message INDEXED BY message_deleted" : "message"
        if !filter.includingTags.isEmpty {
            conditions += " AND tags IS NOT NULL"
            let hasBetterIndex = if case .parent = filter.parent { true } else { isIndexedByType }
            if !hasBetterIndex { table += " INDEXED BY message_tagged" }
        }
        switch filter.parent {
        case nil: break
        case .noParent: tests.append("parent IS NULL")
        case .parent where areDeleted: tests.append("parent IS ?")
        case .parent: conditions += " AND parent = ?"
        }
        if isIndexedByType {
            conditions += " AND type = ?"
        } else if let type = filter.type {
            tests.append(type == .text ? "type IS NULL" : "type = ?")
        }
        let column = tests.isEmpty ? "1" : tests.joined(separator: " AND ")
        return """
            SELECT number, position, \(column), tags FROM \(table)
            WHERE \(conditions) ORDER BY position\(isDescending ? " DESC" : "")
            """
    }

    private func run(_ db: Database) throws -> Found {
        var row = try SQLStatement(sql, db)
        if areDeleted, let parent { row.bind(parent.value) }
        if !isIndexedByType, let type, type != MessageType.text.name { row.bind(type) }
        row.bind(channel)
        row.bind(bound)
        if !areDeleted, let parent { row.bind(parent.value) }
        if isIndexedByType, let type { row.bind(type) }
        var found = Found()
        var examined = 0
        var last: Int64?
        while try row.step() {
            if found.rows.count > limit.count { break }
            if examined == HubStorageLimits.messagesExaminedMax {
                found.hasMore = true
                found.lastExamined = last
                break
            }
            examined += 1
            last = row.number(1)
            if row.flag(2), hasAdmittedTags(row) { found.rows.append((row.number(0), row.number(1))) }
        }
        return found
    }

    private func hasAdmittedTags(_ row: borrowing SQLStatement) -> Bool {
        guard filter.choosesByTags else { return true }
        return MessageFilter(includingTags: filter.includingTags, excludingTags: filter.excludingTags)
            .admits(type: .text, parent: nil, tags: StoredTags.tags(in: row.text(3)))
    }
}

extension MessageSearch.Found {
    /// The rows of two searches of the same part in the order of reading, as far as both have come.
    fileprivate func merged(with other: Self, isDescending: Bool) -> Self {
        let precedes: (Int64, Int64) -> Bool = { isDescending ? $0 > $1 : $0 < $1 }
        var merged = self
        merged.rows = (rows + other.rows).sorted { precedes($0.position, $1.position) }
        merged.hasMore = hasMore || other.hasMore
        merged.lastExamined = [lastExamined, other.lastExamined].compactMap(\.self).min(by: precedes)
        if let end = merged.lastExamined { merged.rows.removeAll { precedes(end, $0.position) } }
        return merged
    }
}

extension MessageRange {
    /// The position beside which the messages are read; for the newest ones above all of them.
    var bound: Int64 {
        switch self {
        case .newest: .max
        case .before(let position), .after(let position): position
        }
    }
}
