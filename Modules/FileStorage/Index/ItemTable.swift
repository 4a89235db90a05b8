import CausewayModels

/// The index of an account's messages and operations: an entry of 56 bytes for each, found by id.
///
/// Entries live in pages, so that a growing table never copies what it has, and a copy that a snapshot holds costs a
/// later write one page. The hash table consists of parts that grow one at a time. In all that is 56 bytes for the
/// entry, 5 to 11 for the hash table, and 4 to 8 in ``ChannelOrder``.
struct ItemTable {
    /// Numbers an entry; given away again after a removal.
    typealias Slot = UInt32

    struct Entry {
        var id: UUIDv7
        var ordinal: Int64
        /// The position on the server of a `synced` item; otherwise the lane sequence.
        var key: Int64
        /// The file and the offset of its record.
        var place: UInt64
        /// The length of its record.
        var length: UInt32
        /// The size of its coded content.
        var bytes: UInt32
        var channel: UInt32
        var flags: UInt8

        static let stateMask: UInt8 = 7
        static let operation: UInt8 = 8
        static let pauses: UInt8 = 16
        static let related: UInt8 = 32
        static let free: UInt8 = 128

        static let unused = Entry(
            id: UUIDv7(high: 0, low: 0), ordinal: 0, key: 0, place: 0, length: 0, bytes: 0, channel: 0, flags: free)

        var isFree: Bool { flags & Self.free != 0 }
    }

    static let pageEntries = 1024
    private static let partsCount = 256
    private static let none = UInt32.max

    private(set) var pages: [[Entry]] = []
    private(set) var count = 0
    private var freeSlots: [Slot] = []
    /// Open addressing with linear probing; each part is a power of two, at most three quarters full. No parts as long
    /// as there was no entry: each transaction makes an empty index.
    private var parts: [[UInt32]] = []
    private var partCounts: [Int] = []

    /// The number of slots, free ones included.
    var slotCount: Int { pages.isEmpty ? 0 : (pages.count - 1) * Self.pageEntries + (pages.last?.count ?? 0) }

    /// The memory that the table occupies, room for growth included.
    var bytesCount: Int {
        let entries = pages.reduce(0) { $0 + $1.capacity * MemoryLayout<Entry>.stride }
        return entries + parts.reduce(0) { $0 + $1.capacity * 4 } + freeSlots.capacity * 4 + pages.capacity * 8
    }

    subscript(slot: Slot) -> Entry {
        get { pages[Int(slot) / Self.pageEntries][Int(slot) % Self.pageEntries] }
        set { pages[Int(slot) / Self.pageEntries][Int(slot) % Self.pageEntries] = newValue }
    }

    private static func hash(_ id: UUIDv7) -> UInt64 {
        let mixed = (id.low ^ id.high &* 0xC2B2_AE3D_27D4_EB4F) &* 0x9E37_79B9_7F4A_7C15
        return mixed ^ mixed >> 29
    }

    func slot(of id: UUIDv7) -> Slot? {
        let hash = Self.hash(id)
        let part = Int(hash >> 56)
        if parts.isEmpty || parts[part].isEmpty { return nil }
        let mask = parts[part].count - 1
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while parts[part][bucket] != Self.none {
            let slot = parts[part][bucket]
            if self[slot].id == id { return slot }
            bucket = (bucket + 1) & mask
        }
        return nil
    }

    /// Makes room in the hash table for this many entries, so that it need not grow on the way.
    mutating func reserve(_ entries: Int) {
        makeParts()
        for part in parts.indices where parts[part].isEmpty {
            // The parts are not equally full.
            let size = Self.bucketCount(for: entries / Self.partsCount)
            if size > 8 { parts[part] = Array(repeating: Self.none, count: size) }
        }
    }

    /// The size of a part that has room for this many entries.
    private static func bucketCount(for entries: Int) -> Int {
        var size = 8
        while entries > size * 3 / 4 { size *= 2 }
        return size
    }

    private mutating func makeParts() {
        guard parts.isEmpty else { return }
        parts = Array(repeating: [], count: Self.partsCount)
        partCounts = Array(repeating: 0, count: Self.partsCount)
    }

