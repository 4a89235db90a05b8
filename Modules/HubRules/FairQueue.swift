import DequeModule

/// A queue that takes turns between keys and keeps the order within one.
///
/// A key that queues much delays itself: every other key's next element comes after at most one of it.
package struct FairQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private var waiting: [Key: Deque<Element>] = [:]
    /// Each key that waits, once; the first one is next.
    private var turns: Deque<Key> = []
    /// Elements of all keys.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// Elements of one key.
    package func count(of key: Key) -> Int { waiting[key]?.count ?? 0 }

    package mutating func append(_ element: Element, of key: Key) {
        if waiting[key] == nil { turns.append(key) }
        waiting[key, default: []].append(element)
        count += 1
    }

    /// The element that ``popFirst()`` returns next.
    package var first: Element? { turns.first.flatMap { waiting[$0]?.first } }

    /// The next element; its key goes behind all others. O(1).
    package mutating func popFirst() -> Element? {
        // Changed where it lies: a copy would cost the whole line of its key.
        guard let key = turns.popFirst(), let element = waiting[key]?.popFirst() else { return nil }
        if waiting[key]?.isEmpty == true { waiting[key] = nil } else { turns.append(key) }
        count -= 1
        return element
    }
}
