/// The messages of a channel in its order, as slots of the ``ItemTable``: four bytes each, in chunks.
///
/// The keys stay in the table, so every call gets the table; a slot must be removed before its key
/// changes.
struct ChannelOrder {
    /// A position in a channel's order.
    struct Key: Comparable {
        var position: Int64
        var ordinal: Int64

        static func < (left: Key, right: Key) -> Bool {
            (left.position, left.ordinal) < (right.position, right.ordinal)
        }
    }

    private static let chunkSlotsMax = 512

    /// No chunk is empty; all keys of one chunk are below all keys of the next.
    private var chunks: [[ItemTable.Slot]] = []

    /// The memory that the order occupies, room for growth included.
    var bytesCount: Int { chunks.reduce(chunks.capacity * 8) { $0 + $1.capacity * 4 } }

    var isEmpty: Bool { chunks.isEmpty }

    mutating func insert(_ slot: ItemTable.Slot, _ items: ItemTable) {
        let wanted = items.orderKey(slot)
        guard let last = chunks.last?.last, !(items.orderKey(last) < wanted) else { return append(slot) }
        let chunk = firstChunk(notBelow: wanted, items)
        let place = Self.lowerBound(of: wanted, in: chunks[chunk], items)
        chunks[chunk].insert(slot, at: place)
        guard chunks[chunk].count > Self.chunkSlotsMax else { return }
        let tail = Array(chunks[chunk][(Self.chunkSlotsMax / 2)...])
        chunks[chunk] = Array(chunks[chunk][..<(Self.chunkSlotsMax / 2)])
        chunks.insert(tail, at: chunk + 1)
    }

    /// A full last chunk stays full, so that appending leaves no half-empty chunks behind.
    private mutating func append(_ slot: ItemTable.Slot) {
        let chunk = chunks.count - 1
        if chunk >= 0, chunks[chunk].count < Self.chunkSlotsMax {
            chunks[chunk].append(slot)
        } else {
            chunks.append([slot])
        }
    }

    mutating func remove(_ slot: ItemTable.Slot, _ items: ItemTable) {
        let wanted = items.orderKey(slot)
        let chunk = firstChunk(notBelow: wanted, items)
        guard chunk < chunks.count else { return }
        let place = Self.lowerBound(of: wanted, in: chunks[chunk], items)
        guard place < chunks[chunk].count, chunks[chunk][place] == slot else { return }
        chunks[chunk].remove(at: place)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// Up to `limit` slots with keys above `after`, ascending.
    func ascending(after: Key?, limit: Int, _ items: ItemTable) -> [ItemTable.Slot] {
        var found: [ItemTable.Slot] = []
        var chunk = after.map { firstChunk(notBelow: $0, items) } ?? 0
        while chunk < chunks.count, found.count < limit {
            let slots = chunks[chunk]
            var place = after.map { Self.lowerBound(of: $0, in: slots, items) } ?? 0
            if let after, place < slots.count, items.orderKey(slots[place]) == after { place += 1 }
            found.append(contentsOf: slots[place...].prefix(limit - found.count))
            chunk += 1
        }
        return found
    }

    /// Up to `limit` slots with keys below `before`, descending.
    func descending(before: Key?, limit: Int, _ items: ItemTable) -> [ItemTable.Slot] {
        var found: [ItemTable.Slot] = []
        var chunk = min(before.map { firstChunk(notBelow: $0, items) } ?? chunks.count, chunks.count - 1)
        while chunk >= 0, found.count < limit {
            let slots = chunks[chunk]
            let end = before.map { Self.lowerBound(of: $0, in: slots, items) } ?? slots.count
            found.append(contentsOf: slots[..<end].reversed().prefix(limit - found.count))
            chunk -= 1
        }
        return found
    }

    /// The slot that `count` others follow below `before`; `nil` if there are not as many. Cost: linear in the chunks.
    func slot(before: Key, skipping count: Int, _ items: ItemTable) -> ItemTable.Slot? {
        guard !chunks.isEmpty else { return nil }
        var chunk = min(firstChunk(notBelow: before, items), chunks.count - 1)
        var end = Self.lowerBound(of: before, in: chunks[chunk], items)
        var rest = count
        while rest >= end {
            rest -= end
            chunk -= 1
            guard chunk >= 0 else { return nil }
            end = chunks[chunk].count
        }
        return chunks[chunk][end - 1 - rest]
    }

    private func firstChunk(notBelow wanted: Key, _ items: ItemTable) -> Int {
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if let last = chunks[middle].last, items.orderKey(last) < wanted { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func lowerBound(
        of wanted: Key, in slots: [ItemTable.Slot], _ items: ItemTable
    ) -> Int {
        var low = 0
        var high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if items.orderKey(slots[middle]) < wanted { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ItemTable {
    /// The position of a message in its channel's order.
    func orderKey(_ slot: Slot) -> ChannelOrder.Key {
        let entry = self[slot]
        return ChannelOrder.Key(position: entry.position, ordinal: entry.ordinal)
    }
}