    /// - Precondition: no entry has the id.
    mutating func insert(_ entry: Entry) -> Slot {
        makeParts()
        let slot = store(entry)
        let hash = Self.hash(entry.id)
        let part = Int(hash >> 56)
        growIfFull(part)
        place(slot, hash, in: part)
        partCounts[part] += 1
        return slot
    }

    /// Inserts entries; stops at the first whose id an entry has.
    ///
    /// Cost: that of ``insert(_:)`` without its waits for the memory. A large table is in no cache, so the places that
    /// the ids lead to are first read for all entries: these reads do not wait for each other.
    ///
    /// - Returns: their slots in the same order; `nil` if there is such an id.
    mutating func insert(contentsOf entries: [Entry]) -> [Slot]? {
        makeParts()
        let hashes = entries.map { Self.hash($0.id) }
        let occupants = hashes.map(firstOccupant)
        for (entry, occupant) in zip(entries, occupants) where occupant != Self.none {
            if self[occupant].id == entry.id { return nil }
        }
        var slots: [Slot] = []
        slots.reserveCapacity(entries.count)
        for (entry, hash) in zip(entries, hashes) {
            guard let slot = insertNew(entry, hash) else { return nil }
            slots.append(slot)
        }
        return slots
    }

    private func firstOccupant(_ hash: UInt64) -> Slot {
        let part = Int(hash >> 56)
        return parts[part].isEmpty ? Self.none : parts[part][Int(truncatingIfNeeded: hash) & (parts[part].count - 1)]
    }

    /// - Returns: `nil` if an entry has the id.
    private mutating func insertNew(_ entry: Entry, _ hash: UInt64) -> Slot? {
        let part = Int(hash >> 56)
        growIfFull(part)
        let mask = parts[part].count - 1
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while parts[part][bucket] != Self.none {
            if self[parts[part][bucket]].id == entry.id { return nil }
            bucket = (bucket + 1) & mask
        }
        let slot = store(entry)
        parts[part][bucket] = slot
        partCounts[part] += 1
        return slot
    }

    /// Gives an entry a slot; the hash table does not know it yet.
    private mutating func store(_ entry: Entry) -> Slot {
        count += 1
        if let free = freeSlots.popLast() {
            self[free] = entry
            return free
        }
        let slot = Slot(slotCount)
        if slotCount.isMultiple(of: Self.pageEntries) {
            pages.append([])
            pages[pages.count - 1].reserveCapacity(Self.pageEntries)
        }
        pages[pages.count - 1].append(entry)
        return slot
    }

    mutating func remove(_ slot: Slot) {
        let hash = Self.hash(self[slot].id)
        let part = Int(hash >> 56)
        let mask = parts[part].count - 1
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while parts[part][bucket] != slot { bucket = (bucket + 1) & mask }
        // Moves back what a gap would make unreachable.
        var next = (bucket + 1) & mask
        while parts[part][next] != Self.none {
            let home = Int(truncatingIfNeeded: Self.hash(self[parts[part][next]].id)) & mask
            if (next - home) & mask >= (next - bucket) & mask {
                parts[part][bucket] = parts[part][next]
                bucket = next
            }
            next = (next + 1) & mask
        }
        parts[part][bucket] = Self.none
        partCounts[part] -= 1
        self[slot] = .unused
        freeSlots.append(slot)
        count -= 1
    }

    private mutating func growIfFull(_ part: Int) {
        let size = parts[part].count
        guard partCounts[part] + 1 > size * 3 / 4 else { return }
        let old = parts[part]
        parts[part] = Array(repeating: Self.none, count: max(8, size * 2))
        for slot in old where slot != Self.none { place(slot, Self.hash(self[slot].id), in: part) }
    }

    private mutating func place(_ slot: Slot, _ hash: UInt64, in part: Int) {
        let mask = parts[part].count - 1
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while parts[part][bucket] != Self.none { bucket = (bucket + 1) & mask }
        parts[part][bucket] = slot
    }
}
