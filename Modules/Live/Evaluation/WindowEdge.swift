/// One end of a window: a window is a range of keys, so that a new record in it pushes no other one out.
enum WindowEdge<Key: Hashable & Sendable>: Sendable, Equatable {
    /// The window reaches to the end of the order: what comes there belongs to it.
    case open
    /// The window reaches to `at`, inclusive. `beyond` is the record that lies next outside: that there is one is what
    /// `hasNext` says. It is `nil` when the one that was known has gone, and the store must be asked.
    case bounded(at: Key, beyond: Key?)

    var isOpen: Bool { self == .open }

    /// True when the store must be asked whether anything lies outside.
    var isUnknown: Bool {
        if case .bounded(_, nil) = self { return true }
        return false
    }
}
