/// The server's part of a query: asks for pages of it, and puts what comes into the store.
///
/// What an implementation promises: what it stored has been told by the store's feed when ``load(_:)`` returns, and a
/// call ends soon after its task was cancelled. It remembers nothing between two calls: how far the server was asked is
/// the window's to know.
package protocol LiveRemote<Key>: Sendable {
    associatedtype Key: Comparable & Hashable & Sendable

    /// Asks for a page and merges it into the store.
    ///
    /// - Returns: how far everything is known now.
    func load(_ page: LiveRemotePage<Key>) async throws -> LiveReach<Key>
}

/// A page to ask the server for, as the collection shows it.
package enum LiveRemotePage<Key: Hashable & Sendable>: Sendable, Hashable {
    /// The one at the query's anchor.
    case first
    /// One behind this key, of so many records.
    case next(Key, count: Int)
    /// One before this key, of so many records.
    case previous(Key, count: Int)
}

/// The part of a query's result of which the server has told everything, as the collection shows it: what is stored
/// here beyond it may have holes.
///
/// The answer to ``LiveRemotePage/next(_:count:)`` says only where it ends now, the one to
/// ``LiveRemotePage/previous(_:count:)`` only where it starts.
package struct LiveReach<Key: Hashable & Sendable>: Sendable, Hashable {
    /// Where it starts, inclusive; `nil` when the server has nothing before it.
    package var start: Key?
    /// Where it ends, inclusive; `nil` when the server has nothing behind it.
    package var end: Key?

    package init(start: Key? = nil, end: Key? = nil) {
        self.start = start
        self.end = end
    }
}
