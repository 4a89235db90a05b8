import CausewayModels

/// The progress of loading a window from the server.
///
/// A refresh requests the changes since the server was last asked. If the server does not support that, or too much
/// changed, it requests the first page and then the rest of the records displayed when the refresh began, page by page.
/// The range covered before remains in effect until the refresh has ended: meanwhile the list neither shrinks nor gets
/// a gap. If there are so many new records that the rest cannot be reached, the list ends there.
struct ServerProgress<Key: Comparable & Hashable & Sendable> {
    enum ServerRequest: Sendable, Hashable {
        /// The changes in the whole covered range.
        case changes
        /// The first page.
        case first
        /// A part of the displayed range that was not in the first page.
        case rest(WindowSide)
        /// A page that is not displayed yet.
        case more(WindowSide)
    }

    /// The range that the server has returned completely in this session; `nil` if there is none yet.
    var loadedRange: LoadedRange<Key>?
    /// The corresponding range of a refresh under way.
    var pending: LoadedRange<Key>?
    /// The first and the last key that were displayed when the refresh began: it goes no further than these.
    var goal = LoadedRange<Key>()
    /// The side of the window that the refresh has not reached.
    var restSide: WindowSide?
    /// The number of pages that the refresh may still request, and the number of records in each.
    var restPagesLeft = 0
    var restPageSize = 0
    /// True if the server is to be asked again.
    var isRefreshDue: Bool
    /// True if that became necessary while a request was under way.
    var isRefreshDueAgain = false
    /// True if only pages show what is to be learned, since the changes that the server reports begin later.
    var needsPages = false
    /// True if a failure of the request under way is to be followed by another one.
    var isRetryDue = false
    var underWay: ServerRequest?
    /// The key above all records that were dropped from the store since the request under way was made; `nil` if none
    /// were.
    var prunedBelow: Key?
    /// True if the response to the request under way continues what has been discarded.
    var isResponseVoid = false
    /// The newest record that was displayed when the current request was made: the response covers it.
    var newestWhenAsked: Key?
    /// The newest record that is covered only because it was displayed when the server was asked, and the newest one
    /// that the response lists; `nil` if they are the same.
    var assumption: (newest: Key, listed: Key)?
    /// True if the server has returned everything up to ``loadedRange``.
    var isComplete: Bool
    /// True if records arrived by themselves, and the server may have others before them that were not requested.
    var hasGap = false
    /// True if events that would have kept the data up to date have been missing for long.
    var isOutdated = false
    /// True once a request of this window has succeeded.
    var hasResponded = false
    /// The time of the last successful request.
    var freshSince = MonotonicTime.zero

    /// True if the server has returned everything that is displayed.
    var isFresh: Bool { isComplete && !hasGap && !isOutdated }

    /// True if it is fresh, and the server need not be asked again.
    var isSettled: Bool {
        isFresh && !isRefreshDue && !needsPages && pending == nil && underWay != .first && underWay != .changes
    }

    /// - Parameter isAsked: false for queries that the server does not serve.
    init(isAsked: Bool) {
        isRefreshDue = isAsked
        isComplete = !isAsked
    }

    /// Discards everything that the server returned.
    mutating func forget() {
        loadedRange = nil
        abandonRefresh()
        isRefreshDue = false
        isRefreshDueAgain = false
        needsPages = false
        isRetryDue = false
        underWay = nil
        prunedBelow = nil
        assumption = nil
        isResponseVoid = false
        isComplete = false
        hasGap = false
        isOutdated = false
    }

    /// Ends a refresh without a result: the range covered before is kept.
    mutating func abandonRefresh() {
        pending = nil
        restSide = nil
    }

    /// Requests changes, once more if such a request is under way.
    ///
    /// - Parameter anew: whether pages are to be requested, whatever changes the server could report.
    mutating func askAgain(anew: Bool = false) {
        if anew { needsPages = true }
        if underWay == .first || underWay == .changes {
            isRefreshDueAgain = true
        } else {
            isRefreshDue = true
        }
    }

    /// - Parameters:
    ///   - side: the side at which the window lacks records that only the server has.
    ///   - awaitsGap: true if records that are missing before others will arrive by themselves, or if the last request
    ///     failed: they are then not requested before another trigger.
    func next(lacking side: WindowSide?, awaitsGap: Bool) -> ServerRequest? {
        if underWay != nil { return nil }
        if isRefreshDue { return refreshing }
        if pending != nil, let restSide { return .rest(restSide) }
        if hasGap, !awaitsGap { return refreshing }
        guard loadedRange != nil, let side else { return nil }
        return .more(side)
    }

    private var refreshing: ServerRequest {
        isComplete && loadedRange?.cursor != nil && !needsPages ? .changes : .first
    }
}
