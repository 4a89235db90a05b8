/// One end of a window: a window is a range of keys, so that a new record in it pushes no other one out.
enum WindowEdge<Key: Hashable & Sendable>: Sendable, Equatable {
    /// The window reaches to the end of the order: what comes there belongs to it.
    case open
    /// The window reaches to `at`, inclusive. `beyond` is the record that lies next outside: that there is one is what
    /// `hasNext` says. It is `nil` when the one that was known has gone, and the store must be asked.
    case bounded(at: Key, beyond: Key?)
    /// The window reaches to `at`, inclusive, as far as the server has told everything. It has more: what the store
    /// has there may have holes and is not shown before the server was asked for it.
    case limited(at: Key)

    var isOpen: Bool { self == .open }

    /// True when the store has more.
    var isBounded: Bool {
        if case .bounded = self { return true }
        return false
    }

    /// True when the server has more.
    var isLimited: Bool {
        if case .limited = self { return true }
        return false
    }

    /// Where the window ends; `nil` when it is open.
    var key: Key? {
        switch self {
        case .open: nil
        case .bounded(let at, _), .limited(let at): at
        }
    }

    /// True when the store must be asked whether anything lies outside.
    var isUnknown: Bool {
        if case .bounded(_, nil) = self { return true }
        return false
    }
}

/// The two ends of a window, as it is shown.
enum WindowSide: Sendable, Hashable { case start, end }
