import CausewayOutbox

/// What an engine holds in memory for work that is not done. All of it is 0 when nothing waits for anything.
package struct SyncFootprint: Sendable, Hashable {
    /// Inputs and news of the store that were not dealt with.
    package var inputs: Int
    /// Deliveries under way.
    package var calls: Int
    package var waiters: Int
    /// What the outbox machine keeps: links, and messages that it can find or owes a verdict.
    package var links: Int
    package var indexed: Int

    package var isEmpty: Bool { inputs + calls + waiters + links + indexed == 0 }
}

extension SyncEngine {
    /// For tests and simulators, and for who looks for a leak. Cost: constant, but for the number of lanes.
    package var footprint: SyncFootprint {
        SyncFootprint(
            inputs: waitingInputs, calls: deliveries.count, waiters: waiters.count, links: outbox.depth,
            indexed: outbox.indexedCount)
    }
}
