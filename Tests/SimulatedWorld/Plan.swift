import CausewayModels
import CausewayOutbox

/// What one seed does to the world: how large, how long, how bad. Everything follows from the seed.
package struct Plan: Sendable {
    package let seed: UInt64
    package var sabotage: Sabotage?
    /// Each is one device with a store of its own.
    var clientCount: Int
    /// Devices share accounts when there are fewer of these.
    var accountCount: Int
    var channelCount: Int
    var ordering: OrderingPolicy
    var configuration = OutboxConfiguration()
    /// Things that users do, on each client.
    var actCount: Int
    /// The pause between two acts is below this.
    var actPauseMax: Duration
    /// After it the network, the hub and the users are good.
    var faultsEnd: MonotonicTime
    /// How likely each fault is, in thousandths, whenever it can strike; by ``Fault/index``.
    var likelihoods: [Int] = []
    /// In thousandths: that a restart resumes instead of failing what waits.
    var resumeLikelihood: Int
    /// What a smaller story does without.
    var sparedActs: Set<Act> = []
    var sparedStrikes: Set<Strike> = []

    /// One thing that a user does: the how-manieth of which client.
    struct Act: Hashable, Sendable {
        var client: Int
        var number: Int
    }

    /// A client gives up waiting for an answer.
    static let callTimeout: Duration = .seconds(30)
    /// The oldest copy of a request that the network brings.
    static let lateRequestMax: Duration = .seconds(300)
    /// After the faults have stopped, everything must have ended within this time: the longest pause between two
    /// attempts, and twice the settling, probing and answering that may stand before and behind it.
    static let settleBound: Duration = .seconds(900)
    /// The pause between two looks of the people who delete what pauses a lane, when the faults are over.
    static let tidyInterval: Duration = .seconds(20)
    /// The latest that a timer comes.
    static let lateTimerMax: Duration = .seconds(60)
    /// The longest that a machine may take to hear of what its store took in.
    static let hearingMax: Duration = .seconds(120)
    /// With more retries than these, a message that kills its process would do so for hours.
    static let lethalRetriesMax = 6
    /// Steps of one run, so that a run ends whatever happens.
    static let stepsMax = 60_000

    package init(seed: UInt64, sabotage: Sabotage? = nil) {
        self.seed = seed
        self.sabotage = sabotage
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
        configuration.batchOperationsMax = [1, 2, 4, 512].randomElement(using: &generator) ?? 4
        configuration.batchBytesMax = [10, 60, 512 * 1024].randomElement(using: &generator) ?? 60
        configuration.retry = Self.retry(&generator)
        // Most runs are bad in a few ways, some in all, some in none: faults hide each other.
        let badness = [0, 1, 3, 3, 6].randomElement(using: &generator) ?? 3
        for fault in Fault.allCases {
            let isOn = Int.random(in: 0..<6, using: &generator) < badness
            likelihoods.append(isOn ? fault.likelihood * Int.random(in: 1...3, using: &generator) : 0)
        }
        configuration.precedence = ordering.precedence
        if Int.random(in: 0..<4, using: &generator) == 0 {
            configuration.expiry = .seconds(Int64.random(in: 5...300, using: &generator))
        }
        if Int.random(in: 0..<4, using: &generator) == 0 { configuration.headFailure = .pauseLane }
        if Int.random(in: 0..<16, using: &generator) == 0 { channelCount = Cast.crowd }
        configuration.deliveriesInFlightTotalMax = [1, 3, 16, 16].randomElement(using: &generator) ?? 16
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
