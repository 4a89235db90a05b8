import CausewayOutbox

/// The amount of unfinished work that an engine holds in memory. All values but ``pages`` are 0 when nothing is
/// waiting.
package struct SyncFootprint: Sendable, Hashable {
    /// Unprocessed inputs, including entries of the feed.
    package var inputs: Int
    /// Deliveries under way.
    package var calls: Int
    package var waiters: Int
    /// The contents of the outbox machine: links, and messages that are indexed or await a verdict.
    package var links: Int
    package var indexed: Int
    /// Pages and parts of the log of events that are being read. An engine that follows events always reads one.
    package var pages: Int

    /// True when nothing is left to do; reading goes on.
    package var isEmpty: Bool { inputs + calls + waiters + links + indexed == 0 }
}

extension SyncEngine {
    /// For tests and simulators, and for finding leaks. Cost: constant, except for the number of lanes.
    package var footprint: SyncFootprint {
        SyncFootprint(
            inputs: waitingInputs, calls: deliveries.count, waiters: waiters.count, links: outbox.depth,
            indexed: outbox.indexedCount, pages: pagesUnderWay.count)
    }
}
