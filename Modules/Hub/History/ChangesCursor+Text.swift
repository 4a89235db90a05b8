internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The state of the hub up to which a client knows it: the revision, and the opening of the database that reached it.
///
/// A revision alone would be ambiguous after a backup was restored. The opening that was lost with the newer file is
/// either unknown, or has not reached the revision.
struct ChangesCursor: Sendable, Equatable {
    /// The length of an opening's id.
    static let openingBytes = 16

    let opening: [UInt8]
    let revision: Int64

    /// The text form in pages and requests.
    var text: String { Hexadecimal.text(of: opening) + "-\(revision)" }

    init(opening: [UInt8], revision: Int64) {
        self.opening = opening
        self.revision = revision
    }

    /// - Returns: `nil` for text that no hub of this version wrote.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let opening = Hexadecimal.bytes(of: parts[0]), opening.count == Self.openingBytes,
            let revision = Int64(parts[1]), revision >= 0
        else { return nil }
        self.opening = opening
        self.revision = revision
    }

    /// Returns the newest state.
    static func current(_ db: Database) throws -> ChangesCursor {
        let statement = try db.cachedStatement(
            sql: "SELECT opening, last FROM revision ORDER BY number DESC LIMIT 1")
        guard let row = try Row.fetchOne(statement) else {
            throw HubError.damaged(path: "hub.sqlite", detail: "no revision is stored")
        }
        return ChangesCursor(opening: Array(row[0] as Data), revision: row[1])
    }

    /// True when this hub was once in this state, and no restored backup has undone it.
    func isKnown(_ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT 1 FROM revision WHERE opening = ? AND first <= ? AND last >= ?")
        return try Row.fetchOne(statement, arguments: [Data(opening), revision, revision]) != nil
    }

    /// Increments the hub's revision, as `opening`.
    static func advance(as opening: [UInt8], in db: Database) throws -> Int64 {
        let move = try db.cachedStatement(
            sql: """
                UPDATE revision SET last = last + 1
                WHERE number = (SELECT max(number) FROM revision) AND opening = ? RETURNING last
                """)
        if let revision = try Int64.fetchOne(move, arguments: [Data(opening)]) { return revision }
        try db.execute(
            sql: """
                INSERT INTO revision (opening, first, last)
                SELECT ?, last, last + 1 FROM revision ORDER BY number DESC LIMIT 1
                """,
            arguments: [Data(opening)])
        try db.execute(
            sql: "DELETE FROM revision WHERE number <= (SELECT max(number) FROM revision) - ?",
            arguments: [HubLimits.openingsKeptMax])
        return try current(db).revision
    }
}
