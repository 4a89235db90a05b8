import CausewayModels

/// How far asking the server for a window has come.
///
/// A refresh asks for what changed since the server was asked last. Where the server cannot say, or too much changed,
/// it asks for the first page and then for the rest of what was shown when the refresh began, page by page. What was
/// covered before stays in force until the refresh has ended: the list neither shrinks meanwhile nor gets a hole.
/// Where so much came to be that the rest cannot be reached, the list ends there.
struct ServerProgress<Key: Comparable & Hashable & Sendable> {
    enum Question: Sendable, Hashable {
        /// The changes in all that is covered.
        case changes
        /// The first page.
        case first
        /// A part of what is shown and was not in the first page.
        case rest(WindowSide)
        /// A page that is not shown yet.
        case more(WindowSide)
    }

    /// What the server has told everything of, in this session; `nil` while it has not.
    var reach: LiveReach<Key>?
    /// The same, while a refresh is under way.
    var pending: LiveReach<Key>?
    /// The first and the last key that were shown when the refresh began: it goes no further than these.
    var goal = LiveReach<Key>()
    /// The part of the window that the refresh has not come to.
    var restSide: WindowSide?
    /// Pages that the refresh may still ask for, and of how many records.
    var restPagesLeft = 0
    var restPageSize = 0
    /// True when the server is to be asked again.
    var isRefreshDue: Bool
    /// True when that came to be while it was being asked.
    var isRefreshDueAgain = false
    var underWay: Question?
    /// The newest record that was shown when the question that is under way was put: the answer covers it.
    var newestWhenAsked: Key?
    /// True when the server has told everything up to ``reach``.
    var isComplete: Bool
    /// True when records came by themselves, and the server may have others before them that nobody asked for.
    var hasGap = false
    /// When the server was asked last with success.
    var freshSince = MonotonicTime.zero

    /// True when the server has told everything that is shown.
    var isFresh: Bool { isComplete && !hasGap }

    /// - Parameter isAsked: false for what the server has no say in.
    init(isAsked: Bool) {
        isRefreshDue = isAsked
        isComplete = !isAsked
    }

    /// What was told holds no more.
    mutating func forget() {
        reach = nil
        abandonRefresh()
        isRefreshDue = false
        isRefreshDueAgain = false
        underWay = nil
        isComplete = false
        hasGap = false
    }

    /// A refresh came to nothing: what was covered before stays so.
    mutating func abandonRefresh() {
        pending = nil
        restSide = nil
    }

    /// Asks for what changed, once more when that is being asked for.
    mutating func askAgain() {
        if underWay == .first || underWay == .changes {
            isRefreshDueAgain = true
        } else {
            isRefreshDue = true
        }
    }

    /// - Parameters:
    ///   - side: where the window lacks what only the server can give.
    ///   - isTroubled: true when the last answer was none: what is only missing is not asked for before an occasion.
    func next(lacking side: WindowSide?, isTroubled: Bool) -> Question? {
        if underWay != nil { return nil }
        if isRefreshDue { return refreshing }
        if pending != nil, let restSide { return .rest(restSide) }
        if hasGap, !isTroubled { return refreshing }
        guard reach != nil, let side else { return nil }
        return .more(side)
    }

    private var refreshing: Question { isComplete && reach?.cursor != nil ? .changes : .first }
}
