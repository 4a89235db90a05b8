package import CausewayHubStorage
package import CausewayModels
internal import GRDB

extension SQLiteHubStorage {
    private static let shown = selection(from: "message")
    private static let shownByID = shown + " WHERE message.id = ?"
    private static let byNumber = shown + " WHERE message.number = ?"
    private static let shownBelow =
        shown + """
             WHERE message.channel = ? AND message.deleted_at IS NULL AND message.position < ?
            ORDER BY message.position DESC LIMIT ?
            """
    /// In the order of position, above a position.
    static let shownAbove =
        shown + """
             WHERE message.channel = ? AND message.deleted_at IS NULL AND message.position > ?
            ORDER BY message.position LIMIT ?
            """

    /// The columns that ``message(_:content:for:_:)`` and ``deleted(_:)`` read, from the table of messages.
    static func selection(from messages: String) -> String {
        """
        SELECT message.id, channel.name, account.name, message.content, message.created_at, message.position,
            message.accepted_at, message.parent, message.edited_at, message.number, message.changed_at,
            message.revision, message.tags, message.deleted_at, message.type, json_valid(message.content)
        FROM \(messages)
        JOIN channel ON channel.number = message.channel
        JOIN account ON account.number = message.sender
        """
    }

    package func message(_ id: MessageID, for reader: Int64) async throws(HubStorageError) -> MessageLookUp {
        try await read { [self] db in
            var row = try SQLStatement(Self.shownByID, db)
            row.bind(id.value)
            guard try row.step() else { return .unknown }
            guard let content = row.text(3) else {
                guard let channel = row.text(1).flatMap(ChannelID.init) else { return .unknown }
                return .deleted(in: channel)
            }
            guard let message = try message(row, content: content, for: reader, db) else {
                throw HubStorageError.damaged(path: path, detail: "message \(id) cannot be read")
            }
            return .found(message)
        }
    }

    /// Reads the index of the shown messages, and that of the deleted ones, from one key on.
    package func page(
        of channel: ChannelID, _ range: MessageRange, matching filter: MessageFilter, includesDeleted: Bool,
        limit: PageLimit, for reader: Int64
    ) async throws(HubStorageError) -> MessagePage {
        // Before the snapshot: a later commit may be in the page, but the cursor claims nothing that is not.
        let cursor = try cursor()
        return try await read { [self] db in
            guard let found = try Self.place(of: channel, db) else {
                return MessagePage(messages: [], hasMore: false, lastPosition: try Self.floor(db), cursor: cursor)
            }
            if includesDeleted || !filter.admitsAll {
                let empty = MessagePage(messages: [], hasMore: false, lastPosition: found.lastPosition, cursor: cursor)
                let found = try MessageSearch.run(
                    in: found.number, range, filter, includesDeleted: includesDeleted, limit: limit, db)
                return try page(of: found, limit, startingWith: empty, for: reader, db)
            }
            let bound = range.bound
            var row = try SQLStatement(range.isDescending ? Self.shownBelow : Self.shownAbove, db)
            row.bind(found.number)
            row.bind(bound)
            row.bind(limit.count + 1)
            var page = MessagePage(messages: [], hasMore: false, lastPosition: found.lastPosition, cursor: cursor)
            var bytes = 0
            var count = 0
            var unlisted: Int64?
            while try row.step() {
                guard count < limit.count, bytes <= limit.contentBytes else {
                    page.hasMore = true
                    page.lastExamined = unlisted
                    break
                }
                let content = row.text(3) ?? ""
                bytes += content.utf8.count
                count += 1
                if let message = try message(row, content: content, for: reader, db) {
                    page.messages.append(message)
                    unlisted = nil
                } else {
                    page.unreadable.append(row.number(5))
                    unlisted = row.number(5)
                }
            }
            return page
        }
    }

    /// Reads the messages that a search finds, one by one.
    private func page(
        of found: MessageSearch.Found, _ limit: PageLimit, startingWith empty: MessagePage, for reader: Int64,
        _ db: Database
    ) throws -> MessagePage {
        var page = empty
        page.hasMore = found.hasMore
        page.lastExamined = found.lastExamined
        var bytes = 0
        var count = 0
        var unlisted: Int64?
        for row in found.rows {
            guard count < limit.count, bytes <= limit.contentBytes else {
                page.hasMore = true
                page.lastExamined = unlisted
                break
            }
            var message = try SQLStatement(Self.byNumber, db)
            message.bind(row.number)
            guard try message.step() else { continue }
            count += 1
            let content = message.text(3)
            bytes += content?.utf8.count ?? 0
            let listed =
                try content.map { try self.message(message, content: $0, for: reader, db) } ?? deleted(message)
            if let listed {
                page.messages.append(listed)
                unlisted = nil
            } else {
                if content != nil { page.unreadable.append(row.position) }
                unlisted = row.position
            }
        }
        return page
    }

    static func place(of channel: ChannelID, _ db: Database) throws -> (number: Int64, lastPosition: Int64)? {
        var row = try SQLStatement("SELECT number, last_position FROM channel WHERE name = ?", db)
        row.bind(channel.value)
        return try row.step() ? (row.number(0), row.number(1)) : nil
    }

    /// The tombstone of a deleted message; `nil` if its row cannot be read.
    func deleted(_ row: borrowing SQLStatement) -> StoredMessage? {
        guard let (id, channel, sender) = names(row) else { return nil }
        return StoredMessage(
            id: id, channel: channel, sender: sender, position: row.number(5), createdAt: row.time(4),
            acceptedAt: row.time(6), parent: row.id(7).map(MessageID.init), editedAt: nil, changedAt: nil,
            content: "", reactions: [], deletion: .init(at: row.time(13), type: row.text(14)))
    }

    /// The names in a row; `nil`, which is noted, if one of them is impossible.
    private func names(_ row: borrowing SQLStatement) -> (MessageID, ChannelID, UserID)? {
        guard let id = row.id(0), let channel = row.text(1).flatMap(ChannelID.init),
            let sender = row.text(2).flatMap(UserID.init)
        else {
            damaged.note(message: row.number(9), "an impossible id, channel or sender", logger)
            return nil
        }
        return (MessageID(id), channel, sender)
    }

    /// A message; `nil`, which is noted, if its row cannot be read: one damaged row must not make a page unreadable, in
    /// which contents are inserted as they are stored.
    func message(
        _ row: borrowing SQLStatement, content: String, for reader: Int64, _ db: Database
    ) throws -> StoredMessage? {
        guard let (id, channel, sender) = names(row) else { return nil }
        guard row.flag(15) else {
            damaged.note(message: row.number(9), "a content that is not JSON", logger)
            return nil
        }
        var reactions: [StoredMessage.Reactions] = []
        var names = try SQLStatement(
            "SELECT name, count(*), max(account = ?) FROM reaction WHERE message = ? GROUP BY name ORDER BY name", db)
        names.bind(reader)
        names.bind(row.number(9))
        while try names.step() {
            guard let name = names.text(0) else { continue }
            reactions.append(.init(name: name, count: Int(names.number(1)), isOwn: names.flag(2)))
        }
        return StoredMessage(
            id: id, channel: channel, sender: sender, position: row.number(5), createdAt: row.time(4),
            acceptedAt: row.time(6), parent: row.id(7).map(MessageID.init), tags: StoredTags.tags(in: row.text(12)),
            editedAt: row.optionalTime(8), changedAt: row.optionalTime(10), content: content, reactions: reactions)
    }
}
