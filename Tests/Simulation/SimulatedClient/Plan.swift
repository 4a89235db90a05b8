import CausewayModels
import CausewayOutbox
package import CausewaySimulationKernel

/// The parameters of one run: size, duration, and faults. All are derived from the seed.
package struct Plan: Sendable {
    /// A device at the start: its users, and the configuration of its client.
    struct Device {
        /// The accounts that may log in on it; the first one does.
        var accounts: [Int]
        var ordering: OrderingPolicy
        var outbox: OutboxConfiguration
        /// The likelihood that a start resumes instead of failing waiting messages, in thousandths.
        var resumeLikelihood: Int
        /// The number of tasks that use the client concurrently.
        var userCount: Int
    }

    package let seed: UInt64
    package var plantedFault: PlantedFault?
    /// The check that is switched off, to find out whether another one finds a planted fault.
    package var ignoredCheck: Check?
    var devices: [Device] = []
    /// The number of acts of each user.
    package var actsOfEachUser: Int
    /// The upper bound of the pause between two acts.
    var actPauseMax: Duration
    /// Faults strike until this time.
    var faultsEnd: MonotonicTime
    /// The likelihood of each fault, in thousandths, whenever it can strike.
    package var likelihoods = FaultLikelihoods<Fault>()
    /// The longest duration of a commit or a read; with 0 the store never suspends.
    var diskLatencyMax: Duration
    /// The number of channels that users write to.
    var channelCount: Int
    var deliveriesInFlightMax: Int
    /// True when the hub has events, and every client has lists open that they keep up to date.
    package var hasEvents = false
    /// True when the hub reports the changes since a page was read.
    var reportsChanges = false
    /// True when users send files, and files have faults of their own; in other runs files are only a length.
    package var hasFiles = false
    /// True when the clients' stores have files, on a disk in memory that knows what is durable.
    package var hasDisk = false
    /// How many of the messages that users create have files, in thousandths.
    var mediaLikelihood = 0

    /// The sizes at which a file store takes a snapshot, compacts its journal, and begins another file of it.
    var snapshotBytes: Int64 = 0
    var compactionBytes: Int64 = 0
    var journalBytes: Int64 = 0
    /// The delay of each step of a file store's maintenance.
    var maintenanceDelay = Duration.zero

    /// True when clients write to hundreds of channels at once, and few of their deliveries may be under way.
    package var isCrowded = false

    /// True when each client has a screen that shows its status.
    var watchesStatus = false
    /// True when clients ask for another token themselves when the hub refuses theirs.
    var renewsTokens = false

    /// The time after which a transport stops waiting for a response.
    static let callTimeout: Duration = .seconds(30)
    /// The age of the oldest copy of a request that the network delivers.
    static let lateRequestMax: Duration = .seconds(300)
    /// The longest time that a commit takes on a slow disk.
    static let slowCommitMax: Duration = .seconds(5)
    /// The longest delay of a timer.
    static let lateTimerMax: Duration = .seconds(60)
    /// The minimum time between two resets of the feeds.
    static let feedResetSpacing: Duration = .seconds(2)
    /// After the faults have stopped, everything must have ended within this time.
    static let settleBound: Duration = .seconds(1800)
    /// Nothing is sent or stored for this long when everything has ended.
    static let restDuration: Duration = .seconds(5)
    /// After everything is closed, activity may continue for this long: the oldest copies of requests.
    static let wreckBound: Duration = .seconds(3600)

    /// - Parameters:
    ///   - isSteady: the hub keeps its data, and the feed reports every change.
    ///   - hasFiles: `nil` for every other seed that is not steady, by chance.
    ///   - hasDisk: the clients have file stores. Everything else about the run is drawn as without.
    ///   - hasNonsense: false without malformed reports and crowds of channels, as in older regressions; otherwise by
    ///     chance, unless the hub is steady.
    package init(
        seed: UInt64, plantedFault: PlantedFault? = nil, isSteady: Bool = false, hasFiles: Bool? = nil,
        hasDisk: Bool = false, hasNonsense: Bool = true
    ) {
        self.seed = seed
        self.plantedFault = plantedFault
        var generator = SplitMix64(seed: seed)
        actsOfEachUser = Int.random(in: 6...30, using: &generator)
        actPauseMax = .milliseconds([50, 1_000, 6_000, 20_000].randomElement(using: &generator) ?? 1_000)
        faultsEnd = MonotonicTime.zero + actPauseMax * (actsOfEachUser / 2) + .seconds(15)
        diskLatencyMax = .milliseconds([0, 0, 5, 200].randomElement(using: &generator) ?? 0)
        channelCount = Int.random(in: 1...3, using: &generator)
        deliveriesInFlightMax = Int.random(in: 1...4, using: &generator)
        let deviceCount = [1, 1, 2, 2, 3].randomElement(using: &generator) ?? 1
        let accountCount = Int.random(in: 1...2, using: &generator)
        for index in 0..<deviceCount {
            let own = Int.random(in: 0..<accountCount, using: &generator)
            let isShared = accountCount > 1 && Int.random(in: 0..<3, using: &generator) == 0
            devices.append(
                Device(
                    accounts: isShared ? [own, 1 - own] : [own],
                    ordering: OrderingPolicy.allCases.randomElement(using: &generator) ?? .laned,
                    outbox: Self.configuration(&generator),
                    resumeLikelihood: [0, 500, 1000].randomElement(using: &generator) ?? 500,
                    userCount: Int.random(in: 1...(index == 0 ? 3 : 2), using: &generator)))
        }
        // Most runs have a few kinds of faults, some have all, some none: faults mask each other.
        let badness = [0, 1, 2, 3, 6].randomElement(using: &generator) ?? 2
        let faults = Fault.allCases.filter { !$0.hasOwnDice }
        likelihoods.draw(faults, badness: badness, using: &generator)
        for index in devices.indices {
            if Int.random(in: 0..<4, using: &generator) == 0 {
                devices[index].outbox.expiry = .seconds(Int64.random(in: 5...300, using: &generator))
            }
            if Int.random(in: 0..<4, using: &generator) == 0 { devices[index].outbox.headFailure = .pauseLane }
        }
        if !isSteady { drawHistories() }
        if !isSteady { drawEvents() }
        drawFiles(hasFiles ?? (isSteady ? false : nil))
        if !isSteady { drawScreens() }
        if !isSteady, hasNonsense { drawNonsense() }
        if hasDisk || plantedFault?.isOfDisk == true { drawDisk() }
        // Uploads left on the hub are judged only in runs without failures, which are rare by chance.
        if plantedFault == .uploadsAreNotCancelled {
            for fault in Fault.allCases { likelihoods[fault] = 0 }
        }
    }

    private mutating func drawDisk() {
        var generator = SplitMix64(seed: seed ^ 0x7B7B_7B7B_7B7B_7B7B)
        hasDisk = true
        snapshotBytes = [2_000, 8_000, 40_000].randomElement(using: &generator) ?? 8_000
        compactionBytes = [4_000, 20_000, 100_000].randomElement(using: &generator) ?? 20_000
        journalBytes = [1_500, 10_000, 1_000_000].randomElement(using: &generator) ?? 10_000
        maintenanceDelay = .milliseconds([0, 5, 400].randomElement(using: &generator) ?? 5)
        for fault in Fault.ofDisk {
            likelihoods[fault] = Bool.random(using: &generator) ? fault.likelihood : 0
        }
    }

    private mutating func drawScreens() {
        var generator = SplitMix64(seed: seed ^ 0x2A2A_2A2A_2A2A_2A2A)
        watchesStatus = Int.random(in: 0..<8, using: &generator) == 0
        renewsTokens = Int.random(in: 0..<4, using: &generator) == 0
        let leadsNowhere = Bool.random(using: &generator)
        likelihoods[.pageLeadsNowhere] = leadsNowhere ? Fault.pageLeadsNowhere.likelihood : 0
    }

    private mutating func drawNonsense() {
        var generator = SplitMix64(seed: seed ^ 0x0F0F_0F0F_0F0F_0F0F)
        let badness = [0, 0, 2, 6].randomElement(using: &generator) ?? 0
        likelihoods.draw(Fault.ofNonsense, badness: badness, using: &generator)
        isCrowded = Int.random(in: 0..<24, using: &generator) == 0
        let total = Int.random(in: 1...3, using: &generator)
        reportsChanges = Bool.random(using: &generator)
        guard isCrowded else { return }
        channelCount = 200
        hasEvents = false  // each channel would have a list
        actPauseMax = .milliseconds(50)
        for index in devices.indices {
            devices[index].ordering = .lanedPerChannel
            devices[index].outbox.deliveriesInFlightTotalMax = total
        }
    }

    private mutating func drawFiles(_ wanted: Bool?) {
        var generator = SplitMix64(seed: seed ^ 0x1E1E_1E1E_1E1E_1E1E)
        let isDrawn = Bool.random(using: &generator)
        hasFiles = wanted ?? isDrawn
        guard hasFiles else { return }
        mediaLikelihood = Int.random(in: 100...600, using: &generator)
        let badness = [0, 2, 3, 6].randomElement(using: &generator) ?? 2
        likelihoods.draw(Fault.ofFiles, badness: badness, using: &generator)
    }

    /// True when nothing ever fails.
    var isCalm: Bool { Fault.allCases.allSatisfy { likelihoods[$0] == 0 } }

    private mutating func drawEvents() {
        var generator = SplitMix64(seed: seed ^ 0x6D6D_6D6D_6D6D_6D6D)
        hasEvents = Bool.random(using: &generator)
        guard hasEvents else { return }
        for fault in Fault.ofEvents {
            likelihoods[fault] = Bool.random(using: &generator) ? fault.likelihood : 0
        }
        // Several devices of one account see each other's changes.
        if devices.count > 1, Bool.random(using: &generator) {
            for index in devices.indices { devices[index].accounts = devices[0].accounts }
        }
        likelihoods[.powerLost] = Bool.random(using: &generator) ? Fault.powerLost.likelihood : 0
    }

    private mutating func drawHistories() {
        var generator = SplitMix64(seed: seed ^ 0x3C3C_3C3C_3C3C_3C3C)
        let isOn = Int.random(in: 0..<3, using: &generator) == 0
        for fault in Fault.ofHistory {
            let times = Int.random(in: 1...3, using: &generator)
            let isDrawn = Bool.random(using: &generator)
            likelihoods[fault] = isOn && isDrawn ? fault.likelihood * times : 0
        }
        guard hasLosses else { return }
        for index in devices.indices {
            let seconds = [nil, 30, 300].randomElement(using: &generator) ?? nil
            devices[index].outbox.idleProbeInterval = seconds.map { .seconds($0) }
        }
    }

    /// True when the hub's data may be rolled back or replaced.
    var hasLosses: Bool { Fault.ofHistory.contains { $0 != .feedReset && likelihoods[$0] > 0 } }

    private static func configuration(_ generator: inout SplitMix64) -> OutboxConfiguration {
        var configuration = OutboxConfiguration()
        configuration.retry =
            [
                .documented, .patient, RetryPolicy(interval: .milliseconds(200), retriesMax: 0),
                RetryPolicy(interval: .milliseconds(300), retriesMax: 2, backoffFactor: 3, intervalMax: .seconds(20)),
            ].randomElement(using: &generator) ?? .documented
        configuration.settlingTime = .milliseconds([0, 100, 1_000].randomElement(using: &generator) ?? 1_000)
        configuration.deliveriesInFlightMax = Int.random(in: 1...4, using: &generator)
        configuration.batchOperationsMax = [1, 2, 4, Limits.batchOperationsMax].randomElement(using: &generator) ?? 4
        configuration.batchBytesMax = [10, 150, Limits.batchBytesMax].randomElement(using: &generator) ?? 150
        return configuration
    }
}
