/// A set of keys in ascending order, in chunks: a lookup is a binary search, an insertion moves one chunk.
///
/// Optimised for keys that mostly arrive at the end.
package struct SortedKeys<Key: Comparable & Sendable>: Sendable {
    private static var chunkKeysMax: Int { 512 }

    /// No chunk is empty; all keys of one chunk are below all keys of the next.
    private var chunks: [[Key]] = []

    package init() {}

    package var isEmpty: Bool { chunks.isEmpty }
    package var first: Key? { chunks.first?.first }

    package mutating func insert(_ key: Key) {
        guard !chunks.isEmpty else {
            chunks.append([key])
            return
        }
        let chunk = min(chunkIndex(of: key), chunks.count - 1)
        let place = Self.lowerBound(of: key, in: chunks[chunk])
        if place < chunks[chunk].count, chunks[chunk][place] == key { return }
        chunks[chunk].insert(key, at: place)
        guard chunks[chunk].count > Self.chunkKeysMax else { return }
        // A full last chunk stays full, so that appending leaves no half-empty chunks behind.
        let isAppend = chunk == chunks.count - 1 && place == Self.chunkKeysMax
        let cut = isAppend ? Self.chunkKeysMax : Self.chunkKeysMax / 2
        let tail = Array(chunks[chunk][cut...])
        chunks[chunk].removeSubrange(cut...)
        chunks.insert(tail, at: chunk + 1)
    }

    package mutating func remove(_ key: Key) {
        let chunk = chunkIndex(of: key)
        guard chunk < chunks.count else { return }
        let place = Self.lowerBound(of: key, in: chunks[chunk])
        guard place < chunks[chunk].count, chunks[chunk][place] == key else { return }
        chunks[chunk].remove(at: place)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// Up to `limit` keys above `key`, ascending; from the first if `nil`.
    package func ascending(after key: Key?, limit: Int) -> [Key] {
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
    package func descending(before key: Key?, limit: Int) -> [Key] {
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
    private func chunkIndex(of key: Key) -> Int {
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if let last = chunks[middle].last, last < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func lowerBound(of key: Key, in keys: [Key]) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
