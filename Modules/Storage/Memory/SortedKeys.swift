/// A set of keys in ascending order, in chunks: a lookup is a binary search, an insertion moves one chunk.
///
/// Optimised for keys that mostly arrive at the end. Inlinable, because stores call it with keys of their own several
/// times for each message: generic code of another module is not specialised otherwise, and its functions are inlinable
/// only if the type is usable from inlined code.
@usableFromInline
package struct SortedKeys<Key: Comparable & Sendable>: Sendable {
    @usableFromInline static var chunkKeysMax: Int { 512 }

    /// No chunk is empty; all keys of one chunk are below all keys of the next.
    @usableFromInline var chunks: [[Key]] = []

    @inlinable package init() {}

    /// The memory of the keys, room for growth included.
    package var bytesCount: Int {
        chunks.reduce(chunks.capacity * MemoryLayout<[Key]>.stride) { $0 + $1.capacity * MemoryLayout<Key>.stride }
    }

    @inlinable package var isEmpty: Bool { chunks.isEmpty }
    @inlinable package var first: Key? { chunks.first?.first }

    @inlinable package mutating func insert(_ key: Key) {
        guard let last = chunks.last?.last else {
            chunks.append([key])
            return
        }
        if last < key { return append(key) }
        let chunk = chunkIndex(of: key)
        let place = Self.lowerBound(of: key, in: chunks[chunk])
        if chunks[chunk][place] == key { return }
        chunks[chunk].insert(key, at: place)
        guard chunks[chunk].count > Self.chunkKeysMax else { return }
        let tail = Array(chunks[chunk][(Self.chunkKeysMax / 2)...])
        chunks[chunk].removeSubrange((Self.chunkKeysMax / 2)...)
        chunks.insert(tail, at: chunk + 1)
    }

    /// A full last chunk stays full, so that appending leaves no half-empty chunks behind.
    @inlinable mutating func append(_ key: Key) {
        let chunk = chunks.count - 1
        if chunks[chunk].count < Self.chunkKeysMax {
            chunks[chunk].append(key)
        } else {
            chunks.append([key])
        }
    }

    @inlinable package mutating func remove(_ key: Key) {
        let chunk = chunkIndex(of: key)
        guard chunk < chunks.count else { return }
        let place = Self.lowerBound(of: key, in: chunks[chunk])
        guard place < chunks[chunk].count, chunks[chunk][place] == key else { return }
        chunks[chunk].remove(at: place)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// Up to `limit` keys above `key`, ascending; from the first if `nil`.
    @inlinable package func ascending(after key: Key?, limit: Int) -> [Key] {
        var found: [Key] = []
        var chunk = key.map(chunkIndex(of:)) ?? 0
        while chunk < chunks.count, found.count < limit {
            let keys = chunks[chunk]
            var place = key.map { Self.lowerBound(of: $0, in: keys) } ?? 0
            if let key, place < keys.count, keys[place] == key { place += 1 }
            found.append(contentsOf: keys[place...].prefix(limit - found.count))
            chunk += 1
        }
        return found
    }

    /// Up to `limit` keys below `key`, descending; from the last if `nil`.
    @inlinable package func descending(before key: Key?, limit: Int) -> [Key] {
        var found: [Key] = []
        var chunk = min(key.map(chunkIndex(of:)) ?? chunks.count, chunks.count - 1)
        while chunk >= 0, found.count < limit {
            let keys = chunks[chunk]
            let end = key.map { Self.lowerBound(of: $0, in: keys) } ?? keys.count
            found.append(contentsOf: keys[..<end].reversed().prefix(limit - found.count))
            chunk -= 1
        }
        return found
    }

    /// The first chunk whose last key is not below `key`; the number of chunks if there is none.
    @inlinable func chunkIndex(of key: Key) -> Int {
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if let last = chunks[middle].last, last < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    @inlinable static func lowerBound(of key: Key, in keys: [Key]) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
