internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import GRDB

/// Stores the changes of a group of deliveries: one prepared statement for each kind of change.
struct DeliveryRecorder {
    private let db: Database
    private let path: String
    private var numbers: RowNumbers

    /// - Parameter numbers: those of the loaded state that the changes were decided on.
    init(_ numbers: RowNumbers, in db: Database, path: String) {
        self.db = db
        self.path = path
        self.numbers = numbers
    }

    /// - Parameter state: the loaded state that the changes were decided on.
    mutating func store(_ changes: DeliveryChanges, decidedOn state: DeliveryState) throws {
        try storeOutboxes(changes.outboxes)
        try bar(changes.barred)
        try storeChannels(changes.channels)
        try insert(changes.newMessages)
        if !changes.messages.isEmpty { try update(changes.messages) }
        if !changes.reactions.isEmpty { try store(changes.reactions) }
        try insert(changes.newOperations)
        try insert(changes.newWrites)
        try note(changes.notedDeletions)
        try remove(changes.takenDeletions)
        var log = LogRecorder(in: db)
        try add(changes, decidedOn: state, to: &log)
        try RecordRecorder(numbers.records, in: db).store(changes.records, &log)
        try log.store()
        try storeLanes(changes.lanes)
    }

    private func add(_ changes: DeliveryChanges, decidedOn state: DeliveryState, to log: inout LogRecorder) throws {
        let version = changes.lastCommit
        for message in changes.newMessages {
            log.append(
                .channel(message.channel),
                .init(isRecord: false, subject: try number(of: message.id), version: version, isNew: true))
        }
        for id in changes.messages.keys {
            guard let channel = state.messages[id]?.channel else { continue }
            log.append(
                .channel(channel),
                .init(isRecord: false, subject: try number(of: id), version: version, isNew: false))
        }
    }

    // MARK: - Outboxes and lanes

    private mutating func storeOutboxes(_ outboxes: [OutboxKey: DeliveryState.Outbox]) throws {
        for (key, outbox) in outboxes {
            if let number = numbers.outboxes[key] {
                var update = try SQLStatement("UPDATE outbox SET epoch = ?, opening = ? WHERE number = ?", db)
                update.bind(outbox.epoch)
                update.bind(outbox.opening?.value)
                update.bind(number)
                try update.run()
            } else {
                var insertion = try SQLStatement(
                    "INSERT INTO outbox (account, id, epoch, opening) VALUES (?, ?, ?, ?)", db)
                insertion.bind(key.account)
                insertion.bind(key.id.value)
                insertion.bind(outbox.epoch)
                insertion.bind(outbox.opening?.value)
                try insertion.run()
                numbers.outboxes[key] = db.lastInsertedRowID
            }
        }
    }

    private func bar(_ openings: Set<OpeningKey>) throws {
        for key in openings {
            var insertion = try SQLStatement(
                "INSERT INTO barred_opening (outbox, opening) VALUES (?, ?) ON CONFLICT DO NOTHING", db)
            insertion.bind(try number(of: key.outbox))
            insertion.bind(key.opening.value)
            try insertion.run()
        }
    }

    private func storeLanes(_ lanes: [LaneKey: DeliveryState.Lane]) throws {
        for (key, lane) in lanes {
            var upsert = try SQLStatement(
                """
                INSERT INTO lane (outbox, name, mark, mover, operation, changed_in) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (outbox, name) DO UPDATE
                    SET mark = excluded.mark, mover = excluded.mover, operation = excluded.operation,
                        changed_in = excluded.changed_in
                """, db)
            upsert.bind(try number(of: key.outbox))
            upsert.bind(key.lane.rawValue)
            upsert.bind(lane.mark)
            upsert.bind(lane.mover?.value)
            upsert.bind(lane.operation?.value)
            upsert.bind(lane.commit)
            try upsert.run()
        }
    }

    private mutating func storeChannels(_ channels: [ChannelID: Int64]) throws {
        for (id, position) in channels {
            if let number = numbers.channels[id] {
                var update = try SQLStatement("UPDATE channel SET last_position = ? WHERE number = ?", db)
                update.bind(position)
                update.bind(number)
                try update.run()
            } else {
                var insertion = try SQLStatement("INSERT INTO channel (name, last_position) VALUES (?, ?)", db)
                insertion.bind(id.value)
                insertion.bind(position)
                try insertion.run()
                numbers.channels[id] = db.lastInsertedRowID
            }
        }
    }

    // MARK: - Messages

    private mutating func insert(_ messages: [DeliveryChanges.AcceptedMessage]) throws {
        guard !messages.isEmpty else { return }
        var insertion = try SQLStatement(
            """
            INSERT INTO message (id, channel, position, sender, content, created_at, accepted_at, parent, edited_at,
                changed_at, deleted_at, revision, tags, type)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(coalesce(?, ?5 ->> '$.type'), 'text'))
            """, db)
        for message in messages {
            insertion.bind(message.id.value)
            insertion.bind(try number(of: message.channel))
            insertion.bind(message.position)
            insertion.bind(message.sender)
            insertion.bind(message.content)
            insertion.bind(message.createdAt)
            insertion.bind(message.acceptedAt)
            insertion.bind(message.parent?.value)
            insertion.bind(message.editedAt)
            insertion.bind(message.changedAt)
            insertion.bind(message.deletedAt)
            insertion.bind(message.changeCommit)
            insertion.bind(StoredTags.text(of: message.tags))
            insertion.bind(message.type)
            try insertion.run()
            let number = db.lastInsertedRowID
            numbers.messages[message.id] = number
            if let attachment = message.attachment {
                let channel = try self.number(of: message.channel)
                try AttachmentRecorder(in: db, path: path).attach(attachment, to: number, in: channel)
            }
        }
    }

