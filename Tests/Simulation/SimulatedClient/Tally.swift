/// Counts of the events in one run or in many.
package struct Tally: Sendable, Equatable {
    package var seeds = 0
    package var steps = 0
    package var virtualSeconds = 0
    package var struck: [Fault: Int] = [:]
    /// The number of strikes while a delivery was in flight.
    package var struckInFlight: [Fault: Int] = [:]
    package var created = 0
    package var mediaCreated = 0
    package var synced = 0
    package var failed = 0
    package var deleted = 0
    package var resent = 0
    package var logouts = 0
    /// Logins of another account than before.
    package var visits = 0
    package var openings = 0
    package var calls = 0
    package var commits = 0
    package var results = 0
    package var operations = 0
    /// Attempts that were used up by crashes of lethal messages: their own, and those of other messages.
    package var paidByKillers = 0
    package var paidForKillers = 0
    /// The hash of the histories, in the order of the seeds.
    package var digest: UInt64 = 0

    package init() {}

    mutating func count(_ fault: Fault, isInFlight: Bool) {
        struck[fault, default: 0] += 1
        if isInFlight { struckInFlight[fault, default: 0] += 1 }
    }

    /// - Precondition: called in the order of the seeds.
    package mutating func add(_ other: Tally) {
        seeds += other.seeds
        steps += other.steps
        virtualSeconds += other.virtualSeconds
        struck.merge(other.struck) { $0 + $1 }
        struckInFlight.merge(other.struckInFlight) { $0 + $1 }
        created += other.created
        mediaCreated += other.mediaCreated
        synced += other.synced
        failed += other.failed
        deleted += other.deleted
        resent += other.resent
        logouts += other.logouts
        visits += other.visits
        openings += other.openings
        calls += other.calls
        commits += other.commits
        results += other.results
        operations += other.operations
        paidByKillers += other.paidByKillers
        paidForKillers += other.paidForKillers
        digest = (digest ^ other.digest) &* 0x0000_0100_0000_01B3
    }

    /// The reason why a run of this many seeds proves little; `nil` when every fault struck often enough, and often
    /// enough while deliveries were in flight.
    ///
    /// - Parameter isSteady: whether the hub was to keep its data.
    package func voidReason(isSteady: Bool) -> String? {
        let wanted = max(1, seeds / 50)
        if mediaCreated < wanted { return "only \(mediaCreated) media messages in \(seeds) runs" }
        for fault in Fault.allCases where !(isSteady && fault.isOfHistory) {
            let count = struck[fault, default: 0]
            if count < wanted { return "\(fault.rawValue) struck only \(count) times in \(seeds) runs" }
            let inFlight = struckInFlight[fault, default: 0]
            if fault.strikesInFlight, inFlight * 10 < wanted {
                return "\(fault.rawValue) struck only \(inFlight) times while something was under way"
            }
        }
        return nil
    }
}

extension Tally {
    /// A readable summary.
    package var summary: String {
        var lines = [
            "virtual time \(virtualSeconds / 3600) h, \(steps) steps, \(calls) deliveries of \(operations) operations, "
                + "\(commits) commits, \(openings) openings",
            "\(created) messages accepted (\(mediaCreated) media): \(synced) synced, \(failed) failed at the end; "
                + "\(deleted) deletions, \(resent) resends, \(logouts) logouts, \(visits) visits, "
                + "\(results) results told",
            "lethal messages used up \(paidByKillers) attempts of their own, \(paidForKillers) of others",
            "faults, and how many of them struck while a delivery was under way:",
        ]
        for fault in Fault.allCases {
            lines.append("  \(fault.rawValue): \(struck[fault, default: 0]) (\(struckInFlight[fault, default: 0]))")
        }
        lines.append("digest \(String(digest, radix: 16))")
        return lines.joined(separator: "\n")
    }
}
