import DequeModule

/// A queue that takes turns between keys and keeps the order within each.
///
/// A key that queues much delays only itself: the next element of every other key comes after at most one of it.
package struct FairQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private var waiting: [Key: Deque<Element>] = [:]
    /// Each waiting key, once; the first one is next.
    private var turns: Deque<Key> = []
    /// The number of elements of all keys.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The number of elements of one key.
    package func count(of key: Key) -> Int { waiting[key]?.count ?? 0 }

    package mutating func append(_ element: Element, of key: Key) {
        if waiting[key] == nil { turns.append(key) }
        waiting[key, default: []].append(element)
        count += 1
    }

    /// The element that ``popFirst()`` returns next.
    package var first: Element? { turns.first.flatMap { waiting[$0]?.first } }

    /// Removes and returns the next element; its key moves behind all others. O(1).
    package mutating func popFirst() -> Element? {
        // Modified in place: a copy would cost the whole queue of its key.
        guard let key = turns.popFirst(), let element = waiting[key]?.popFirst() else { return nil }
        if waiting[key]?.isEmpty == true { waiting[key] = nil } else { turns.append(key) }
        count -= 1
        return element
    }
}
