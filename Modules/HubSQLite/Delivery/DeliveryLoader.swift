internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import GRDB

/// The row numbers of what a transaction loaded or inserted.
struct RowNumbers {
    var outboxes: [OutboxKey: Int64] = [:]
    var channels: [ChannelID: Int64] = [:]
    var messages: [MessageID: Int64] = [:]
    var records: [RecordKey: Int64] = [:]
}

/// Loads the state that a group of deliveries names.
struct DeliveryLoader {
    private let db: Database
    private(set) var state: DeliveryState
    private(set) var numbers = RowNumbers()

    init(_ keys: DeliveryKeys, of opening: HubOpening, lastCommit: Int64, in db: Database) throws {
        self.db = db
        state = DeliveryState(
            history: opening.history, opening: opening.id, floor: opening.floor, lastCommit: lastCommit)
        for key in keys.lanes { try load(key) }
        for key in keys.openings { try load(key) }
        try loadChannels(Array(keys.channels))
        try loadMessages(Array(keys.messages))
        try loadTypes(Array(keys.typed))
        try loadOperations(Array(keys.operations))
        try loadWrites(Array(keys.writes))
        try loadReactions(keys.reactions)
        try loadEarlyDeletions(keys.earlyDeletions)
        try loadBlobs(keys.blobs)
        let records = try RecordLoader(keys.records(of: state.messages), floor: opening.floor, in: db)
        state.records = records.state
        numbers.records = records.numbers
    }

    private mutating func load(_ key: LaneKey) throws {
        var row = try SQLStatement(
            """
            SELECT outbox.number, outbox.epoch, outbox.opening, lane.mark, lane.mover, lane.changed_in,
                lane.operation
            FROM outbox LEFT JOIN lane ON lane.outbox = outbox.number AND lane.name = ?
            WHERE outbox.account = ? AND outbox.id = ?
            """, db)
        row.bind(key.lane.rawValue)
        row.bind(key.outbox.account)
        row.bind(key.outbox.id.value)
        guard try row.step() else { return }
        numbers.outboxes[key.outbox] = row.number(0)
        state.outboxes[key.outbox] = .init(epoch: row.number(1), opening: row.id(2).map(OpeningID.init))
        guard !row.isNull(3) else { return }
        state.lanes[key] = .init(
            mark: row.number(3), mover: row.id(4).map(OpeningID.init), operation: row.id(6).map(OperationID.init),
            commit: row.number(5))
    }

    private mutating func load(_ key: OpeningKey) throws {
        guard let outbox = numbers.outboxes[key.outbox] else { return }
        var row = try SQLStatement("SELECT 1 FROM barred_opening WHERE outbox = ? AND opening = ?", db)
        row.bind(outbox)
        row.bind(key.opening.value)
        if try row.step() { state.barred.insert(key) }
    }

    private static let channels = KeyedQuery("SELECT name, number, last_position FROM channel WHERE name IN")

    private mutating func loadChannels(_ names: [ChannelID]) throws {
        try Self.channels.forEach(of: names, in: db) {
            $0.bind($1.value)
        } _: { row in
            guard let id = row.text(0).flatMap(ChannelID.init) else { return }
            numbers.channels[id] = row.number(1)
            state.channels[id] = row.number(2)
        }
    }

    private static let messages = KeyedQuery(
        """
        SELECT message.id, message.number, sender, position, accepted_at, changed_at, deleted_at IS NOT NULL,
            channel.name
        FROM message JOIN channel ON channel.number = message.channel WHERE message.id IN
        """)

    private mutating func loadMessages(_ ids: [MessageID]) throws {
        try Self.messages.forEach(of: ids, in: db) {
            $0.bind($1.value)
        } _: { row in
            guard let id = row.id(0).map(MessageID.init), let channel = row.text(7).flatMap(ChannelID.init) else {
                return
            }
            numbers.messages[id] = row.number(1)
            state.messages[id] = .init(
                channel: channel, sender: row.number(2), position: row.number(3), acceptedAt: row.time(4),
                changedAt: row.optionalTime(5), isDeleted: row.flag(6))
        }
    }

