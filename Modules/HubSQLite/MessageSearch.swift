internal import CausewayHubStorage
internal import CausewayModels
internal import GRDB

/// The search for the messages of a channel that satisfy a filter, from one position on.
///
/// The replies to a message, and messages of one type except texts, have an index of their own. What no index answers
/// is looked at message by message, up to a limit.
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
    private let sql: String
    private let channel: Int64
    private let bound: Int64
    private let parent: MessageID?
    private let type: String?
    /// True if the index of types contains exactly the messages of the filter's type.
    private let isIndexedByType: Bool

    init(channel: Int64, _ range: MessageRange, _ filter: MessageFilter, limit: PageLimit) {
        self.limit = limit
        self.channel = channel
        bound = range.bound
        type = filter.type?.name
        if case .parent(let id) = filter.parent { parent = id } else { parent = nil }
        isIndexedByType = parent == nil && filter.type != nil && filter.type != .text
        sql = Self.statement(filter, isDescending: range.isDescending, isIndexedByType: isIndexedByType)
    }

    /// The columns are the message, its position, and whether it satisfies the filter.
    private static func statement(_ filter: MessageFilter, isDescending: Bool, isIndexedByType: Bool) -> String {
        var conditions = "channel = ? AND deleted_at IS NULL AND position \(isDescending ? "<" : ">") ?"
        var tests: [String] = []
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
            SELECT number, position, \(column) FROM message
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
            if row.flag(2) { found.numbers.append(row.number(0)) }
        }
        return found
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
