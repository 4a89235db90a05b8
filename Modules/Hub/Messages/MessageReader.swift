internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayWire
internal import Dispatch

/// Messages as JSON: pages, changes, and single ones, for the members of their channel.
///
/// Encoding is CPU work, which the threads that serve all requests cannot spare, and is done on threads of its own;
/// ``ResponseShares`` bounds how much of it is done at a time.
struct MessageReader: Sendable {
    let storage: any HubStorage
    private let queue = DispatchQueue(label: "causeway.hub.encoding", attributes: .concurrent)

    init(_ storage: any HubStorage) { self.storage = storage }

    /// Returns the JSON of a `WirePage` of the messages that satisfy a filter, by ascending position; `nil`
    /// when the channel does not exist for the account.
    ///
    /// - Parameter includesDeleted: true for a page that also lists deleted messages.
    func page(
        of channel: ChannelID, _ range: MessageRange, matching filter: MessageFilter, includesDeleted: Bool,
        limit: Int, for account: HubAccount
    ) async throws -> ResponseParts? {
        guard try await mayRead(channel, account) else { return nil }
        let bounds = PageLimit(count: limit, contentBytes: HubLimits.pageBytesMax)
        let page = try await storage.page(
            of: channel, range, matching: filter, includesDeleted: includesDeleted, limit: bounds, for: account.number)
        return try await encoding { try Self.encoded(page, range) }
    }

    /// Returns the JSON of a `WireChanges`: all changes of a part of a channel since a commit, or none of them; `nil`
    /// when the channel does not exist for the account.
    func changes(
        of channel: ChannelID, _ query: ChangesQuery, limit: Int, for account: HubAccount
    ) async throws -> ResponseParts? {
        guard try await mayRead(channel, account) else { return nil }
        let bounds = PageLimit(count: limit, contentBytes: HubLimits.pageBytesMax)
        let changes = try await storage.changes(of: channel, query, limit: bounds, for: account.number)
        return try await encoding { try Self.encoded(changes) }
    }

    /// Returns the JSON of a `WireMessage`.
    ///
    /// - Throws: `HubHTTPError` 404 for a message that is deleted, or does not exist for the account.
    func message(_ id: MessageID, for account: HubAccount) async throws -> ResponseParts {
        let found = try await storage.message(id, for: account.number)
        guard let channel = found.channel, try await mayRead(channel, account) else {
            throw HubHTTPError.notFound("no message \(id)", code: "messageNotFound")
        }
        guard case .found(let message) = found else {
            throw HubHTTPError.notFound("message \(id) was deleted", code: "messageDeleted")
        }
        return ResponseParts(try Self.encoded(message))
    }

    /// Checked at each request: the rights of a member who was removed end with the removal.
    private func mayRead(_ channel: ChannelID, _ account: HubAccount) async throws -> Bool {
        let state = try await storage.records(.rights(of: account.user, in: channel))
        var records = RecordTransaction(state)
        return records.refusal(.readMessages, by: account.user, in: channel) == nil
    }

