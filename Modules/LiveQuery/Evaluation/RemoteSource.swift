package import CausewayModels
package import CausewayStorage

/// The server side of a query: requests pages of it, and stores the results.
///
/// Requirements of an implementation: the store's feed has reported everything that it stored when ``load(_:hold:)``
/// returns, and a call ends soon after its task was cancelled. The window keeps track of the loaded range.
package protocol RemoteSource<Key>: Sendable {
    associatedtype Key: Comparable & Hashable & Sendable

    /// Requests a page and merges it into the store.
    ///
    /// - Parameter hold: to be begun immediately before the store is written.
    /// - Returns: the range that is completely known now.
    func load(_ page: RemoteSourcePage<Key>, hold: FrameHold) async throws -> LoadedRange<Key>

    /// Requests all changes since the server was asked for the records that `loadedRange` covers, and merges them into
    /// the store in one commit.
    ///
    /// - Parameter hold: to be begun immediately before the store is written.
    /// - Returns: the range that is covered now, no less than before; `nil` if pages must be requested instead.
    func loadChanges(since loadedRange: LoadedRange<Key>, hold: FrameHold) async throws -> LoadedRange<Key>?

    /// True for the key of a record with a position on the server. Records without one sort after all others.
    func isPlaced(_ key: Key) -> Bool

    /// The maximum number of records on the server after `newest`, up to and including `key`, which follows it.
    func placedCount(after newest: Key, through key: Key) -> Int

    /// The way in which changes on the server arrive by themselves, at the moment.
    var following: RemoteFollowing { get }

    /// True if the server's events have brought every record up to `key` that was not in `loadedRange`, so that none
    /// is missing between.
    func isBrought(through key: Key, after loadedRange: LoadedRange<Key>) -> Bool

    /// True if the query's records belong to one of these channels, or may belong to one.
    func concerns(_ channels: Set<ChannelID>) -> Bool

    /// The key above all records that were dropped from the store although the server has them: messages of these
    /// channels, up to these positions. `nil` if none of them belongs to the query.
    func key(above pruned: [ChannelID: Int64]) -> Key?

    /// Called with every change of the query's topic before it is applied.
    func note(_ change: RecordChange)
}

extension RemoteSource {
    package func loadChanges(
        since loadedRange: LoadedRange<Key>, hold: FrameHold
    ) async throws -> LoadedRange<Key>? { nil }
    package func isPlaced(_ key: Key) -> Bool { false }
    package func placedCount(after newest: Key, through key: Key) -> Int { 0 }
    package var following: RemoteFollowing { .none }
    package func isBrought(through key: Key, after loadedRange: LoadedRange<Key>) -> Bool { false }
    package func concerns(_ channels: Set<ChannelID>) -> Bool { true }
    package func key(above pruned: [ChannelID: Int64]) -> Key? { nil }
    package func note(_ change: RecordChange) {}
}

/// The way in which changes of a query's records arrive from the server.
package enum RemoteFollowing: Sendable, Hashable {
    /// Only with a request.
    case none
    /// By events, as soon as their stream is open again; none will be missing then.
    case interrupted
    /// By events.
    case streaming
}

/// The windows that must ask the server again.
package enum LiveRefresh: Sendable, Hashable {
    /// All: a session began or ended, and data that the server returned in the previous one are not fresh any more.
    case newSession
    /// Those that events do not keep up to date: the server can be reached again.
    case reachable
    /// All: the server may have changed in any way.
    case everything
    /// Those of these channels, and those whose channel is unknown; `anew` if changes since the last request do not
    /// suffice.
    case channels(Set<ChannelID>, anew: Bool = false)
}

/// A page to request from the server, in the order in which the collection shows it.
package enum RemoteSourcePage<Key: Hashable & Sendable>: Sendable, Hashable {
    /// The page at the query's anchor.
    case first
    /// A page after this key, with up to `count` records.
    case next(Key, count: Int)
    /// A page before this key, with up to `count` records.
    case previous(Key, count: Int)
}

/// The part of a query's result that the server has returned completely, in the order in which the collection shows it:
/// stored records beyond it may have gaps.
///
/// The response to ``RemoteSourcePage/next(_:count:)`` contains only the new end, the one to
/// ``RemoteSourcePage/previous(_:count:)`` only the new start.
package struct LoadedRange<Key: Hashable & Sendable>: Sendable, Hashable {
    /// The start, inclusive; `nil` if the server has nothing before it.
    package var start: Key?
    /// The end, inclusive; `nil` if the server has nothing after it.
    package var end: Key?
    /// The newest key that was known when the server was asked, if the range is open towards the newest records. `nil`
    /// if the server did not return it.
    package var newest: Key?
    /// An opaque cursor for requesting changes; `nil` if the server does not support that.
    package var cursor: String?
    /// The generation of the events' guarantees in which the server was asked about the newest records: a number of the
    /// source, for ``RemoteSource/isBrought(through:after:)``.
    package var generation: Int?

    package init(start: Key? = nil, end: Key? = nil, newest: Key? = nil, cursor: String? = nil) {
        self.start = start
        self.end = end
        self.newest = newest
        self.cursor = cursor
    }
}

/// The reason why a response of the server was rejected.
package enum RemoteSourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The response reports more records, and leads to none.
    case noProgress

    package var description: String {
        "the server reports more records but returned none; the list will be requested again later"
    }
}
