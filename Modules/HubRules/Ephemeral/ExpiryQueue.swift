import CausewayModels
import DequeModule

/// Keys that expire after one lifetime, the same for all; a key that is set again expires later. Free of clocks.
///
/// - Complexity: O(1) for each operation, amortized. It holds at most about twice as many entries as keys.
struct ExpiryQueue<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let key: Key
        let end: MonotonicTime
    }

    /// Entries that a queue may hold beyond twice the number of its keys.
    private static var slackMax: Int { 64 }

    /// By ascending end. An entry whose key has another end by now, or none, is obsolete.
    private var entries: Deque<Entry> = []
    private var ends: [Key: MonotonicTime] = [:]

    /// The entries that it holds, obsolete ones included.
    var count: Int { entries.count }

    /// Lets a key expire at `end`, which must not be before that of any earlier call.
    mutating func set(_ key: Key, end: MonotonicTime) {
        ends[key] = end
        entries.append(Entry(key: key, end: end))
        guard entries.count > 2 * ends.count + Self.slackMax else { return }
        let ends = ends
        entries.removeAll { ends[$0.key] != $0.end }
    }

    /// A key that does not expire any more.
    mutating func remove(_ key: Key) { ends[key] = nil }

    /// Removes and returns the keys that have expired.
    mutating func removeExpired(at now: MonotonicTime) -> [Key] {
        var expired: [Key] = []
        while let first = entries.first, first.end <= now || ends[first.key] != first.end {
            entries.removeFirst()
            guard ends[first.key] == first.end else { continue }
            ends[first.key] = nil
            expired.append(first.key)
        }
        return expired
    }
}
