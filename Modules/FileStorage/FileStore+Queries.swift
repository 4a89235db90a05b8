public import CausewayModels
public import CausewayStorage

/// The queries: the index says which records make up a result, and they are read from the journal without holding up a
/// writer.
extension FileStore {
    public func message(_ id: MessageID) async throws(StoreError) -> Message? {
        try await messages([id]).first
    }

    public func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] {
        try await rows { account in account.entries(ids) }.compactMap(\.message)
    }

    public func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? {
        try await operations([id]).first
    }

    public func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        try await rows { account in account.entries(ids) }.compactMap(\.item.queued)
    }

    public func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try await rows { account in account.entries(dependingOn: id) }.compactMap(\.item.queued)
    }

    public func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        // One more than requested shows whether there is another page.
        let found = try await rows { account in account.entries(query, limit: query.limit + 1) }
        let operations = found.prefix(query.limit).compactMap(\.item.queued)
        return OperationPage(
            operations: operations, next: found.count > query.limit ? operations.last.map(query.cursor) : nil)
    }

    public func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        let found = try await rows { account in account.entries(query, limit: query.limit + 1) }
        let messages = found.prefix(query.limit).compactMap(\.message)
        guard found.count > query.limit else { return MessagePage(messages: messages, next: nil) }
        return MessagePage(messages: messages, next: messages.last?.cursor, following: found[query.limit].message)
    }

    public func nextChannel(after channel: ChannelID?, keeping count: Int) async throws(StoreError) -> RetainedPart? {
        try database.value { $0.current.nextChannel(after: channel, keeping: count) }
    }

    public func counts() async throws(StoreError) -> StoreCounts { try database.value { $0.current.allCounts } }

    public func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        let limit = min(max(1, limit), Limits.pageSizeMax)
        return try await database.read(
            { index in
                let deletions = index.current.deletions
                return deletions.order.descending(before: before, limit: limit).compactMap { deletions.stored[$0] }
            },
            { (found: [DeletionIndex.Entry], reader: RecordReader) throws(StoreError) in
                var actions: [DeleteAction] = []
                for entry in found {
                    // A damaged one tells nothing that could be listed.
                    do throws(StoreError) {
                        if let action = try reader.deletion(entry) { actions.append(action) }
                    } catch {
                        guard case .damaged = error else { throw error }
                    }
                }
                return actions
            })
    }

    public func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try await records { _ in [RecordIndex.Identity(kind: kind, id: id)] }.first
    }

    public func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        let found = try await records { records in
            records.ids(query, limit: query.limit + 1).map { id in
                RecordIndex.Identity(kind: query.list.kind, id: id)
            }
        }
        return RecordListPage(found, of: query)
    }

    public func session() async throws(StoreError) -> Session? { try database.value { $0.common.session } }

    public func outbox() async throws(StoreError) -> OutboxSnapshot {
        try await database.read(
            { index in OutboxParts(index) },
            { (parts: OutboxParts, reader: RecordReader) throws(StoreError) in
                try parts.snapshot { entry throws(StoreError) in try reader.fields(of: entry) }
            })
    }

    private func rows(
        _ pick: @Sendable (borrowing AccountIndex) -> [ItemTable.Entry]
    ) async throws(StoreError) -> [ItemRow] {
        try await database.read(
            { index in
                PickedItems(entries: pick(index.current), channels: index.current.channels)
            },
            { (items: PickedItems, reader: RecordReader) throws(StoreError) in
                var rows: [ItemRow] = []
                for entry in items.entries {
                    rows.append(try reader.row(of: entry, in: items.channels[Int(entry.channel)]).row)
                }
                return rows
            })
    }

    private func records(
        _ pick: @Sendable (borrowing RecordIndex) -> [RecordIndex.Identity]
    ) async throws(StoreError) -> [StoredRecord] {
        try await database.read(
            { index in
                let records = index.current.records
                return pick(records).compactMap { identity in records[identity].map { (identity, $0) } }
            },
            { (found: [(RecordIndex.Identity, RecordIndex.Entry)], reader: RecordReader) throws(StoreError) in
                var records: [StoredRecord] = []
                for (identity, entry) in found { records.append(try reader.record(identity, entry)) }
                return records
            })
    }
}

/// The items of a query's result, and the names of their channels.
private struct PickedItems: Sendable {
    var entries: [ItemTable.Entry]
    var channels: [ChannelID]
}

extension AccountIndex {
    /// The entries of the items with these ids, in the given order.
    fileprivate func entries(_ ids: [MessageID]) -> [ItemTable.Entry] {
        ids.compactMap { items.slot(of: $0.value) }.map { items[$0] }
    }
}
