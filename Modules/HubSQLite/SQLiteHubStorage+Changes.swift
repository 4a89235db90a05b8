package import CausewayHubStorage
package import CausewayModels
internal import GRDB
internal import Synchronization

extension SQLiteHubStorage {
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

    package func changes(
        of channel: ChannelID, _ query: ChangesQuery, limit: PageLimit, for reader: Int64
    ) async throws(HubStorageError) -> ChannelChanges {
        // Before the snapshot, as for a page.
        let cursor = try cursor()
        return try await read { [self] db in
            // A channel without messages has no row, and no number is 0.
            let found = try Self.place(of: channel, db) ?? (0, Self.floor(db))
            // A state that was never reached here belongs to another history.
            let isKnown = try query.through <= found.lastPosition && isKnown(query.since, present: cursor, db)
            return ChannelChanges(
                changed: isKnown ? try gather(query, in: found, limit, for: reader, db) : nil,
                lastPosition: found.lastPosition, cursor: cursor)
        }
    }

    private func gather(
        _ query: ChangesQuery, in channel: (number: Int64, lastPosition: Int64), _ limit: PageLimit,
        for reader: Int64, _ db: Database
    ) throws -> ChannelChanges.Changed? {
        var count = try SQLStatement(Self.scanned, db)
        count.bind(channel.number)
        count.bind(query.since.commit)
        count.bind(HubStorageLimits.changesScannedMax + 1)
        guard try count.step(), count.number(0) <= HubStorageLimits.changesScannedMax else { return nil }
        var gathered = GatheredChanges(limit: limit)
        if count.number(0) > 0 {
            var row = try SQLStatement(Self.revised, db)
            row.bind(channel.number)
            row.bind(query.since.commit)
            row.bind(query.from)
            row.bind(query.through)
            row.bind(query.isOpen)
            row.bind(limit.count + 1)
            while try row.step() {
                guard try gather(row, into: &gathered, for: reader, db) else { return nil }
            }
        }
        if query.isOpen, query.through < channel.lastPosition {
            var row = try SQLStatement(Self.shownAbove, db)
            row.bind(channel.number)
            row.bind(query.through)
            row.bind(limit.count + 1)
            while try row.step() {
                guard try gather(row, into: &gathered, for: reader, db) else { return nil }
            }
        }
        gathered.changed.messages.sort { $0.position < $1.position }
        return gathered.changed
    }

    /// - Returns: false when there are too many.
    private func gather(
        _ row: borrowing SQLStatement, into gathered: inout GatheredChanges, for reader: Int64, _ db: Database
    ) throws -> Bool {
        guard !gathered.isFull else { return false }
        if let content = row.text(3) {
            gathered.contentBytes += content.utf8.count
            if let message = try message(row, content: content, for: reader, db) {
                gathered.changed.messages.append(message)
            }
        } else if let id = row.id(0) {
            gathered.changed.gone.append(MessageID(id))
        }
        return gathered.contentBytes <= gathered.limit.contentBytes
    }

    /// The last confirmed commit.
    func cursor() throws(HubStorageError) -> ChangesCursor {
        guard let opening = serving.withLock({ $0?.opening }) else { throw .recovering(path: path) }
        return ChangesCursor(opening: opening.id, commit: opening.lastCommit)
    }

    /// True when this hub was once in this state, and no restored backup has undone it.
    private func isKnown(_ cursor: ChangesCursor, present: ChangesCursor, _ db: Database) throws -> Bool {
        if cursor.opening == present.opening { return cursor.commit <= present.commit }
        var opening = try SQLStatement("SELECT 1 FROM hub_opening WHERE id = ? AND last_commit >= ?", db)
        opening.bind(cursor.opening)
        opening.bind(cursor.commit)
        if try opening.step() { return true }
        // Named by a hub that numbered revisions apart from commits.
        var revision = try SQLStatement("SELECT 1 FROM revision WHERE opening = ? AND first <= ? AND last >= ?", db)
        revision.bind(cursor.opening)
        revision.bind(cursor.commit)
        revision.bind(cursor.commit)
        return try revision.step()
    }
}

/// The changes found so far, bounded by number and bytes.
private struct GatheredChanges {
    let limit: PageLimit
    var contentBytes = 0
    var changed = ChannelChanges.Changed(messages: [], gone: [])

    var isFull: Bool { changed.messages.count + changed.gone.count >= limit.count }
}