    private func encoding(_ body: @escaping @Sendable () throws -> ResponseParts) async throws -> ResponseParts {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    private static func encoded(_ page: MessagePage, _ range: MessageRange) throws -> ResponseParts {
        var messages: [[UInt8]] = []
        var deleted: [WireDeletedMessage] = []
        var positions: [Int64] = []
        var bytes = 0
        var hasMore = page.hasMore
        var lastExamined = page.lastExamined
        for message in page.messages {
            if let tombstone = WireDeletedMessage(message) {
                deleted.append(tombstone)
                positions.append(message.position)
                continue
            }
            let json = try encoded(message)
            bytes += json.count
            guard bytes <= HubLimits.pageBytesMax || messages.isEmpty else {
                hasMore = true
                lastExamined = nil
                break
            }
            messages.append(json)
            positions.append(message.position)
        }
        if range.isDescending {
            messages.reverse()
            deleted.reverse()
            positions.reverse()
        }
        let listed = range.listed(
            positions, through: lastExamined, hasMore: hasMore, newest: page.lastPosition)
        let head = PageHead(
            hasMore: hasMore, from: listed.lowerBound, through: listed.upperBound - 1, cursor: page.cursor.text,
            deleted: deleted.isEmpty ? nil : deleted,
            unreadable: page.unreadable.isEmpty ? nil : page.unreadable.filter(listed.contains).sorted())
        return try HubCoding.encode(head, with: "messages", arrayOf: messages)
    }

    private static func encoded(_ changes: ChannelChanges) throws -> ResponseParts {
        let messages = try changes.changed?.messages.map(encoded)
        let isComplete = messages.map { $0.reduce(0) { $0 + $1.count } <= HubLimits.pageBytesMax } ?? false
        let head = ChangesHead(
            gone: isComplete ? changes.changed?.gone ?? [] : [], cursor: changes.cursor.text,
            newest: changes.lastPosition, isComplete: isComplete)
        return try HubCoding.encode(head, with: "messages", arrayOf: isComplete ? messages ?? [] : [])
    }

    /// The JSON of a `WireMessage`. The content is inserted as it was stored, without being parsed.
    static func encoded(_ message: StoredMessage) throws -> [UInt8] {
        let own = message.reactions.filter(\.isOwn).map(\.name)
        let counts = Dictionary(message.reactions.map { ($0.name, $0.count) }) { first, _ in first }
        let head = MessageHead(
            id: message.id, channel: message.channel, sender: message.sender, createdAt: message.createdAt,
            position: message.position, acceptedAt: message.acceptedAt, parent: message.parent,
            tags: message.tags.isEmpty ? nil : message.tags, editedAt: message.editedAt, changedAt: message.changedAt,
            reactions: counts.isEmpty ? nil : counts,
            myReactions: own.isEmpty ? nil : own)
        return try HubCoding.encode(head, with: "content", message.content.utf8)
    }
}

extension MessageRange {
    /// Returns the range of positions that a page covers completely.
    ///
    /// - Parameters:
    ///   - positions: those of the messages on the page, ascending.
    ///   - examined: the position at which the page ends, unless it ends with its last message.
    ///   - newest: the channel's newest position, even when its message was deleted.
    func listed(_ positions: [Int64], through examined: Int64?, hasMore: Bool, newest: Int64) -> Range<Int64> {
        switch self {
        case .newest: Self.older(examined ?? positions.first, hasMore, upTo: newest)
        case .before(let position):
            Self.older(examined ?? positions.first, hasMore, upTo: min(newest, max(position, 1) - 1))
        case .after(let position):
            if position >= newest {
                min(position, .max - 1) + 1..<min(position, .max - 1) + 1
            } else {
                position + 1..<(hasMore ? examined ?? positions.last ?? position : newest) + 1
            }
        }
    }

    private static func older(_ oldest: Int64?, _ hasMore: Bool, upTo last: Int64) -> Range<Int64> {
        let first = hasMore ? oldest ?? last + 1 : 1
        return min(first, last + 1)..<last + 1
    }
}

extension WireDeletedMessage {
    /// `nil` for a message that is not deleted.
    init?(_ message: StoredMessage) {
        guard let deletion = message.deletion else { return nil }
        self.init(
            id: message.id, channel: message.channel, sender: message.sender, type: deletion.type,
            createdAt: message.createdAt, position: message.position, acceptedAt: message.acceptedAt,
            parent: message.parent, deletedAt: deletion.at)
    }
}

/// A `WirePage` without its messages.
private struct PageHead: Encodable {
    let hasMore: Bool
    let from: Int64
    let through: Int64
    let cursor: String
    let deleted: [WireDeletedMessage]?
    let unreadable: [Int64]?
}

/// A `WireChanges` without its messages.
private struct ChangesHead: Encodable {
    let gone: [MessageID]
    let cursor: String
    let newest: Int64
    let isComplete: Bool
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
    let tags: [String]?
    let editedAt: Timestamp?
    let changedAt: Timestamp?
    let reactions: [String: Int]?
    let myReactions: [String]?
}
