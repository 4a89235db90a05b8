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

    /// Asks for everything that changed since the server was asked for what `reach` covers, and merges it into the
    /// store in one commit.
    ///
    /// - Returns: what is covered now, no less than before; `nil` when pages must be asked for instead.
    func loadChanges(since reach: LiveReach<Key>) async throws -> LiveReach<Key>?

    /// True for the key of a record that the server has placed. Those that it has not sort behind all others.
    func isPlaced(_ key: Key) -> Bool

    /// How many records the server can have placed behind `newest`, up to and with `key`, which lies behind it.
    func placedCount(after newest: Key, through key: Key) -> Int
}

extension LiveRemote {
    package func loadChanges(since reach: LiveReach<Key>) async throws -> LiveReach<Key>? { nil }
    package func isPlaced(_ key: Key) -> Bool { false }
    package func placedCount(after newest: Key, through key: Key) -> Int { 0 }
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
    /// Where it is open towards the newest records: up to where those were known when the server was asked. `nil` when
    /// it did not say.
    package var newest: Key?
    /// Where asking for changes goes on; opaque. `nil` when the server cannot be asked for them.
    package var cursor: String?

    package init(start: Key? = nil, end: Key? = nil, newest: Key? = nil, cursor: String? = nil) {
        self.start = start
        self.end = end
        self.newest = newest
        self.cursor = cursor
    }
}

/// Why an answer of the server was not taken.
package enum LiveRemoteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It says that there is more, and leads nowhere.
    case noProgress

    package var description: String {
        "the server reports more records and returns none of them; the list is asked for again later"
    }
}
