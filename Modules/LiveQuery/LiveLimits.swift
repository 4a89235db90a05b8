import CausewayModels

/// The limits of live objects and collections, with their units in their names.
public enum LiveLimits {
    /// Maximum number of records in one page of a collection.
    public static let pageSizeMax = Limits.pageSizeMax
    /// Maximum number of records that a window requests: another page fails beyond it with
    /// `ClientError.windowFull`.
    public static let windowRecordsMax = 100_000
    /// Records that may arrive in a window beyond the requested number before those farthest from its anchor are
    /// dropped, so that a list that is left open for days remains small.
    static let windowSurplusMax = 1000
    /// Commits that wait to be evaluated; beyond it they are dropped, and every window is read from the store again.
    static let inboxCommitsMax = 8192
    /// Single changes in commits that wait to be evaluated; beyond it as with ``inboxCommitsMax``.
    static let inboxChangesMax = 65_536
    /// Bytes of contents in commits that wait to be evaluated; beyond it as with ``inboxCommitsMax``.
    static let inboxBytesMax = 32 * 1024 * 1024
    /// Changed records that are tracked individually for one reader; beyond it, or beyond the size of its contents, the
    /// old and the new state are compared instead.
    static let pendingRecordsMax = 4096
    /// The number of times that a window is read again before it is displayed although its edges are still moving.
    static let settlingRoundsMax = 16
    /// A pass that begins sooner than this after the last one is hurried.
    static let hurriedPassGap: Duration = .microseconds(250)
    /// After this number of consecutive hurried passes, commits of one ``coalescingInterval`` are merged.
    static let hurriedPassesMax = 8
    static let coalescingInterval: Duration = .milliseconds(2)
    /// With no more commits than this in one ``coalescingInterval``, they are those of writers that wait to see them;
    /// the next ``promptPasses`` passes then have no pause.
    static let coalescedCommitsMin = 4
    static let promptPasses = 256
    /// The time for which frames are held back at most while a response of the server is being stored.
    static let frameHoldMax: Duration = .seconds(1)
    /// The pause before a failed read of the store is retried.
    static let readRetryInterval: Duration = .seconds(1)
    /// New windows that are read in one pass before they are displayed, and before later requests are processed.
    static let newcomersPerPassMax = 64
    /// Concurrent requests to the server, of all windows; the others wait.
    package static let loadsMax = 8
    /// Records in each page of a refresh after the first.
    static let catchUpPageSize = 200
    /// Pages that a refresh requests after the first, until it has covered the displayed range; beyond it the list ends
    /// there, and shows the rest when another page is requested.
    package static let catchUpPagesMax = 10
    /// Stored messages that a query with a filter reads at once, at least.
    static let filteredReadMin = 200
    /// The time after a response of the server during which another window of the same query need not ask it.
    package static let freshnessAge: Duration = .seconds(30)
}
