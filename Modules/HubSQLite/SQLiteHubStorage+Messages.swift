internal import CausewayModels
internal import CausewayWire
internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The range of a page of a channel. By key, never by an offset from the start.
enum PageRange: Sendable, Equatable {
    /// The newest messages.
    case newest
    /// The oldest messages above this position.
    case after(Int64)
    /// The newest messages below this position.
    case before(Int64)

    /// Returns the range of positions that a page covers completely.
    ///
    /// - Parameters:
    ///   - positions: those of the messages on the page, ascending.
    ///   - newest: the channel's newest position, even when its message was deleted.
    func listed(_ positions: [Int64], hasMore: Bool, newest: Int64) -> Range<Int64> {
        switch self {
        case .newest: Self.older(positions, hasMore, upTo: newest)
        case .before(let position): Self.older(positions, hasMore, upTo: min(newest, max(position, 1) - 1))
        case .after(let position):
            if position >= newest {
                min(position, .max - 1) + 1..<min(position, .max - 1) + 1
            } else {
                position + 1..<(hasMore ? positions.last ?? position : newest) + 1
            }
        }
    }

    private static func older(_ positions: [Int64], _ hasMore: Bool, upTo last: Int64) -> Range<Int64> {
        let first = hasMore ? positions.first ?? last + 1 : 1
        return min(first, last + 1)..<last + 1
    }
}

/// The result of looking up a message id.
enum MessageLookUp: Sendable {
    case unknown
    case deleted
    /// With the JSON of a `WireMessage`.
    case found([UInt8])
}

extension HubStore {
    private static let shown = selection(from: "message")

    /// The columns that ``message(_:content:for:_:)`` reads, from the table of messages.
    static func selection(from messages: String) -> String {
        """
        SELECT message.id, channel.name, account.name, message.content, message.created_at, message.position,
            message.accepted_at, message.parent, message.edited_at, message.number, message.changed_at
        FROM \(messages)
        JOIN channel ON channel.number = message.channel
        JOIN account ON account.number = message.sender
        """
    }

    /// Returns the JSON of a `WirePage`, by ascending position; `nil` when there is no such channel.
    ///
    /// Cost: the size of the page, not of the channel: the index of the visible messages is read from one key on.
    func page(
        of channel: ChannelID, _ range: PageRange, limit: Int, for account: Account
    ) async throws(HubError) -> ResponseParts? {
        try await read { db in
            guard
                let found = try Row.fetchOne(
                    db, sql: "SELECT number, last_position FROM channel WHERE name = ?", arguments: [channel.value])
            else { return nil }
            let number: Int64 = found[0]
            let (bound, descending): (Int64, Bool) =
                switch range {
                case .newest: (.max, true)
                case .before(let position): (position, true)
                case .after(let position): (position, false)
                }
            let statement = try db.cachedStatement(
                sql: Self.shown + """
                     WHERE message.channel = ? AND message.deleted_at IS NULL
                        AND message.position \(descending ? "<" : ">") ?
                    ORDER BY message.position \(descending ? "DESC" : "ASC") LIMIT ?
                    """)
            let rows = try Row.fetchCursor(statement, arguments: [number, bound, limit + 1])
            var messages: [[UInt8]] = []
            var positions: [Int64] = []
            var bytes = 0
            var hasMore = false
            while let row = try rows.next() {
                hasMore = messages.count == limit
                if hasMore { break }
                let message = try Self.message(row, content: row[3], for: account, db)
                bytes += message.count
                hasMore = bytes > HubLimits.pageBytesMax && !messages.isEmpty
                if hasMore { break }
                positions.append(row[5])
                messages.append(message)
            }
            if descending {
                messages.reverse()
                positions.reverse()
            }
            let listed = range.listed(positions, hasMore: hasMore, newest: found[1])
            let head = PageHead(
                hasMore: hasMore, from: listed.lowerBound, through: listed.upperBound - 1,
                cursor: try ChangesCursor.current(db).text)
            return try HubCoding.encode(head, with: "messages", arrayOf: messages)
        }
    }

    /// Looks up one message.
    func message(_ id: MessageID, for account: Account) async throws(HubError) -> MessageLookUp {
        try await read { db in
            let statement = try db.cachedStatement(sql: Self.shown + " WHERE message.id = ?")
            guard let row = try Row.fetchOne(statement, arguments: [Data(id.value.bytes)]) else { return .unknown }
            guard let content: String = row[3] else { return .deleted }
            return .found(try Self.message(row, content: content, for: account, db))
        }
    }

    /// Returns the JSON of a `WireMessage`. The content is inserted as it was stored, without being parsed.
    static func message(
        _ row: Row, content: String, for account: Account, _ db: Database
    ) throws -> [UInt8] {
        let bytes: Data = row[0]
        guard let id = UUIDv7(bytes: bytes), let channel = ChannelID(row[1]), let sender = UserID(row[2]) else {
            throw HubError.damaged(path: "hub.sqlite", detail: "a message has an impossible id, channel or sender")
        }
        var reactions: [String: Int] = [:]
        var mine: [String] = []
        let given = try db.cachedStatement(
            sql: "SELECT name, count(*), max(account = ?) FROM reaction WHERE message = ? GROUP BY name ORDER BY name")
        let names = try Row.fetchCursor(given, arguments: [account.number, row[9] as Int64])
        while let name = try names.next() {
            reactions[name[0]] = name[1]
            if name[2] { mine.append(name[0]) }
        }
        let head = MessageHead(
            id: MessageID(id), channel: channel, sender: sender, createdAt: Timestamp(milliseconds: row[4]),
            position: row[5], acceptedAt: Timestamp(milliseconds: row[6]),
            parent: (row[7] as Data?).flatMap { UUIDv7(bytes: $0) }.map(MessageID.init),
            editedAt: (row[8] as Int64?).map(Timestamp.init(milliseconds:)),
            changedAt: (row[10] as Int64?).map(Timestamp.init(milliseconds:)),
            reactions: reactions.isEmpty ? nil : reactions, myReactions: mine.isEmpty ? nil : mine)
        return try HubCoding.encode(head, with: "content", content.utf8)
    }
}

/// A `WirePage` without its messages.
private struct PageHead: Encodable {
    let hasMore: Bool
    let from: Int64
    let through: Int64
    let cursor: String
}

/// A `WireMessage` without its content.
private struct MessageHead: Encodable {
    let id: MessageID
    let channel: ChannelID
    let sender: UserID
    let createdAt: Timestamp
    let position: Int64
    let acceptedAt: Timestamp
    let parent: MessageID?
    let editedAt: Timestamp?
    let changedAt: Timestamp?
    let reactions: [String: Int]?
    let myReactions: [String]?
}
