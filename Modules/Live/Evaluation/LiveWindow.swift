import CausewayModels
import CausewayStorage

/// A window, whatever it shows.
protocol LiveWindow: AnyObject {
    var id: Int { get }
    var topic: LiveTopic { get }
    /// True when something of it was handed over.
    var isShown: Bool { get }

    /// Takes in one change of the feed.
    func apply(_ change: RecordChange)
    /// More changed than the feed told.
    func invalidate()
    /// The store may show the records of another account now: without reading it again, nothing is shown of the former.
    func disown()

    var needsReading: Bool { get }
    var hasReadingFailed: Bool { get }
    /// Asks the store for what is needed; changes nothing that is shown.
    func read(from store: any Store) async
    /// Takes over what was read. What the feed brought meanwhile must be applied next.
    func integrate()
    /// How far the feed has come could not be found out: what was read last may be ahead of it.
    func doubt(_ error: StoreError)

    func turn(_ page: LivePageJob)

    /// True when the server is to be asked.
    var wantsLoad: Bool { get }
    /// The next question to the server; it is under way until its end was applied, or ``refresh(isNewSession:)``
    /// called with a new session.
    func beginLoad() -> LiveLoad?
    /// The server may have more than it said: asks again.
    ///
    /// - Parameter isNewSession: true when nothing that it said holds any more.
    func refresh(isNewSession: Bool)
    /// Asks the server again when it could not be asked last time.
    ///
    /// - Returns: true when it does.
    func retryFailed() -> Bool
    /// Takes over what the server has told another window of the same query, when that is not long ago.
    ///
    /// - Returns: false when it has told nothing of use.
    func adoptFreshness(from other: any LiveWindow, at now: MonotonicTime) -> Bool

    /// Freezes what is shown, and returns how it is handed over; `nil` when nothing differs.
    func freeze(at version: Int64) -> (() -> Void)?
    func close()
    /// Hands over that nothing comes any more, and why.
    func end(_ error: any Error) -> () -> Void
}

/// What somebody asks of the pages of a collection.
package enum LivePageJob: Sendable { case next, previous, reset }

/// One question to the server.
struct LiveLoad: Sendable {
    /// Puts it.
    let run: @Sendable () async -> LiveLoadEnd
}

/// What became of a question to the server.
struct LiveLoadEnd: Sendable {
    /// Tells the window that asked.
    let apply: @Sendable (any LiveWindow, MonotonicTime) -> Void
}
