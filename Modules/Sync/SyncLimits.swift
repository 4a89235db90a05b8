/// The engine's own bounds.
enum SyncLimits {
    /// The pause before a commit is tried again that the store did not take.
    static let storeRetryInterval: Duration = .seconds(1)
    /// How often a decision is put off because something new has come meanwhile.
    static let readsMax = 3
    /// Notices that are kept; older ones are dropped first.
    static let noticesKeptMax = 8
    /// Messages that one bulk step deletes or resends in one commit.
    static let bulkStepMax = 500
    /// The pause before the server is looked for because a page could not be asked for.
    static let missedPageProbeInterval: Duration = .seconds(10)
    /// The pause before pages are asked for again that the server refused.
    static let refusedPageInterval: Duration = .seconds(60)
    /// Stored messages that are held against a page at a time.
    static let reconcileStepMax = 200
}
