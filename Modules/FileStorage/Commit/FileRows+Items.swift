import CausewayModels
import CausewayStorage
import Foundation

/// The messages and the operations.
extension FileRows {
    func item(_ id: OperationID) throws(StoreError) -> ItemRow? { try fileRow(id)?.row }

    private func fileRow(_ id: OperationID) throws(StoreError) -> FileRow? {
        if let cached = cache[id] { return cached }
        guard let slot = index.current.items.slot(of: id.value) else { return nil }
        return try read(index.current.items[slot], in: accountNumber)
    }

    /// Reads an item, from the frames of this transaction or from the journal; what stands in for it if it is damaged,
    /// or has another item in its place.
    private func read(_ entry: ItemTable.Entry, in account: Int) throws(StoreError) -> FileRow {
        do throws(StoreError) {
            let found = try read(entry.location)
            if found.row.item.id.value == entry.id { return found }
        } catch {
            guard case .damaged = error else { throw error }
        }
        return reader.standIn(for: entry, in: index.accounts[account].channels[Int(entry.channel)])
    }

    private func read(_ location: RecordLocation) throws(StoreError) -> FileRow {
        let fields = try read(at: location)
        if let place = fields.contentAt, let body = buffer.body(at: place) {
            guard let content = try decode(body, at: place).content else {
                throw reader.damage(place, "a record has no content")
            }
            do throws(FieldReader.Malformed) {
                return FileRow(row: ItemRow(item: try fields.item(content), bytes: fields.contentBytes), content: place)
            } catch {
                throw reader.damage(location, error.detail)
            }
        }
        return try reader.row(fields, at: location)
    }

    func fields(of entry: ItemTable.Entry) throws(StoreError) -> ItemFields? {
        guard let body = buffer.body(at: entry.location) else { return try reader.fields(of: entry) }
        return try decode(body, at: entry.location)
    }

    private func read(at location: RecordLocation) throws(StoreError) -> ItemFields {
        guard let body = buffer.body(at: location) else { return try reader.fields(at: location) }
        return try decode(body, at: location)
    }

    private func decode(_ body: Range<Int>, at location: RecordLocation) throws(StoreError) -> ItemFields {
        do throws(FieldReader.Malformed) {
            return try ItemFields(FieldReader(buffer.bytes, in: body.lowerBound + 1..<body.upperBound))
        } catch {
            throw reader.damage(location, error.detail)
        }
    }

    private func rows(_ slots: some Sequence<ItemTable.Slot>) throws(StoreError) -> [ItemRow] {
        var rows: [ItemRow] = []
        for slot in slots {
            let entry = index.current.items[slot]
            if let row = cache[MessageID(entry.id)]?.row {
                rows.append(row)
            } else {
                rows.append(try read(entry, in: accountNumber).row)
            }
        }
        return rows
    }

    private func dependants(of id: MessageID) -> [ItemTable.Slot] {
        index.current.dependants[id]?.ascending(after: nil, limit: .max).map(\.slot) ?? []
    }

    func operations(on id: MessageID) throws(StoreError) -> [QueuedOperation] {
        if index.current.operationCount == 0 { return [] }
        let slots = dependants(of: id).filter { index.current.items[$0].isOperation }
        return try rows(slots).compactMap(\.item.operation)
    }

    func parked(for id: MessageID) throws(StoreError) -> [ItemRow] {
        try rows(dependants(of: id).filter { index.current.items[$0].isParked })
    }

    func mayBeReferenced(_ id: MessageID) -> Bool { index.current.dependants[id] != nil }

    func pendingItem(at sequence: Int64) throws(StoreError) -> ItemRow? {
        guard let slot = index.current.pending[sequence] else { return nil }
        return try rows([slot]).first
    }

    func page(of part: ItemPart, after key: Int64) throws(StoreError) -> [ItemRow] {
        try rows(slots(of: part, after: key))
    }

    private func slots(of part: ItemPart, after key: Int64) -> [ItemTable.Slot] {
        let current = index.current
        let limit = FileLimits.rowsReadMax
        switch part {
        case .pending: return current.all.undelivered.slots(after: key, limit) { current.items[$0].isPending }
        case .failed: return current.all.failed.slots(after: key, limit) { _ in true }
        case .pausing:
            return current.all.failed.slots(after: key, limit) { slot in
                current.items[slot].flags & ItemTable.Entry.pauses != 0 && !current.items[slot].isOperation
            }
        case .synced: return syncedWalk.slots(of: current.items, after: key, limit: limit)
        case .underWay(let state):
            return current.pendingSequences(state).ascending(after: key, limit: limit)
                .compactMap { current.pending[$0] }
        }
    }

