internal import CausewayModels
internal import CausewayWire
internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A request for the changes of a part of a channel.
struct ChangesQuery: Sendable {
    var since: ChangesCursor
    var from: Int64
    var through: Int64
    /// True when the part also includes every position after `through`.
    var isOpen: Bool
    var limit: Int
}

extension HubStore {
    private static let scanned = """
        SELECT count(*) FROM (
            SELECT 1 FROM message INDEXED BY message_revised WHERE channel = ? AND revision > ? LIMIT ?)
        """
    private static let revised =
        selection(from: "message INDEXED BY message_revised") + """
             WHERE message.channel = ? AND message.revision > ? AND message.position >= ?
                AND (message.position <= ? OR ? AND message.deleted_at IS NOT NULL)
            ORDER BY message.revision LIMIT ?
            """
    private static let placedBehind =
        selection(from: "message") + """
             WHERE message.channel = ? AND message.deleted_at IS NULL AND message.position > ?
            ORDER BY message.position LIMIT ?
            """

    /// Returns the JSON of a `WireChanges`: all changes of a part of a channel since a revision, or none of them; `nil`
    /// when there is no such channel.
    ///
    /// Cost: the number of changes, up to the limit, at any position.
    func changes(
        of channel: ChannelID, _ query: ChangesQuery, for account: Account
    ) async throws(HubError) -> ResponseParts? {
        try await read { db in
            guard
                let found = try Row.fetchOne(
                    db, sql: "SELECT number, last_position FROM channel WHERE name = ?", arguments: [channel.value])
            else { return nil }
            let (number, newest): (Int64, Int64) = (found[0], found[1])
            let cursor = try ChangesCursor.current(db).text
            let gathered = try Self.gather(query, in: number, newest: newest, for: account, db)
            let head = ChangesHead(
                gone: gathered?.gone ?? [], cursor: cursor, newest: newest, isComplete: gathered != nil)
            return try HubCoding.encode(head, with: "messages", arrayOf: gathered?.messages.map(\.json) ?? [])
        }
    }

    private static func gather(
        _ query: ChangesQuery, in channel: Int64, newest: Int64, for account: Account, _ db: Database
    ) throws -> GatheredChanges? {
        // A state that was never reached here belongs to another history.
        guard try query.since.isKnown(db), query.through <= newest else { return nil }
        let since = query.since.revision
        let count = try Int.fetchOne(
            db.cachedStatement(sql: scanned), arguments: [channel, since, HubLimits.changesScannedMax + 1])
        guard let count, count <= HubLimits.changesScannedMax else { return nil }
        var gathered = GatheredChanges(limit: query.limit)
        if count > 0 {
            let rows = try Row.fetchCursor(
                db.cachedStatement(sql: revised),
                arguments: [channel, since, query.from, query.through, query.isOpen, query.limit + 1])
            while let row = try rows.next() {
                guard try gathered.take(row, for: account, db) else { return nil }
            }
        }
        if query.isOpen, query.through < newest {
            let rows = try Row.fetchCursor(
                db.cachedStatement(sql: placedBehind), arguments: [channel, query.through, query.limit + 1])
            while let row = try rows.next() {
                guard try gathered.take(row, for: account, db) else { return nil }
            }
        }
        gathered.messages.sort { $0.position < $1.position }
        return gathered
    }
}

/// The changes found so far, bounded by number and bytes.
private struct GatheredChanges {
    let limit: Int
    var bytes = 0
    var messages: [(position: Int64, json: [UInt8])] = []
    var gone: [MessageID] = []

    /// - Returns: false when there are too many.
    mutating func take(_ row: Row, for account: Account, _ db: Database) throws -> Bool {
        guard messages.count + gone.count < limit else { return false }
        if let content: String = row[3] {
            let message = try HubStore.message(row, content: content, for: account, db)
            bytes += message.count
            messages.append((row[5], message))
        } else if let id = UUIDv7(bytes: row[0] as Data) {
            gone.append(MessageID(id))
        }
        return bytes <= HubLimits.pageBytesMax
    }
}

/// A `WireChanges` without its messages.
private struct ChangesHead: Encodable {
    let gone: [MessageID]
    let cursor: String
    let newest: Int64
    let isComplete: Bool
}
