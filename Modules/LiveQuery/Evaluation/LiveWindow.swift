import CausewayModels
import CausewayStorage

/// A window, independent of the type of its records.
protocol LiveWindow: AnyObject {
    var id: Int { get }
    var topic: LiveTopic { get }
    /// True once a frame of it has been published.
    var isShown: Bool { get }

    /// Applies one change of the feed.
    ///
    /// - Parameter isPruning: true if its commit dropped messages that the server has.
    func apply(_ change: RecordChange, isPruning: Bool)
    /// Messages of these channels were dropped up to these positions, although the server has them. Their removals have
    /// been applied.
    ///
    /// - Returns: true if that concerns the window.
    func prune(_ positions: [ChannelID: Int64]) -> Bool
    /// Marks the window for reading again: more changed than the feed reported.
    func invalidate()
    /// Hides the records until they have been read again: the store may show another account now.
    func disown()

    var needsReading: Bool { get }
    var hasReadingFailed: Bool { get }
    /// Reads the required records from the store; does not change the displayed ones.
    func read(from store: any Store) async
    /// Adopts the records that were read. Commits that the feed reported meanwhile must be applied next.
    func integrate()
    /// Invalidates the last read: it may be ahead of the feed, whose progress could not be determined.
    func invalidateRead(_ error: StoreError)

    /// - Parameter result: completed by a closure of ``endedTurns()``.
    func turn(_ page: LivePageJob, _ result: PageResult?)
    /// Closures that report the ends of turns, to be called when the frame that shows them has been published.
    func endedTurns() -> [@Sendable () -> Void]

    /// True if the server is to be asked.
    var wantsLoad: Bool { get }
    /// The next request to the server; it is under way until its result was applied, or ``refresh(_:)``
    /// called for a new session.
    func beginLoad() -> LiveLoad?
    /// Asks the server again, because it may have more than it returned, if the refresh concerns this window.
    func refresh(_ scope: LiveRefresh)
    /// The stream of events has been interrupted for so long that the window's data may be out of date.
    func markOutdated()
    /// The stream of events has brought everything that the server has.
    func caughtUp()
    /// Asks the server again if the last request failed.
    ///
    /// - Returns: true if it does.
    func retryFailed() -> Bool
    /// Adopts data that the server has returned to another window of the same query, if they are recent and not asked
    /// for again.
    ///
    /// - Returns: false if there are none to adopt.
    func adoptFreshness(from other: any LiveWindow, at now: MonotonicTime) -> Bool

    /// Creates an immutable frame of the current state, and returns a closure that publishes it; `nil` if nothing
    /// differs.
    func makeSnapshot(at version: Int64) -> (() -> Void)?
    func close()
    /// Returns a closure that publishes the last frame, with the reason for the end.
    func end(_ error: any Error) -> () -> Void
}

/// A request concerning the pages of a collection.
package enum LivePageJob: Sendable, Hashable {
    case next, previous, reset
    /// Asks the server again for the displayed range.
    case refresh
    /// Repeats the request that failed.
    case retry
}

/// One request to the server.
struct LiveLoad: Sendable {
    /// Sends the request, and holds frames back while its response is being stored.
    let run: @Sendable (FrameHold) async -> LiveLoadEnd
}

/// The result of a request to the server.
struct LiveLoadEnd: Sendable {
    /// Applies the result to the window that made the request.
    let apply: @Sendable (any LiveWindow, MonotonicTime) -> Void
}
