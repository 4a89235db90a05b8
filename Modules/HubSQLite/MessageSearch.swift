internal import CausewayHubStorage
internal import CausewayModels
internal import GRDB

/// The search for the messages of a channel that satisfy a filter, from one position on.
///
/// The replies to a message, messages of one type except texts, and messages with tags have an index of their own. The
/// rest of a filter is checked message by message, up to a limit: the tags here and not by the database, which compares
/// texts by their bytes, and not by their characters as clients do.
struct MessageSearch {
    /// The result of a search.
    struct Found {
        /// The rows of the messages, in the order of reading; one more than the limit if there are as many.
        var numbers: [Int64] = []
        /// True if messages were left out.
        var hasMore = false
        /// The position of the last message that was looked at, if the search ended there.
        var lastExamined: Int64?
    }

    let limit: PageLimit
    private let filter: MessageFilter
    private let sql: String
    private let channel: Int64
    private let bound: Int64
    private let parent: MessageID?
    private let type: String?
    /// True if the index of types contains exactly the messages of the filter's type.
    private let isIndexedByType: Bool

    init(channel: Int64, _ range: MessageRange, _ filter: MessageFilter, limit: PageLimit) {
        self.limit = limit
        self.filter = filter
        self.channel = channel
        bound = range.bound
        type = filter.type?.name
        if case .parent(let id) = filter.parent { parent = id } else { parent = nil }
        isIndexedByType = parent == nil && filter.type != nil && filter.type != .text
        sql = Self.statement(filter, isDescending: range.isDescending, isIndexedByType: isIndexedByType)
    }

    /// The columns are the message, its position, whether it satisfies the filter except for its tags, and these.
    private static func statement(_ filter: MessageFilter, isDescending: Bool, isIndexedByType: Bool) -> String {
        var conditions = "channel = ? AND deleted_at IS NULL AND position \(isDescending ? "<" : ">") ?"
        var tests: [String] = []
        var table = "message"
        if !filter.includingTags.isEmpty {
            conditions += " AND tags IS NOT NULL"
            let hasBetterIndex = if case .parent = filter.parent { true } else { isIndexedByType }
            if !hasBetterIndex { table += " INDEXED BY message_tagged" }
        }
        switch filter.parent {
        case nil: break
        case .noParent: tests.append("parent IS NULL")
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

    func run(_ db: Database) throws -> Found {
        var row = try SQLStatement(sql, db)
        if !isIndexedByType, let type, type != MessageType.text.name { row.bind(type) }
        row.bind(channel)
        row.bind(bound)
        if let parent { row.bind(parent.value) }
        if isIndexedByType, let type { row.bind(type) }
        var found = Found()
        var examined = 0
        var last: Int64?
        while try row.step() {
            if found.numbers.count > limit.count { break }
            if examined == HubStorageLimits.messagesExaminedMax {
                found.hasMore = true
                found.lastExamined = last
                break
            }
            examined += 1
            last = row.number(1)
            if row.flag(2), hasAdmittedTags(row) { found.numbers.append(row.number(0)) }
        }
        return found
    }

    private func hasAdmittedTags(_ row: borrowing SQLStatement) -> Bool {
        guard filter.choosesByTags else { return true }
        return MessageFilter(includingTags: filter.includingTags, excludingTags: filter.excludingTags)
            .admits(type: .text, parent: nil, tags: StoredTags.tags(in: row.text(3)))
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