    private func update(_ messages: [MessageID: DeliveryChanges.MessageChange]) throws {
        for (id, change) in messages {
            let number = try number(of: id)
            switch change {
            case .reacted(let time, let commit):
                var update = try SQLStatement("UPDATE message SET changed_at = ?, revision = ? WHERE number = ?", db)
                update.bind(time)
                update.bind(commit)
                update.bind(number)
                try update.run()
            case .edited(let content, let editedAt, let changedAt, let commit):
                var update = try SQLStatement(
                    """
                    UPDATE message SET content = ?, edited_at = ?, changed_at = ?, revision = ? WHERE number = ?
                    """, db)
                update.bind(content)
                update.bind(editedAt)
                update.bind(changedAt)
                update.bind(commit)
                update.bind(number)
                try update.run()
            case .deleted(let time, let commit):
                // The row stays as the proof that the id was used; the message's content is gone.
                var update = try SQLStatement(
                    "UPDATE message SET content = NULL, tags = NULL, deleted_at = ?, revision = ? WHERE number = ?", db)
                update.bind(time)
                update.bind(commit)
                update.bind(number)
                try update.run()
                var removal = try SQLStatement("DELETE FROM reaction WHERE message = ?", db)
                removal.bind(number)
                try removal.run()
                try AttachmentRecorder(in: db, path: path).detach(number, at: time)
            }
        }
    }

    private func store(_ reactions: [MessageID: [Reaction: Bool]]) throws {
        var insertion = try SQLStatement(
            "INSERT INTO reaction (message, name, account) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", db)
        var removal = try SQLStatement("DELETE FROM reaction WHERE message = ? AND name = ? AND account = ?", db)
        for (id, reactions) in reactions {
            let number = try number(of: id)
            for (reaction, isAdded) in reactions {
                if isAdded {
                    insertion.bind(number)
                    insertion.bind(reaction.name)
                    insertion.bind(reaction.account)
                    try insertion.run()
                } else {
                    removal.bind(number)
                    removal.bind(reaction.name)
                    removal.bind(reaction.account)
                    try removal.run()
                }
            }
        }
    }

    private func insert(_ operations: [DeliveryChanges.AcceptedOperation]) throws {
        guard !operations.isEmpty else { return }
        var insertion = try SQLStatement(
            "INSERT INTO operation (id, sender, message, accepted_at) VALUES (?, ?, ?, ?)", db)
        for operation in operations {
            insertion.bind(operation.id.value)
            insertion.bind(operation.sender)
            insertion.bind(try number(of: operation.message))
            insertion.bind(operation.acceptedAt)
            try insertion.run()
        }
    }

    private func insert(_ writes: [DeliveryChanges.AcceptedWrite]) throws {
        guard !writes.isEmpty else { return }
        var insertion = try SQLStatement(
            "INSERT INTO record_write (id, sender, version, accepted_at) VALUES (?, ?, ?, ?)", db)
        for write in writes {
            insertion.bind(write.id.value)
            insertion.bind(write.sender)
            insertion.bind(write.version)
            insertion.bind(write.acceptedAt)
            try insertion.run()
        }
    }

    // MARK: - Early deletions

    private func remove(_ deletions: Set<AccountMessage>) throws {
        guard !deletions.isEmpty else { return }
        var removal = try SQLStatement("DELETE FROM early_deletion WHERE account = ? AND id = ?", db)
        for deletion in deletions {
            removal.bind(deletion.account)
            removal.bind(deletion.message.value)
            try removal.run()
        }
    }

    /// Each account has its own sequence of row numbers, of which those that were taken are missing.
    private func note(_ deletions: [AccountMessage]) throws {
        guard !deletions.isEmpty else { return }
        var newest: [Int64: Int64] = [:]
        var insertion = try SQLStatement(
            """
            INSERT INTO early_deletion (account, number, id) VALUES (?, ?, ?) ON CONFLICT (account, id) DO NOTHING
            """, db)
        for deletion in deletions {
            let number = try newest[deletion.account] ?? newestDeletion(of: deletion.account)
            insertion.bind(deletion.account)
            insertion.bind(number + 1)
            insertion.bind(deletion.message.value)
            try insertion.run()
            newest[deletion.account] = db.changesCount > 0 ? number + 1 : number
        }
        var removal = try SQLStatement(
            """
            DELETE FROM early_deletion WHERE account = ?1 AND number <= (
                SELECT number FROM early_deletion WHERE account = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
            """, db)
        // Below that number there cannot be too many, and none are counted.
        for (account, number) in newest where number > HubStorageLimits.earlyDeletionsPerAccountMax {
            removal.bind(account)
            removal.bind(HubStorageLimits.earlyDeletionsPerAccountMax)
            try removal.run()
        }
    }

    private func newestDeletion(of account: Int64) throws -> Int64 {
        var row = try SQLStatement("SELECT max(number) FROM early_deletion WHERE account = ?", db)
        row.bind(account)
        guard try row.step(), !row.isNull(0) else { return -1 }
        return row.number(0)
    }

    // MARK: - Row numbers

    private func number(of outbox: OutboxKey) throws -> Int64 { try found(numbers.outboxes[outbox], "outbox") }
    private func number(of channel: ChannelID) throws -> Int64 { try found(numbers.channels[channel], "channel") }
    private func number(of message: MessageID) throws -> Int64 { try found(numbers.messages[message], "message") }

    /// A change refers to what was loaded or is new; one that does not is refused whole.
    private func found(_ number: Int64?, _ kind: String) throws -> Int64 {
        guard let number else {
            throw HubStorageError.io(path: path, detail: "a change refers to an unknown \(kind)")
        }
        return number
    }
}
