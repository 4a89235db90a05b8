internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import GRDB

/// Looks up blobs that accounts may read, within one transaction.
///
/// The statements do not depend on whether a blob exists: for one that does not they look for a number that no row has.
struct BlobLookUp {
    /// The number of no row.
    private static let none: Int64 = -1

    private struct Row {
        var number = BlobLookUp.none
        var blob: HubBlob?
    }

    private let db: Database
    /// The names of the channels that users may read, as far as they were needed.
    private var channels: [UserID: [String]] = [:]

    init(in db: Database) { self.db = db }

    /// Returns the blob if the account uploaded it, or if it is attached to a message of a channel that it may read.
    mutating func readable(_ name: BlobName, for requester: BlobRequester) throws -> HubBlob? {
        let row = try find(name)
        if try isUploader(requester.account, of: row.number) { return row.blob }
        return try isAttached(row.number, in: channels(of: requester.user)) ? row.blob : nil
    }

    /// Returns the blob if the account uploaded it, or may read the message that it is attached to.
    func readable(
        _ name: BlobName, for requester: BlobRequester, through message: MessageID
    ) throws -> ReadableBlob? {
        let row = try find(name)
        let isUploader = try isUploader(requester.account, of: row.number)
        let attached = try attachment(of: message, for: requester.user)
        guard let blob = row.blob else { return nil }
        if let attached, attached.blob == row.number { return ReadableBlob(blob: blob, fileName: attached.fileName) }
        return isUploader ? ReadableBlob(blob: blob) : nil
    }

    private func find(_ name: BlobName) throws -> Row {
        var row = try SQLStatement("SELECT number, size, type FROM blob WHERE sha256 = ?", db)
        row.bind(name.bytes)
        guard try row.step(), let type = row.text(2) else { return Row() }
        return Row(number: row.number(0), blob: HubBlob(name: name, size: row.number(1), type: type))
    }

    private func isUploader(_ account: Int64, of blob: Int64) throws -> Bool {
        var row = try SQLStatement("SELECT 1 FROM blob_uploader WHERE blob = ? AND account = ?", db)
        row.bind(blob)
        row.bind(account)
        return try row.step()
    }

    // MARK: - Through any message

    private mutating func channels(of user: UserID) throws -> [String] {
        if let known = channels[user] { return known }
        let rights = TopicRights(of: user)
        let list = rights.grants
        var row = try SQLStatement(
            "SELECT id FROM record_list WHERE kind = ? AND name = ? AND scope = ? LIMIT ?", db)
        row.bind(list.kind.value)
        row.bind(list.name)
        row.bind(list.scope)
        row.bind(HubStorageLimits.membershipsScannedMax)
        var names: [String] = []
        while try row.step() {
            guard let id = row.text(0),
                case .channel(let channel)? = rights.topic(grantedBy: RecordKey(kind: list.kind, id: id))
            else { continue }
            names.append(channel.value)
        }
        channels[user] = names
        return names
    }

    private static let attached = KeyedQuery(
        """
        SELECT 1 FROM channel
        WHERE EXISTS (SELECT 1 FROM attachment WHERE attachment.blob = ? AND attachment.channel = channel.number)
            AND channel.name IN
        """)

    /// Looks into all of the channels, so that the time does not reveal in which one it was found.
    private func isAttached(_ blob: Int64, in channels: [String]) throws -> Bool {
        var isFound = false
        try Self.attached.forEach(of: channels, in: db) {
            $0.bind(blob)
        } bind: {
            $0.bind($1)
        } _: { _ in
            isFound = true
        }
        return isFound
    }

    // MARK: - Through one message

    /// The attachment of a message that a user may read.
    private func attachment(of message: MessageID, for user: UserID) throws -> (blob: Int64, fileName: String?)? {
        var row = try SQLStatement(
            """
            SELECT channel.name, attachment.blob,
                iif(json_valid(message.content), message.content ->> '$.attachment.name', NULL)
            FROM message JOIN channel ON channel.number = message.channel
            LEFT JOIN attachment ON attachment.message = message.number
            WHERE message.id = ?
            """, db)
        row.bind(message.value)
        guard try row.step(), let channel = row.text(0).flatMap(ChannelID.init),
            case .whileExists(let key) = TopicRights(of: user).access(to: .channel(channel))
        else { return nil }
        var membership = try SQLStatement("SELECT 1 FROM record WHERE kind = ? AND id = ? AND deleted = 0", db)
        membership.bind(key.kind.value)
        membership.bind(key.id)
        let isMember = try membership.step()
        return isMember && !row.isNull(1) ? (row.number(1), row.text(2)) : nil
    }
}
