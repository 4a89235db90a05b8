internal import GRDB

/// A query for many keys at a time, with one statement for each of a few numbers of keys.
///
/// The list of keys is filled up with the last one: SQLite sorts it and looks each key up once.
struct KeyedQuery {
    private static let widths = [1, 4, 16, 64, 256]

    private let statements: [(width: Int, sql: String)]

    /// - Parameters:
    ///   - sql: the query up to the list of keys, which follows in parentheses.
    ///   - end: the rest of the query.
    init(_ sql: String, _ end: String = "") {
        statements = Self.widths.map { width in
            (width, sql + " (" + Array(repeating: "?", count: width).joined(separator: ", ") + ") " + end)
        }
    }

    /// Calls `body` for each row.
    ///
    /// - Parameters:
    ///   - prepare: binds the values before the list of keys.
    ///   - bind: binds a key.
    func forEach<Key>(
        of keys: [Key], in db: Database, prepare: (inout SQLStatement) -> Void = { _ in },
        bind: (inout SQLStatement, Key) -> Void, _ body: (borrowing SQLStatement) throws -> Void
    ) throws {
        var rest = keys[...]
        while let last = rest.last {
            guard let (width, sql) = statements.first(where: { $0.width >= rest.count }) ?? statements.last else {
                return
            }
            var statement = try SQLStatement(sql, db)
            prepare(&statement)
            for key in rest.prefix(width) { bind(&statement, key) }
            for _ in 0..<max(0, width - rest.count) { bind(&statement, last) }
            rest = rest.dropFirst(width)
            while try statement.step() { try body(statement) }
        }
    }
}
