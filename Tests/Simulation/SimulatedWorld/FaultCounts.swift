import CausewayModels
package import CausewaySimulationKernel

/// The counts of a run, or of many: how often each fault struck, and how much was in flight then.
package struct FaultCounts: RunTally {
    package internal(set) var faults = FaultTally<Fault>()
    package internal(set) var milestones = MilestoneCounts()
    package var created = 0
    package var accepted = 0
    package var deleted = 0
    package var resent = 0
    /// Messages that clients queued again because the hub had lost them.
    package var lost = 0
    /// Attempts to upload a file.
    package var uploads = 0
    /// Logins of another account than before, and those that left fences or deletions behind that the hub had not
    /// received.
    package private(set) var visits = 0
    package private(set) var visitsInDoubt = 0
    package var steps = 0
    package var seeds = 0
    package var virtualTime: Duration = .zero
    /// The histories of all seeds in one number, independent of their order.
    package var digest: UInt64 = 0

    package init() {}

    mutating func count(visitWith questions: Int) {
        visits += 1
        if questions > 0 { visitsInDoubt += 1 }
    }

    package static func += (left: inout FaultCounts, right: FaultCounts) {
        left.faults += right.faults
        left.milestones += right.milestones
        left.created += right.created
        left.accepted += right.accepted
        left.deleted += right.deleted
        left.resent += right.resent
        left.lost += right.lost
        left.uploads += right.uploads
        left.visits += right.visits
        left.visitsInDoubt += right.visitsInDoubt
        left.steps += right.steps
        left.seeds += right.seeds
        left.virtualTime += right.virtualTime
        left.digest &+= right.digest
    }

    /// Faults that struck too rarely while deliveries were in flight: such a run proves nothing about them.
    package var hardlyStruck: [Fault] {
        Fault.allCases.filter { faults.struckInFlight[$0, default: 0] * $0.seedsPerStrikeMax < seeds }
    }

    /// The seeds from which on a run has to reach each milestone.
    private static let seedsForMilestones = 1_000

    /// The reason why the run proves little; `nil` when it proves enough.
    package var voidReason: String? {
        let idle = hardlyStruck.map(\.name)
        if !idle.isEmpty { return "hardly struck while anything was under way: \(idle.joined(separator: ", "))" }
        return missedMilestone
    }

    /// A milestone that so many seeds should have reached.
    package var missedMilestone: String? {
        guard seeds >= Self.seedsForMilestones, let missing = milestones.missing.first else { return nil }
        return "never reached: \(missing)"
    }

    /// ``digest`` in digits.
    package var histories: String { HistoryHash.told(digest) }

    package var summary: String {
        let days = Int(virtualTime.wholeMilliseconds / 86_400_000)
        return """
            \(created) messages created, \(accepted) accepted, \(deleted) deleted, \(resent) resent
            \(lost) messages queued again because the hub had lost them
            \(uploads) uploads begun
            \(visits) logins of another account, \(visitsInDoubt) of them while questions were open
            \(milestones.summary)
            \(steps) steps, \(days) days of virtual time, histories \(histories)
            \(faults.table(of: "messages"))
            """
    }
}
