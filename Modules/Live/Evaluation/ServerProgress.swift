import CausewayModels

/// How far asking the server for a window has come.
///
/// A refresh asks for the first page, and then for the rest of what is shown beyond it, page by page: so the list has
/// no hole where more came to be on the server than one page holds. Where that is too much the window ends there.
struct ServerProgress<Key: Comparable & Hashable & Sendable> {
    enum Question: Sendable, Hashable {
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
    /// The part of the window that the refresh has not come to.
    var restSide: WindowSide?
    /// Pages that the refresh may still ask for.
    var restPagesLeft = 0
    /// True when the first page is to be asked for.
    var isFirstDue: Bool
    /// True when that came to be while it was being asked for.
    var isFirstDueAgain = false
    var underWay: Question?
    /// True when the server has told everything that is shown.
    var isFresh: Bool
    /// When the server was asked last with success.
    var freshSince = MonotonicTime.zero

    /// - Parameter isAsked: false for what the server has no say in.
    init(isAsked: Bool) {
        isFirstDue = isAsked
        isFresh = !isAsked
    }

    /// What was told holds no more.
    mutating func forget() {
        reach = nil
        pending = nil
        restSide = nil
        isFirstDue = false
        isFirstDueAgain = false
        underWay = nil
        isFresh = false
    }

    /// Asks for the first page, once more when it is being asked for.
    mutating func askAgain() {
        if underWay == .first {
            isFirstDueAgain = true
        } else {
            isFirstDue = true
        }
    }

    /// - Parameter side: where the window lacks what only the server can give.
    func next(lacking side: WindowSide?) -> Question? {
        if underWay != nil { return nil }
        if isFirstDue { return .first }
        if pending != nil, let restSide { return .rest(restSide) }
        guard reach != nil, let side else { return nil }
        return .more(side)
    }
}
