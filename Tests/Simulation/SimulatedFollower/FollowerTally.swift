package import CausewaySimulationKernel

/// The counts of one run, or of many.
package struct FollowerTally: RunTally {
    package var seeds = 0
    /// Streams that were opened again.
    package var reconnects = 0
    package var batches = 0
    package var events = 0
    package var resets = 0
    package var limited = 0
    package var changesOfCarrier = 0
    package var faults = FaultTally<FollowerFault>()
    /// The histories of all seeds in one number, independent of their order.
    package var digest: UInt64 = 0

    package init() {}

    package static func += (left: inout FollowerTally, right: FollowerTally) {
        left.seeds += right.seeds
        left.reconnects += right.reconnects
        left.batches += right.batches
        left.events += right.events
        left.resets += right.resets
        left.limited += right.limited
        left.changesOfCarrier += right.changesOfCarrier
        left.faults += right.faults
        left.digest &+= right.digest
    }

    /// Faults that struck less than once in this many seeds: such a run proves nothing about them.
    package func hardlyStruck(seedsPerStrikeMax: Int = 20) -> [FollowerFault] {
        FollowerFault.allCases.filter { faults.struck[$0, default: 0] * seedsPerStrikeMax < seeds }
    }

    package var summary: String {
        """
        \(reconnects) reconnects, \(batches) batches with \(events) events, \(resets) resets, \(limited) limited \
        channels, \(changesOfCarrier) changes of the carrier
        \(faults.table(of: "calls"))
        """
    }
}
