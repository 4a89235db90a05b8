import DequeModule

/// The files of a cache of downloads, in the order of their last use: decides which ones go. Pure.
///
/// Each use is appended to a queue; the earlier ones of the same file are left out when they are reached, or when most
/// of the queue is of them. So no call looks at all files, but for one in as many uses as there are files.
package struct ReceivedIndex: Sendable {
    private struct Entry {
        var size: Int64
        var lastUse: Int
        /// Neither complete nor to be removed.
        var isUnderWay = false
    }

    private struct Use {
        var name: String
        var number: Int
    }

    /// Uses that the queue may have beyond twice the number of files.
    private static let usesSpare = 64

    private var entries: [String: Entry] = [:]
    private var uses: Deque<Use> = []
    private var lastUse = 0
    /// Those of ``bytes`` that are reserved by files under way.
    private var bytesUnderWay: Int64 = 0

    package init() {}

    /// Bytes of all files; those under way count with their whole size.
    package private(set) var bytes: Int64 = 0

    /// Adds a file that was found, used later than those before it.
    package mutating func insert(_ name: String, size: Int64) {
        remove(name)
        bytes += size
        let use = nextUse(of: name)
        entries[name] = Entry(size: size, lastUse: use)
    }

    /// Whether there is such a file; counts as a use of it.
    package mutating func use(_ name: String) -> Bool {
        guard entries[name] != nil else { return false }
        let use = nextUse(of: name)
        entries[name]?.lastUse = use
        return true
    }

    /// Reserves room for a file that is under way.
    ///
    /// - Returns: the files to remove for it, which are no longer here; `nil` if it cannot fit: nothing has changed.
    /// - Complexity: O(files that are removed), amortized.
    package mutating func begin(_ name: String, size: Int64, bytesMax: Int64) -> [String]? {
        let fixed = bytesUnderWay - (entries[name].map { $0.isUnderWay ? $0.size : 0 } ?? 0)
        guard size <= bytesMax, fixed <= bytesMax - size else { return nil }
        remove(name)
        var removed: [String] = []
        while bytes > bytesMax - size, let use = uses.popFirst() {
            // A file under way is used again at its end.
            guard isLast(use), entries[use.name]?.isUnderWay == false else { continue }
            remove(use.name)
            removed.append(use.name)
        }
        bytes += size
        bytesUnderWay += size
        entries[name] = Entry(size: size, lastUse: 0, isUnderWay: true)
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
        if entry.isUnderWay { bytesUnderWay -= entry.size }
    }

    private func isLast(_ use: Use) -> Bool { entries[use.name]?.lastUse == use.number }

    private mutating func nextUse(of name: String) -> Int {
        if uses.count > 2 * entries.count + Self.usesSpare { uses = Deque(uses.filter(isLast)) }
        lastUse += 1
        uses.append(Use(name: name, number: lastUse))
        return lastUse
    }
}
