package import CausewayHubStorage
package import CausewayModels
internal import GRDB

extension SQLiteHubStorage {
    private static let shown = selection(from: "message")
    private static let shownByID = shown + " WHERE message.id = ?"
    private static let shownByNumber = shown + " WHERE message.number = ?"
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

    /// The columns that ``message(_:content:for:_:)`` reads, from the table of messages.
    static func selection(from messages: String) -> String {
        """
        SELECT message.id, channel.name, account.name, message.content, message.created_at, message.position,
            message.accepted_at, message.parent, message.edited_at, message.number, message.changed_at,
            message.revision, message.tags
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
            return .found(try message(row, content: content, for: reader, db))
        }
    }

    /// Reads the index of the shown messages from one key on.
    package func page(
        of channel: ChannelID, _ range: MessageRange, matching filter: MessageFilter, limit: PageLimit,
        for reader: Int64
    ) async throws(HubStorageError) -> MessagePage {
        // Before the snapshot: a later commit may be in the page, but the cursor claims nothing that is not.
        let cursor = try cursor()
        return try await read { [self] db in
            guard let found = try Self.place(of: channel, db) else {
                return MessagePage(messages: [], hasMore: false, lastPosition: try Self.floor(db), cursor: cursor)
            }
            if !filter.admitsAll {
                let empty = MessagePage(messages: [], hasMore: false, lastPosition: found.lastPosition, cursor: cursor)
                let search = MessageSearch(channel: found.number, range, filter, limit: limit)
                return try page(of: search, startingWith: empty, for: reader, db)
            }
            let bound = range.bound
            var row = try SQLStatement(range.isDescending ? Self.shownBelow : Self.shownAbove, db)
            row.bind(found.number)
            row.bind(bound)
            row.bind(limit.count + 1)
            var page = MessagePage(messages: [], hasMore: false, lastPosition: found.lastPosition, cursor: cursor)
            var bytes = 0
            while try row.step() {
                guard page.messages.count < limit.count, bytes <= limit.contentBytes else {
                    page.hasMore = true
                    break
                }
                let content = row.text(3) ?? ""
                bytes += content.utf8.count
                page.messages.append(try message(row, content: content, for: reader, db))
            }
            return page
        }
    }

    /// Reads the messages that a search finds, one by one.
    private func page(
        of search: MessageSearch, startingWith empty: MessagePage, for reader: Int64, _ db: Database
    ) throws -> MessagePage {
        let found = try search.run(db)
        var page = empty
        page.hasMore = found.hasMore
        page.lastExamined = found.lastExamined
        var bytes = 0
        for number in found.numbers {
            guard page.messages.count < search.limit.count, bytes <= search.limit.contentBytes else {
                page.hasMore = true
                page.lastExamined = nil
                break
            }
            var row = try SQLStatement(Self.shownByNumber, db)
            row.bind(number)
            guard try row.step(), let content = row.text(3) else { continue }
            bytes += content.utf8.count
            page.messages.append(try message(row, content: content, for: reader, db))
        }
        return page
    }

    static func place(of channel: ChannelID, _ db: Database) throws -> (number: Int64, lastPosition: Int64)? {
        var row = try SQLStatement("SELECT number, last_position FROM channel WHERE name = ?", db)
        row.bind(channel.value)
        return try row.step() ? (row.number(0), row.number(1)) : nil
    }

    func message(
        _ row: borrowing SQLStatement, content: String, for reader: Int64, _ db: Database
    ) throws -> StoredMessage {
        guard let id = row.id(0), let channel = row.text(1).flatMap(ChannelID.init),
            let sender = row.text(2).flatMap(UserID.init)
        else {
            throw HubStorageError.damaged(path: path, detail: "a message has an impossible id, channel or sender")
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
            id: MessageID(id), channel: channel, sender: sender, position: row.number(5), createdAt: row.time(4),
            acceptedAt: row.time(6), parent: row.id(7).map(MessageID.init), tags: StoredTags.tags(in: row.text(12)),
            editedAt: row.optionalTime(8), changedAt: row.optionalTime(10), content: content, reactions: reactions)
    }
}
