/// The files of a cache of downloads, in the order of their last use: decides which ones go. Pure.
package struct ReceivedIndex: Sendable, Equatable {
    private struct Entry: Equatable {
        var size: Int64
        var lastUse: Int
        /// Neither complete nor to be removed.
        var isUnderWay = false
    }

    private var entries: [String: Entry] = [:]
    private var uses = 0

    package init() {}

    /// Bytes of all files; those under way count with their whole size.
    package private(set) var bytes: Int64 = 0

    /// Adds a file that was found, used later than those before it.
    package mutating func insert(_ name: String, size: Int64) {
        remove(name)
        uses += 1
        entries[name] = Entry(size: size, lastUse: uses)
        bytes += size
    }

    /// Whether there is such a file; counts as a use of it.
    package mutating func use(_ name: String) -> Bool {
        guard entries[name] != nil else { return false }
        uses += 1
        entries[name]?.lastUse = uses
        return true
    }

    /// Reserves room for a file that is under way.
    ///
    /// - Returns: the files to remove for it, which are no longer here; `nil` if it cannot fit: nothing has changed.
    /// - Complexity: O(files).
    package mutating func begin(_ name: String, size: Int64, bytesMax: Int64) -> [String]? {
        let own = entries[name]?.size ?? 0
        let fixed = entries.filter { $0.key != name && $0.value.isUnderWay }.reduce(0) { $0 + $1.value.size }
        guard size <= bytesMax, fixed <= bytesMax - size else { return nil }
        var removed: [String] = []
        let oldestFirst = entries.filter { $0.key != name && !$0.value.isUnderWay }.sorted {
            $0.value.lastUse < $1.value.lastUse
        }
        for (other, _) in oldestFirst {
            if bytes - own <= bytesMax - size { break }
            remove(other)
            removed.append(other)
        }
        insert(name, size: size)
        entries[name]?.isUnderWay = true
        return removed
    }

    /// The file that was under way has `size` bytes now.
    package mutating func end(_ name: String, size: Int64) { insert(name, size: size) }

    /// Removes all files.
    ///
    /// - Returns: the files to remove, and those under way, which remain.
    package mutating func removeAll() -> (removed: [String], underWay: [String]) {
        let removed = entries.filter { !$0.value.isUnderWay }.map(\.key)
        for name in removed { remove(name) }
        return (removed, Array(entries.keys))
    }

    package mutating func remove(_ name: String) {
        guard let entry = entries.removeValue(forKey: name) else { return }
        bytes -= entry.size
    }
}
