/// The engine's own bounds.
enum SyncLimits {
    /// The pause before a commit that the store rejected is retried.
    static let storeRetryInterval: Duration = .seconds(1)
    /// Queued operations that are kept in memory until they are sent, and the bytes of their contents.
    static let cachedOperationsMax = 1024
    static let cachedOperationBytesMax = 1 << 19
    /// The number of times that a decision is delayed because new entries have arrived meanwhile.
    static let readsMax = 3
    /// Notices that are kept; the oldest are dropped first.
    static let noticesKeptMax = 8
    /// Messages that wait for each other, up to which the failed one that holds them up is looked for.
    static let waitChainMax = 100
    /// Messages that one bulk step deletes or resends in one commit.
    static let bulkStepMax = 500
    /// The pause before a probe because a page could not be requested.
    static let missedPageProbeInterval: Duration = .seconds(10)
    /// The pause before pages that the server refused are requested again, one request for each list. Nothing announces
    /// that the server would accept them now (a channel was created, a right was granted), so this bounds the time from
    /// the repair to the next look. Logins and outages end it at once.
    static let refusedPageInterval: Duration = .seconds(15)
    /// How long the network must have been gone before the calls under way are broken off: an interface that is
    /// configured anew has no address for a moment.
    static let networkLossDelay: Duration = .seconds(1)
    /// Writes to records that may wait for their turn at the same time.
    static let recordWritesMax = 64
    /// The number of times that one write is sent while it is in doubt, or the lane's mark is unknown.
    static let recordWriteAttemptsMax = 4
    /// The pause before a write in doubt is sent again.
    static let recordWriteInterval: Duration = .seconds(2)
    /// The shortest and the longest pause after events could not be read; it doubles with every failure. The longest
    /// one, including its random part, bounds the time from a repair to the next look. A change of the network, and an
    /// outage that ends, end it at once; a server's own request to wait is obeyed instead.
    static let eventsPauseMin: Duration = .seconds(1)
    static let eventsPauseMax: Duration = .seconds(15)
    /// The pause after a server refused to report events. It is long because the refusal is permanent: a server without
    /// events would otherwise be asked for ever. Each sign of a change ends it at once: a login, a change of the
    /// network, an outage that ends, a probe that succeeds.
    static let eventsRefusedInterval: Duration = .seconds(600)
    /// Consecutive failures after which screens no longer rely on events.
    static let eventsFailuresMax = 5
    /// How long events must have been missing before what they keep up to date counts as possibly out of date.
    static let eventsOutdatedAfter: Duration = .seconds(30)
    /// Parts of the log without a change for this account after which the cursor is stored nevertheless.
    static let eventCursorsUnsavedMax = 20
    /// Channels for which the newest position that events brought is remembered.
    static let followedChannelsMax = 4096
    /// For each channel, the time between two signals that its user is typing.
    static let typingInterval: Duration = .seconds(3)
    /// Typing signals under way, and channels in which the user may type at the same time; further reports are dropped.
    static let typingCallsMax = 4
    static let typingChannelsMax = 32
    /// The longest time for which a server can say that a user is typing.
    static let typingLifeMax: Duration = .seconds(30)
    /// Channels with ephemeral events, and users in each list of one; further ones are dropped.
    static let ephemeralChannelsMax = 10_000
    static let ephemeralUsersMax = 200
    /// Stored messages that are compared with a page at a time.
    static let reconcileStepMax = 200
    /// Pages that are read without a filter because one with tags did not list stored messages; messages in each.
    static let unlistedPagesMax = 4
    static let unlistedPageSize = 100
    /// The shortest pause between two reports of the progress of one upload.
    static let uploadProgressInterval: Duration = .milliseconds(100)
    /// Removed messages whose files wait to be removed; beyond it the references are compared with the messages.
    static let blobReleasesMax = 4096
    /// Messages that one step of that comparison reads.
    static let blobSweepMessages = 500
    /// Messages that one commit of a retention sweep drops at most.
    static let retentionStepMax = 100
    /// The time from the start of a client to its first retention sweep, and from the end of one to the next.
    static let retentionDelay: Duration = .seconds(60)
    static let retentionInterval: Duration = .seconds(3600)
}
