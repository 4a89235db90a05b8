import CausewayModels
import CausewayOutbox
import CausewaySimulationKernel

/// The parameters of one run: size, duration, and faults. All are derived from the seed.
package struct Plan: Sendable {
    package let seed: UInt64
    package var plantedFault: PlantedFault?
    /// The check of the judge that is switched off, by the name of its findings; `nil` when all are on.
    package var silenced: String?
    /// The number of clients, each a device with a store of its own.
    var clientCount: Int
    /// The number of accounts; devices share them when there are fewer.
    var accountCount: Int
    var channelCount: Int
    var ordering: OrderingPolicy
    var configuration = OutboxConfiguration()
    /// The number of acts of the users of each client.
    var actCount: Int
    /// The upper bound of the pause between two acts.
    var actPauseMax: Duration
    /// After this time the network, the hub and the users work correctly.
    var faultsEnd: MonotonicTime
    /// The likelihood of each fault, in thousandths, whenever it can strike.
    var likelihoods = FaultLikelihoods<Fault>()
    /// True when the hub names its history, and its data may be rolled back or replaced.
    var hasLosses = false
    /// The likelihood that a restart resumes instead of failing waiting messages, in thousandths.
    var resumeLikelihood: Int
    /// The acts and strikes that a shrunk history omits.
    var sparedActs: Set<Act> = []
    var sparedHits: Set<FaultHit> = []

    /// Whether some messages are so large that a few of them fill a batch of which a slow link would lose the response.
    var hasLargeMessages: Bool { seed % 16 == 15 }

    /// One act of a user: the client and the ordinal number.
    struct Act: Hashable, Sendable {
        var client: Int
        var number: Int
    }

    /// The time after which a client stops waiting for a response.
    static let callTimeout: Duration = .seconds(30)
    /// The age of the oldest copy of a request that the network delivers.
    static let lateRequestMax: Duration = .seconds(300)
    /// After the faults have stopped, everything must have ended within this time: the longest pause between two
    /// attempts, and twice the settling, probing and responding that may precede and follow it.
    static let settleBound: Duration = .seconds(900)
    /// A world in which clients probe an idle hub ends after they have been at rest for this time, in which the oldest
    /// copies of requests have arrived.
    static let restMax: Duration = lateRequestMax + .seconds(60)
    /// The pause between two batches of the users who delete messages that pause a lane, after the faults have ended.
    static let tidyInterval: Duration = .seconds(20)
    /// The longest delay of a timer.
    static let lateTimerMax: Duration = .seconds(60)
    /// With more retries than these, a message that kills its process would do so for hours.
    static let lethalRetriesMax = 6
    /// Steps of one run, so that every run ends.
    static let stepsMax = 60_000

    /// - Parameter isSteady: true for a hub that keeps its data and feeds that report every change, as in older
    ///   regressions.
    package init(
        seed: UInt64, plantedFault: PlantedFault? = nil, silenced: String? = nil, isSteady: Bool = false
    ) {
        self.seed = seed
        self.silenced = silenced
        self.plantedFault = plantedFault
        var generator = SplitMix64(seed: seed)
        clientCount = [1, 1, 1, 2, 3].randomElement(using: &generator) ?? 1
        accountCount = Int.random(in: 1...2, using: &generator)
        channelCount = Int.random(in: 1...3, using: &generator)
        ordering = OrderingPolicy.allCases.randomElement(using: &generator) ?? .laned
        actCount = Int.random(in: 8...36, using: &generator) / (clientCount > 1 ? 2 : 1)
        actPauseMax = .milliseconds([200, 4_000, 20_000].randomElement(using: &generator) ?? 4_000)
        faultsEnd = MonotonicTime.zero + actPauseMax * (actCount / 2) + .seconds(20)
        resumeLikelihood = [0, 500, 1000].randomElement(using: &generator) ?? 500
        configuration.deliveriesInFlightMax = Int.random(in: 1...4, using: &generator)
        configuration.batchOperationsMax = [1, 2, 4, Limits.batchOperationsMax].randomElement(using: &generator) ?? 4
        configuration.batchBytesMax = [10, 60, Limits.batchBytesMax].randomElement(using: &generator) ?? 60
        configuration.retry = Self.retry(&generator)
        // Most runs have a few kinds of faults, some have all, some none: faults mask each other.
        let badness = [0, 1, 3, 3, 6].randomElement(using: &generator) ?? 3
        likelihoods.draw(Fault.allCases.filter { !Fault.drawnApart.contains($0) }, badness: badness, using: &generator)
        configuration.precedence = ordering.precedence
        if Int.random(in: 0..<4, using: &generator) == 0 {
            configuration.expiry = .seconds(Int64.random(in: 5...300, using: &generator))
        }
        if Int.random(in: 0..<4, using: &generator) == 0 { configuration.headFailure = .pauseLane }
        if Int.random(in: 0..<16, using: &generator) == 0 { channelCount = WorldNames.crowd }
        configuration.deliveriesInFlightTotalMax = [1, 3, 16, 16].randomElement(using: &generator) ?? 16
        configuration.uploadsMax = Int.random(in: 1...3, using: &generator)
        if isSteady { return }
        drawResets()
        drawLosses()
    }

    private mutating func drawLosses() {
        var generator = SplitMix64(seed: seed ^ 0x3C3C_3C3C_3C3C_3C3C)
        hasLosses = Int.random(in: 0..<4, using: &generator) == 0
        guard hasLosses else { return }
        for fault in Fault.ofHistory {
            let times = Int.random(in: 1...3, using: &generator)
            likelihoods[fault] = Bool.random(using: &generator) ? fault.likelihood * times : 0
        }
        let seconds = [nil, 30, 300].randomElement(using: &generator) ?? nil
        configuration.idleProbeInterval = seconds.map { .seconds($0) }
    }

    private mutating func drawResets() {
        var generator = SplitMix64(seed: seed ^ 0x0F0F_0F0F_0F0F_0F0F)
        likelihoods.draw([.feedReset], badness: 2, using: &generator)
    }

    private static func retry(_ generator: inout SplitMix64) -> RetryPolicy {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0, 1: .documented
        case 2: .patient
        default:
            RetryPolicy(
                interval: .milliseconds(Int64.random(in: 100...10_000, using: &generator)),
                retriesMax: Int.random(in: 0...6, using: &generator),
                backoffFactor: Int.random(in: 1...3, using: &generator),
                intervalMax: .seconds(Int64.random(in: 10...300, using: &generator)),
                jitterPercent: Int.random(in: 0...50, using: &generator))
        }
    }
}
