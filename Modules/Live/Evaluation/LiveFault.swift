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

    /// True for what only a window with a server can do wrong.
    package var isOfServer: Bool { self == .leavesHoles || self == .staysFresh || self == .neverRefreshes }
}
