/// One end of a window. A window is a range of keys, so a new record in it pushes no other one out.
enum WindowEdge<Key: Hashable & Sendable>: Sendable, Equatable {
    /// The window extends to the end of the order: new records there belong to it.
    case open
    /// The window extends to `at`, inclusive. `beyond` is the next record outside, whose existence `hasNext` reports.
    /// It is `nil` if the known one has been removed, and the store must be asked.
    case bounded(at: Key, beyond: Key?)
    /// The window extends to `at`, inclusive, as far as the server has returned everything. The server has more: stored
    /// records beyond may have gaps, and are not displayed before the server has been asked for them.
    case limited(at: Key)

    var isOpen: Bool { self == .open }

    /// True if the store has more.
    var isBounded: Bool {
        if case .bounded = self { return true }
        return false
    }

    /// True if the server has more.
    var isLimited: Bool {
        if case .limited = self { return true }
        return false
    }

    /// The end of the window; `nil` if it is open.
    var key: Key? {
        switch self {
        case .open: nil
        case .bounded(let at, _), .limited(let at): at
        }
    }

    /// True if the store must be asked whether there are records outside.
    var isUnknown: Bool {
        if case .bounded(_, nil) = self { return true }
        return false
    }
}

/// The two ends of a window, in display order.
enum WindowSide: Sendable, Hashable { case start, end }
