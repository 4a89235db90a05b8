package import CausewaySimulationKernel

/// Counts of the events in one run or in many.
package struct Tally: RunTally {
    package var seeds = 0
    package var steps = 0
    package var virtualSeconds = 0
    package internal(set) var faults = FaultTally<Fault>()
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
    /// Commits whose callers did not wait for the disk.
    package var unconfirmed = 0
    /// Parts of the hub's log that it sent.
    package var eventParts = 0
    /// Requests for changes.
    package var changeRequests = 0
    package var operations = 0
    /// Bytes of files that the hub received, uploads that it completed, and uploads that were resumed.
    package var fileBytes = 0
    package var uploadsCompleted = 0
    package var uploadsResumed = 0
    /// Deletions, logouts, crashes and losses of the hub's data while a file was uploaded.
    package var deletionsInUploads = 0
    package var logoutsInUploads = 0
    package var crashesInUploads = 0
    package var lossesInUploads = 0
    /// Openings of file stores, those that cut a torn tail, and the snapshots and compactions of such stores.
    package var filesOpened = 0
    package var tornTails = 0
    package var snapshots = 0
    package var compactions = 0
    /// How often as many deliveries were under way as are allowed, and the runs with hundreds of channels.
    package var fullPools = 0
    package var crowds = 0
    /// Messages of a copied store of which the copy's deliveries were judged at the end, and those that it delivered
    /// after the store had failed them for good.
    package var excusesEnded = 0
    package var excusesKept = 0
    /// Attempts that were used up by crashes of lethal messages: their own, and those of other messages.
    package var paidByKillers = 0
    package var paidForKillers = 0
    /// The hash of the histories, in the order of the seeds.
    package var digest: UInt64 = 0

    package init() {}

    /// - Precondition: called in the order of the seeds.
    package static func += (left: inout Tally, right: Tally) {
        left.seeds += right.seeds
        left.steps += right.steps
        left.virtualSeconds += right.virtualSeconds
        left.faults += right.faults
        left.created += right.created
        left.mediaCreated += right.mediaCreated
        left.synced += right.synced
        left.failed += right.failed
        left.deleted += right.deleted
        left.resent += right.resent
        left.logouts += right.logouts
        left.visits += right.visits
        left.openings += right.openings
        left.calls += right.calls
        left.commits += right.commits
        left.results += right.results
        left.unconfirmed += right.unconfirmed
        left.eventParts += right.eventParts
        left.changeRequests += right.changeRequests
        left.operations += right.operations
        left.fileBytes += right.fileBytes
        left.uploadsCompleted += right.uploadsCompleted
        left.uploadsResumed += right.uploadsResumed
        left.deletionsInUploads += right.deletionsInUploads
        left.logoutsInUploads += right.logoutsInUploads
        left.crashesInUploads += right.crashesInUploads
        left.lossesInUploads += right.lossesInUploads
        left.filesOpened += right.filesOpened
        left.tornTails += right.tornTails
        left.snapshots += right.snapshots
        left.compactions += right.compactions
        left.fullPools += right.fullPools
        left.crowds += right.crowds
        left.excusesEnded += right.excusesEnded
        left.excusesKept += right.excusesKept
        left.paidByKillers += right.paidByKillers
        left.paidForKillers += right.paidForKillers
        left.digest = (left.digest ^ right.digest) &* 0x0000_0100_0000_01B3
    }

    /// The reason why a run of this many seeds proves little; `nil` when every fault struck often enough, and often
    /// enough while deliveries were in flight.
    ///
    /// - Parameters:
    ///   - isSteady: whether the hub was to keep its data.
    ///   - hasDisk: whether the clients had file stores: then only the faults of disks count.
    package func voidReason(isSteady: Bool, hasDisk: Bool = false) -> String? {
        let wanted = max(1, seeds / 50)
        if hasDisk { return diskVoidReason(wanted) }
        if mediaCreated < wanted { return "only \(mediaCreated) media messages in \(seeds) runs" }
        if !isSteady {
            let fewest = min(deletionsInUploads, logoutsInUploads, crashesInUploads, lossesInUploads, uploadsResumed)
            if fewest < wanted { return "too little happened during uploads: \(uploadSummary)" }
        }
        if !isSteady, min(fullPools, crowds * 10, excusesEnded) < wanted {
            return "too little was crowded or copied: \(crowds), \(fullPools), \(excusesEnded)"
        }
        for fault in Fault.allCases where fault.dice != .disk && !(isSteady && fault.hasOwnDice) {
            let count = faults.struck[fault, default: 0]
            if count < wanted { return "\(fault.rawValue) struck only \(count) times in \(seeds) runs" }
            let inFlight = faults.struckInFlight[fault, default: 0]
            if fault.strikesInFlight, inFlight * 10 < wanted {
                return "\(fault.rawValue) struck only \(inFlight) times while something was under way"
            }
        }
        return nil
    }
}

extension Tally {
    private func diskVoidReason(_ wanted: Int) -> String? {
        if min(snapshots, compactions, tornTails) < wanted {
            return "too little happened on the disks: \(diskSummary)"
        }
        let rare = Fault.ofDisk.first { faults.struck[$0, default: 0] < wanted }
        return rare.map { "\($0.rawValue) struck only \(faults.struck[$0, default: 0]) times in \(seeds) runs" }
    }

    private var uploadSummary: String {
        "\(uploadsCompleted) uploads of \(fileBytes) bytes, \(uploadsResumed) resumed; during uploads "
            + "\(deletionsInUploads) deletions, \(logoutsInUploads) logouts, \(crashesInUploads) crashes, "
            + "\(lossesInUploads) losses of the hub's data"
    }

    private var diskSummary: String {
        "\(filesOpened) file stores opened, \(tornTails) with a torn tail; \(snapshots) snapshots, "
            + "\(compactions) compactions"
    }

    /// A readable summary.
    package var summary: String {
        let lines = [
            "virtual time \(virtualSeconds / 3600) h, \(steps) steps, \(calls) deliveries of \(operations) operations, "
                + "\(commits) commits and \(unconfirmed) that did not wait for the disk, \(openings) openings",
            "\(created) messages accepted (\(mediaCreated) media): \(synced) synced, \(failed) failed at the end; "
                + "\(deleted) deletions, \(resent) resends, \(logouts) logouts, \(visits) visits, "
                + "\(results) results told, \(eventParts) parts of the hub's log, "
                + "\(changeRequests) requests for changes",
            uploadSummary,
            diskSummary,
            "lethal messages used up \(paidByKillers) attempts of their own, \(paidForKillers) of others",
            "\(crowds) runs with hundreds of channels; the pool of deliveries was full \(fullPools) times",
            "\(excusesEnded) messages sent by a copy of their store were judged at the end, \(excusesKept) were not",
            faults.table(of: "deliveries"),
            "digest \(String(digest, radix: 16))",
        ]
        return lines.joined(separator: "\n")
    }
}
