public import CausewayModels

extension RowStore {
    public func message(_ id: MessageID) async throws(StoreError) -> Message? {
        try read { rows throws(StoreError) in try rows.item(id)?.message }
    }

    public func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] {
        try read { rows throws(StoreError) in
            var messages: [Message] = []
            for id in ids { if let message = try rows.item(id)?.message { messages.append(message) } }
            return messages
        }
    }

    public func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? {
        try read { rows throws(StoreError) in try rows.item(id)?.item.queued }
    }

    public func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        try read { rows throws(StoreError) in
            var operations: [QueuedOperation] = []
            for id in ids { if let operation = try rows.item(id)?.item.queued { operations.append(operation) } }
            return operations
        }
    }

    public func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try read { rows throws(StoreError) in
            let creations = try rows.parked(for: id).map(\.item).filter(\.createsMessage).compactMap(\.queued)
            return (try rows.operations(on: id) + creations).sorted { $0.ordinal < $1.ordinal }
        }
    }

    public func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        try read { rows throws(StoreError) in
            let found = try rows.operations(query, limit: query.limit + 1)
            let operations = Array(found.prefix(query.limit))
            let next = found.count > query.limit ? operations.last.map(query.cursor) : nil
            return OperationPage(operations: operations, next: next)
        }
    }

    public func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        try read { rows throws(StoreError) in
            let found = try rows.messages(query, limit: query.limit + 1)
            let messages = Array(found.prefix(query.limit))
            guard found.count > query.limit else { return MessagePage(messages: messages, next: nil) }
            return MessagePage(messages: messages, next: messages.last?.cursor, following: found[query.limit])
        }
    }

    public func nextChannel(after channel: ChannelID?, keeping count: Int) async throws(StoreError) -> RetainedPart? {
        try read { rows throws(StoreError) in try rows.nextChannel(after: channel, keeping: max(1, count)) }
    }

    public func counts() async throws(StoreError) -> StoreCounts {
        try read { rows throws(StoreError) in try rows.counts() }
    }

    public func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        let limit = min(max(1, limit), Limits.pageSizeMax)
        return try read { rows throws(StoreError) in try rows.deleteActions(before: before, limit: limit) }
    }

    public func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try read { rows throws(StoreError) in try rows.record(kind, id) }
    }

    public func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        try read { rows throws(StoreError) in
            RecordListPage(try rows.records(query, limit: query.limit + 1), of: query)
        }
    }

    public func session() async throws(StoreError) -> Session? {
        try read { rows throws(StoreError) in try rows.session() }
    }

    public func outbox() async throws(StoreError) -> OutboxSnapshot {
        try read { rows throws(StoreError) in
            guard let outboxID = rows.outbox.id else { throw StoreError.notStarted }
            return try rows.snapshot(outboxID)
        }
    }
}

extension CommittingRows {
    /// - Precondition: the store has been started.
    func snapshot(_ outboxID: OutboxID) throws(StoreError) -> OutboxSnapshot {
        let outbox = outbox
        var snapshot = OutboxSnapshot(
            outboxID: outboxID, epoch: outbox.epoch, lastTransmitted: try lastTransmitted(), entries: try entries(),
            lineage: outbox.lineage)
        var page = try page(of: .pausing, after: .min)
        while let last = page.last {
            snapshot.pauses += page.compactMap(\.item.pause)
            page = try self.page(of: .pausing, after: last.item.ordinal)
        }
        snapshot.history = outbox.history
        snapshot.eventCursor = outbox.eventCursor
        return snapshot
    }
}
