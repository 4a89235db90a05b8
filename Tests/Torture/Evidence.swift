import CausewayModels

/// What is known of a run at its end: what the programs said, and what hub and store hold.
struct Evidence: Sendable {
    struct Placed: Sendable, Hashable {
        var id: MessageID
        var line: TortureLine
    }

    /// What was handed to a program, accepted or not.
    var offered: Set<TortureLine> = []
    /// What was said to be taken: its id was printed, or was in an answer of the daemon.
    var accepted: [MessageID: TortureLine] = [:]
    /// What somebody resent, so that it stands behind what was created after it.
    var resent: Set<MessageID> = []
    /// What somebody was shown as synced, at any time.
    var shownSynced: Set<MessageID> = []
    /// What the hub and the store held when nothing was under way any more, before the failed were resent.
    var hubBeforeResend: Set<MessageID> = []
    var storeBeforeResend: [MessageID: SyncState] = [:]
    /// What they hold at the very end; the hub's in its order.
    var hub: [Placed] = []
    var store: [MessageID: SyncState] = [:]
}
