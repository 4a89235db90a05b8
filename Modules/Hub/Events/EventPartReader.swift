internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayWire

/// A part of the log, encoded for one reader.
struct EventPart: Sendable {
    var body: ResponseParts
    var cursor: LogCursor
    /// True when the cursor is the end of the log.
    var isUpToDate: Bool
    /// True when it says nothing but that the reader is up to date.
    var isIdle: Bool
    var isReset = false
    /// The ephemeral events that the reader has seen with this part; `nil` if none were added.
    var seen: EphemeralToken?
    /// True if there are further ephemeral events, which had no room.
    var hasMoreEphemeral = false
}

/// Reads parts of the log, and encodes them as `WireEvents`.
struct EventPartReader: Sendable {
    let storage: any HubStorage
    private let log: LogBatchReader
    private let encodedEvents = RecentEncodings<LogChange, [UInt8]>(bytesMax: HubLimits.encodedEventsBytesMax)
    private let encodedParts = RecentEncodings<PartKey, ResponseParts>(bytesMax: HubLimits.encodedPartsBytesMax)

    init(_ storage: any HubStorage) {
        self.storage = storage
        log = LogBatchReader(storage.log)
    }

    /// The end of the log, without events.
    func end() async throws -> EventPart {
        let cursor = try await storage.logEnd()
        let head = EventsHead(cursor: cursor.text, isReset: false, isUpToDate: true, limited: [], ephemeral: nil)
        return EventPart(
            body: try HubCoding.encode(head, with: "events", arrayOf: []), cursor: cursor, isUpToDate: true,
            isIdle: true)
    }

    /// The part after a cursor, as the account may read it now.
    ///
    /// - Parameters:
    ///   - topics: the topics that the reader wants; `nil` for all that it may read.
    ///   - lease: counts the bytes of the part.
    ///   - ephemeral: reads the ephemeral events that the reader has not seen, if the part is up to date.
    func read(
        after cursor: LogCursor, for account: HubAccount, topics: Set<LogTopic>?, limit: PageLimit,
        holding lease: ByteLease,
        ephemeral: () async throws(HubStorageError) -> EphemeralPart? = { () throws(HubStorageError) in nil }
    ) async throws -> EventPart {
        let rights = TopicRights(of: account.user)
        let query = LogQuery(
            cursor: cursor, reader: account.number, rights: rights, topics: topics.map(Array.init), limit: limit)
        switch try await log.read(query, for: account, holding: lease) {
        case .reset(let end):
            let head = EventsHead(cursor: end.text, isReset: true, isUpToDate: false, limited: [], ephemeral: nil)
            return EventPart(
                body: try HubCoding.encode(head, with: "events", arrayOf: []), cursor: end,
                isUpToDate: false, isIdle: false, isReset: true)
        case .page(let page):
            let part = EventRules.part(
                of: page.entries.map(\.change), crowded: page.crowded, for: rights, subscription: topics)
            let ephemeral = page.isUpToDate ? try await ephemeral() : nil
            let head = EventsHead(
                cursor: page.cursor.text, isReset: false, isUpToDate: page.isUpToDate,
                limited: part.limited.map { $0.wireText(for: rights) }, ephemeral: ephemeral?.wire)
            let isEmpty = part.changes.isEmpty && part.limited.isEmpty && ephemeral?.isNews != true
            return EventPart(
                body: try encoded(head, part.changes.map { page.entries[$0] }, for: rights), cursor: page.cursor,
                isUpToDate: page.isUpToDate, isIdle: page.isUpToDate && isEmpty, seen: ephemeral?.token,
                hasMoreEphemeral: ephemeral?.hasMore == true)
        }
    }

    // MARK: - Encoding

    /// A part without ephemeral events whose text is the same for every reader.
    private struct PartKey: Hashable {
        var cursor: String
        var isUpToDate: Bool
        var limited: [String]
        var changes: [LogChange]
    }

    private func encoded(_ head: EventsHead, _ entries: [LogPage.Entry], for rights: TopicRights) throws
        -> ResponseParts
    {
        func encode() throws -> ResponseParts {
            try HubCoding.encode(head, with: "events", arrayOf: try entries.map { try encoded($0, for: rights) })
        }
        // An account's own topic is named without it, so its events are in parts of its own.
        guard head.ephemeral == nil, !entries.isEmpty,
            entries.allSatisfy({ !Self.isForOne($0) && $0.change.topic != rights.own })
        else { return try encode() }
        let key = PartKey(
            cursor: head.cursor, isUpToDate: head.isUpToDate, limited: head.limited,
            changes: entries.map { Self.key(of: $0) })
        return try encodedParts.encoding(of: key, count: \.count, encode)
    }

    private func encoded(_ entry: LogPage.Entry, for rights: TopicRights) throws -> [UInt8] {
        guard !Self.isForOne(entry) else { return try Self.encoded(entry, for: rights) }
        return try encodedEvents.encoding(of: Self.key(of: entry), count: \.count) {
            try Self.encoded(entry, for: rights)
        }
    }

    /// Whether the text of an event marks reactions of its reader. Otherwise it is the same for every reader in the
    /// same version.
    private static func isForOne(_ entry: LogPage.Entry) -> Bool {
        guard case .message(let message) = entry.state else { return false }
        return message.reactions.contains { $0.isOwn }
    }

    private static func key(of entry: LogPage.Entry) -> LogChange {
        var key = entry.change
        // Not part of the text.
        key.isNew = false
        return key
    }

    /// The state is inserted as it was stored, without being parsed.
    private static func encoded(_ entry: LogPage.Entry, for rights: TopicRights) throws -> [UInt8] {
        let change = entry.change
        let (kind, id) =
            switch change.subject {
            case .message(let id): (WireEvents.messageKind, id.description)
            case .record(let key): (key.kind.value, key.id)
            }
        var head = EventHead(
            id: id, kind: kind, topic: change.topic.wireText(for: rights), version: change.version)
        switch entry.state {
        case .deleted(let message):
            head.deleted = message.flatMap(WireDeletedMessage.init)
            return try HubCoding.encode(head)
        case .message(let message): return try HubCoding.encode(head, with: "value", MessageReader.encoded(message))
        case .record(let row): return try HubCoding.encode(head, with: "value", (row.value ?? "null").utf8)
        }
    }
}

extension LogTopic {
    /// The text of a topic in requests and responses: an account names its own without its name.
    func wireText(for rights: TopicRights) -> String { self == rights.own ? WireEvents.accountTopic : name }

    /// - Returns: `nil` for text that is not a topic that an account can name.
    init?(wireText: some StringProtocol, for rights: TopicRights) {
        if wireText == WireEvents.accountTopic {
            self = rights.own
        } else if let topic = LogTopic(name: wireText), case .channel = topic {
            self = topic
        } else {
            return nil
        }
    }
}

/// A `WireEvents` without its events.
private struct EventsHead: Encodable {
    let cursor: String
    let isReset: Bool
    let isUpToDate: Bool
    let limited: [String]
    let ephemeral: WireEphemeral?
}

/// A `WireEvent` without its value.
private struct EventHead: Encodable {
    let id: String
    let kind: String
    let topic: String
    let version: Int64
    var deleted: WireDeletedMessage?
}