    /// Not from the content: one that is damaged must not fail the deliveries of the whole group.
    private static let types = KeyedQuery(
        """
        SELECT message.id, iif(message.content IS NULL, NULL, coalesce(message.type, 'text')), blob.sha256 FROM message
        LEFT JOIN attachment ON attachment.message = message.number LEFT JOIN blob ON blob.number = attachment.blob
        WHERE message.id IN
        """)

    private mutating func loadTypes(_ ids: [MessageID]) throws {
        try Self.types.forEach(of: ids, in: db) {
            $0.bind($1.value)
        } _: { row in
            guard let id = row.id(0).map(MessageID.init) else { return }
            state.messages[id]?.type = row.text(1)
            state.messages[id]?.attachment = BlobName(bytes: row.bytes(2))
        }
    }

    private mutating func loadBlobs(_ keys: Set<BlobKey>) throws {
        guard !keys.isEmpty else { return }
        var blobs = BlobLookUp(in: db)
        for key in keys { state.blobs[key] = try blobs.readable(key.blob, for: key.requester)?.size }
    }

    private static let operations = KeyedQuery(
        """
        SELECT operation.id, operation.sender, message.position, operation.accepted_at
        FROM operation JOIN message ON message.number = operation.message WHERE operation.id IN
        """)

    private mutating func loadOperations(_ ids: [MessageID]) throws {
        try Self.operations.forEach(of: ids, in: db) {
            $0.bind($1.value)
        } _: { row in
            guard let id = row.id(0).map(MessageID.init) else { return }
            state.operations[id] = .init(sender: row.number(1), position: row.number(2), acceptedAt: row.time(3))
        }
    }

    private static let writes = KeyedQuery("SELECT id, sender, version, accepted_at FROM record_write WHERE id IN")

    private mutating func loadWrites(_ ids: [MessageID]) throws {
        try Self.writes.forEach(of: ids, in: db) {
            $0.bind($1.value)
        } _: { row in
            guard let id = row.id(0).map(MessageID.init) else { return }
            state.writes[id] = .init(sender: row.number(1), position: row.number(2), acceptedAt: row.time(3))
        }
    }

    private static let reactions = KeyedQuery(
        "SELECT message, name, count(*), max(account = ?) FROM reaction WHERE message IN", "GROUP BY message, name")

    private mutating func loadReactions(_ keys: Set<AccountMessage>) throws {
        for (account, keys) in Dictionary(grouping: keys, by: \.account) {
            var ids: [Int64: MessageID] = [:]
            for key in keys {
                if let number = numbers.messages[key.message] { ids[number] = key.message }
            }
            try Self.reactions.forEach(of: Array(ids.keys), in: db) {
                $0.bind(account)
            } bind: {
                $0.bind($1)
            } _: { row in
                guard let id = ids[row.number(0)], let name = row.text(1) else { return }
                state.reactions[id, default: .init()].counts[name] = Int(row.number(2))
                guard row.flag(3) else { return }
                state.reactions[id, default: .init()].own.insert(Reaction(name: name, account: account))
            }
        }
    }

    private static let earlyDeletions = KeyedQuery("SELECT id FROM early_deletion WHERE account = ? AND id IN")

    private mutating func loadEarlyDeletions(_ keys: Set<AccountMessage>) throws {
        for (account, keys) in Dictionary(grouping: keys, by: \.account) {
            try Self.earlyDeletions.forEach(of: keys, in: db) {
                $0.bind(account)
            } bind: {
                $0.bind($1.message.value)
            } _: { row in
                guard let id = row.id(0).map(MessageID.init) else { return }
                state.earlyDeletions.insert(AccountMessage(account: account, message: id))
            }
        }
    }
}
