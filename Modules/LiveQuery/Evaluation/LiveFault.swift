/// A fault that tests plant to show that the suite detects it. Routers outside of tests have none.
package enum LiveFault: Sendable, CaseIterable {
    /// A record next to a window's edge is removed, and the window still reports that there is a next page.
    case missesEdge
    /// A commit that reports a reset does not change the displayed records.
    case losesReset
    /// The move of a record is not reported.
    case forgetsMove
    /// Data that was read is displayed before the feed has caught up with the store.
    case showsTooEarly
    /// Commits that the feed reports while the store is read are lost.
    case readsBeforeRegistering
    /// A slow reader gets only the last of its changes.
    case keepsOnlyTheLastChange
    /// The lists of one frame are delivered one by one.
    case tearsFrames
    /// A window that loses rows is not filled again.
    case neverRefills
    /// Commits beyond the inbox's limit are dropped without a reset.
    case dropsInSilence
    /// Stored records beyond the server's range are displayed as its neighbours.
    case leavesHoles
    /// Data of the previous session remain fresh in another session.
    case staysFresh
    /// A request that could not be made is never repeated.
    case neverRefreshes
    /// A window that could not be read is never read again.
    case neverReadsAgain
    /// Records of the previous account remain in a list that could not be read since another one logged in.
    case keepsFormerAccount
    /// The response to an abandoned request counts as one to the request after it.
    case takesLateAnswer
    /// Records that arrive by themselves, with a gap of unrequested ones before them, count as contiguous.
    case losesGap
    /// A page that is requested later counts as if all pages before it had been read with it.
    case takesNewerCursor
    /// A refresh ends with its first page, and the rest counts as refreshed.
    case stopsRefreshEarly
    /// A response with too many changes is taken for one with none.
    case takesTooMuchForNothing

    /// True for a fault that only a window with a server can have.
    package var isOfServer: Bool {
        switch self {
        case .leavesHoles, .staysFresh, .neverRefreshes, .losesGap, .takesNewerCursor, .stopsRefreshEarly,
            .takesTooMuchForNothing, .keepsFormerAccount, .takesLateAnswer:
            true
        default: false
        }
    }
}
