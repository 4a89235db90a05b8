import CausewayModels

/// The bounds of live objects and collections, with their units in their names.
public enum LiveLimits {
    /// Records in one page of a collection, at the most.
    public static let pageSizeMax = Limits.pageSizeMax
    /// Records that a window asks to hold, at the most: ``LiveCollection/nextPage()`` does nothing past it.
    public static let windowRecordsMax = 100_000
    /// Records that may come into a window beyond what was asked for, before those farthest from its anchor are let go:
    /// a list that is left open for days stays small.
    static let windowSurplusMax = 1000
    /// Commits that wait to be evaluated; past it they are dropped, and every window is read from the store again.
    static let inboxCommitsMax = 8192
    /// Single changes in commits that wait to be evaluated; past it as with ``inboxCommitsMax``.
    static let inboxChangesMax = 65_536
    /// Bytes of contents in commits that wait to be evaluated; past it as with ``inboxCommitsMax``.
    static let inboxBytesMax = 32 * 1024 * 1024
    /// Records that one reader has not looked at and whose changes are still told one by one; past it, or past the
    /// size of what it sees, the two states that it goes from and to are compared instead.
    static let pendingRecordsMax = 4096
    /// Times that a window is read again before it is shown although its edges are still moving.
    static let settlingRoundsMax = 16
    /// A pass that begins sooner than this after the last one is hurried.
    static let hurriedPassGap: Duration = .microseconds(250)
    /// After so many hurried passes in a row, commits of one ``breath`` are merged.
    static let hurriedPassesMax = 8
    static let breath: Duration = .milliseconds(2)
    /// Commits in one ``breath`` that are no more than those of writers who wait to see them; then so many passes come
    /// without one.
    static let breathCommitsMin = 4
    static let promptPasses = 256
    /// The pause before a store is read again that could not be read.
    static let readRetryInterval: Duration = .seconds(1)
    /// New windows that are read before they are shown, and before what was asked for meanwhile is done.
    static let newcomersPerPassMax = 64
    /// Questions to the server under way at a time, of all windows; the others wait.
    package static let loadsMax = 8
    /// Records in one page of a refresh beyond the first.
    static let catchUpPageSize = 200
    /// Pages that a refresh asks for beyond the first, until it has come to all that is shown; past it the list ends
    /// there, and shows the rest when another page is asked for.
    package static let catchUpPagesMax = 10
    /// How long after the server was asked another window of the same query need not ask it.
    package static let freshnessAge: Duration = .seconds(30)
}