    // MARK: Writing

    mutating func insert(_ item: StoredItem, content: Data) throws(StoreError) {
        if index.current.items.slot(of: item.id.value) != nil { throw .duplicate(item.id) }
        try put(item, .inline(content), bytes: content.count)
    }

    mutating func update(_ old: ItemRow, to item: StoredItem, content: Data?) throws(StoreError) -> Int {
        guard item.sentContent == old.item.sentContent else {
            var coded = content
            if coded == nil { coded = try ContentCoding.encode(item.sentContent) }
            let new = coded ?? Data()
            try put(item, .inline(new), bytes: new.count)
            return new.count
        }
        // Content that cannot be read is left where it is.
        let isLeft = old.bytes > FileLimits.repeatedContentBytesMax || item.sentContent == .unreadable
        if isLeft, let place = try fileRow(item.id)?.content,
            place.file >= oldestKept
        {
            try put(item, .at(place), bytes: old.bytes)
        } else {
            try put(item, .inline(try ContentCoding.encode(item.sentContent)), bytes: old.bytes)
        }
        return old.bytes
    }

    private mutating func put(
        _ item: StoredItem, _ content: ItemCoding.Content, bytes: Int
    ) throws(StoreError) {
        let location = try put(item, content, bytes: bytes, in: accountNumber)
        var place = location
        if case .at(let found) = content { place = found }
        cache.remember(FileRow(row: ItemRow(item: item, bytes: bytes), content: place))
    }

    private mutating func put(
        _ item: StoredItem, _ content: ItemCoding.Content, bytes: Int, in account: Int
    ) throws(StoreError) -> RecordLocation {
        let parts = try ItemCoding.CodedParts(item)
        let location = try buffer.append(.item) { target in
            ItemCoding.write(item, account, parts, content, contentBytes: bytes, to: &target)
        }
        apply(.item(account: account, item.id, ItemEntry(item, bytes: bytes, at: location)))
        return location
    }

    /// Writes an item again as it is, with its content, for compaction.
    mutating func move(_ entry: ItemTable.Entry, in account: Int) throws(StoreError) {
        let row = try read(entry, in: account).row
        let content = try ContentCoding.encode(row.item.sentContent)
        _ = try put(row.item, .inline(content), bytes: row.bytes, in: account)
        cache.forget(row.item.id)
    }

    mutating func remove(_ old: ItemRow) throws(StoreError) { try remove(old.item.id) }

    mutating func remove(_ id: OperationID) throws(StoreError) {
        let account = accountNumber
        _ = try buffer.append(.itemRemoval) { bytes in
            bytes.append(1, Int64(account))
            bytes.append(2, id.value)
        }
        apply(.item(account: account, id, nil))
        cache.forget(id)
    }
}

extension SortedKeys<AccountIndex.Place> {
    /// The first slots after an ordinal for which a condition holds.
    func slots(after ordinal: Int64, _ limit: Int, where condition: (ItemTable.Slot) -> Bool) -> [ItemTable.Slot] {
        var found: [ItemTable.Slot] = []
        var after: AccountIndex.Place? = AccountIndex.Place(ordinal: ordinal, slot: 0)
        while found.count < limit {
            let places = ascending(after: after, limit: limit)
            found += places.lazy.map(\.slot).filter(condition).prefix(limit - found.count)
            if places.count < limit { break }
            after = places.last
        }
        return found
    }
}

/// The `synced` items of an account in the order of their arrival, which the index does not keep: sorted when a walk
/// begins. Such a walk is rare: the server has lost data.
final class SyncedWalk {
    private var places: [AccountIndex.Place] = []

    /// The next slots; a walk begins with the lowest key.
    func slots(of items: ItemTable, after key: Int64, limit: Int) -> [ItemTable.Slot] {
        if key == .min {
            places = (0..<ItemTable.Slot(items.slotCount)).filter { slot in
                !items[slot].isFree && items[slot].state == .synced && !items[slot].isOperation
            }.map { AccountIndex.Place(ordinal: items[$0].ordinal, slot: $0) }.sorted()
        }
        let start = places.partitioningIndex(after: key)
        var found: [ItemTable.Slot] = []
        for place in places[start...] {
            if found.count == limit { break }
            let entry = items[place.slot]
            if !entry.isFree, entry.ordinal == place.ordinal, entry.state == .synced { found.append(place.slot) }
        }
        return found
    }
}

extension [AccountIndex.Place] {
    /// The index of the first place with a higher ordinal.
    fileprivate func partitioningIndex(after ordinal: Int64) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].ordinal <= ordinal { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
