/// A fault that a test plants, to show that the suite finds it. There is none in any other build of a router.
package enum LiveFault: Sendable, CaseIterable {
    /// The record next outside a window goes, and the window goes on saying that there is a next page.
    case missesEdge
    /// A commit that reports a reset changes nothing in what is shown.
    case losesReset
    /// A record that moves is not told to anybody.
    case forgetsMove
    /// What was read is shown before the feed has come as far as the store.
    case showsTooEarly
    /// What the feed brings while the store is read is lost.
    case readsBeforeRegistering
    /// A reader that has not looked gets only the last of its changes.
    case keepsOnlyTheLastChange
    /// The lists of one frame are handed over one by one.
    case tearsFrames
    /// A window that loses rows is not filled again.
    case neverRefills
    /// What has waited past the inbox's limit is dropped in silence.
    case dropsInSilence
    /// What is stored beyond what the server has told is shown as its neighbour.
    case leavesHoles
    /// With another session what the one before was told goes on being fresh.
    case staysFresh
    /// What could not be asked for is never asked for again.
    case neverRefreshes
    /// A window that could not be read is left alone for good.
    case neverReadsAgain
    /// Records of the account before stay in a list that could not be read since another one logged in.
    case keepsFormerAccount
    /// The answer to a question that was given up counts as one to the question after it.
    case takesLateAnswer
    /// Records that come by themselves, with others before them that were not asked for, count as following on.
    case losesGap
    /// A page that is asked for later counts as if all pages before it had been read with it.
    case takesNewerCursor
    /// A refresh is over with its first page, and the rest counts as refreshed.
    case stopsRefreshEarly
    /// Too many changes are taken for none.
    case takesTooMuchForNothing

    /// True for what only a window with a server can do wrong.
    package var isOfServer: Bool {
        switch self {
        case .leavesHoles, .staysFresh, .neverRefreshes, .losesGap, .takesNewerCursor, .stopsRefreshEarly,
            .takesTooMuchForNothing, .keepsFormerAccount, .takesLateAnswer:
            true
        default: false
        }
    }
}
