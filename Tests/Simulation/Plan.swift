import CausewayModels
import CausewayOutbox

/// What one seed does to the world: how large, how long, how bad. Everything follows from the seed.
struct Plan {
    let seed: UInt64
    var sabotage: Sabotage?
    var clientCount = 1
    var configuration = OutboxConfiguration()
    /// Things that users do, of each client.
    var actCount: Int
    /// The pause between two acts is below this.
    var actPauseMax: Duration
    /// After it the network, the hub and the users are good.
    var faultsEnd: MonotonicTime
    /// How likely each fault is, in thousandths, whenever it can strike.
    var likelihoods: [Fault: Int] = [:]
    /// In thousandths: that a restart resumes instead of failing what waits.
    var resumeLikelihood: Int

    /// A client gives up waiting for an answer.
    static let callTimeout: Duration = .seconds(30)
    /// The oldest copy of a request that the network brings.
    static let lateRequestMax: Duration = .seconds(300)
    /// After the faults have stopped, everything must have ended within this time.
    static let settleBound: Duration = .seconds(300)
    /// Steps of one run, so that a run ends whatever happens.
    static let stepsMax = 60_000

    init(seed: UInt64, sabotage: Sabotage? = nil) {
        self.seed = seed
        self.sabotage = sabotage
        var generator = SplitMix64(seed: seed)
        actCount = Int.random(in: 10...40, using: &generator)
        actPauseMax = .milliseconds([200, 4_000, 20_000].randomElement(using: &generator) ?? 4_000)
        faultsEnd = MonotonicTime.zero + actPauseMax * (actCount / 2) + .seconds(20)
        resumeLikelihood = [0, 500, 1000].randomElement(using: &generator) ?? 500
        configuration.deliveriesInFlightMax = Int.random(in: 1...4, using: &generator)
        configuration.batchOperationsMax = [1, 2, 4, 512].randomElement(using: &generator) ?? 4
        configuration.batchBytesMax = [10, 60, 512 * 1024].randomElement(using: &generator) ?? 60
        // Most runs are bad in a few ways, some in all, some in none: faults hide each other.
        let badness = [0, 1, 3, 3, 6].randomElement(using: &generator) ?? 3
        for fault in Fault.allCases {
            let isOn = Int.random(in: 0..<6, using: &generator) < badness
            likelihoods[fault] = isOn ? fault.likelihood * Int.random(in: 1...3, using: &generator) : 0
        }
    }
}

/// Everything that goes wrong in the simulated world.
enum Fault: String, CaseIterable {
    // The network
    case requestLost, answerLost, requestLate, requestRepeated, slow, cut, lateAnswer
    // The hub
    case transient, rateLimited, tokenRefused, requestRefused, tryLater, tryLaterAfter, hubRestart, hubOutage
    // The client
    case crash, createdBetween

    /// In thousandths, before the plan multiplies it.
    var likelihood: Int {
        switch self {
        case .requestLost, .answerLost, .requestLate, .requestRepeated: 40
        case .slow: 80
        case .cut: 20
        case .lateAnswer: 800
        case .transient: 80
        case .rateLimited, .requestRefused, .tryLaterAfter: 20
        case .tokenRefused: 8
        case .tryLater: 40
        case .hubRestart, .hubOutage: 12
        case .crash: 8
        case .createdBetween: 15
        }
    }
}

/// How often each fault struck, and how often while something was under way.
struct FaultCounts: Sendable {
    private(set) var struck: [Fault: Int] = [:]
    private(set) var struckInFlight: [Fault: Int] = [:]
    var created = 0
    var accepted = 0
    var deleted = 0
    var resent = 0
    var steps = 0
    var seeds = 0

    mutating func count(_ fault: Fault, inFlight: Bool) {
        struck[fault, default: 0] += 1
        if inFlight { struckInFlight[fault, default: 0] += 1 }
    }

    static func += (left: inout FaultCounts, right: FaultCounts) {
        left.struck.merge(right.struck, uniquingKeysWith: +)
        left.struckInFlight.merge(right.struckInFlight, uniquingKeysWith: +)
        left.created += right.created
        left.accepted += right.accepted
        left.deleted += right.deleted
        left.resent += right.resent
        left.steps += right.steps
        left.seeds += right.seeds
    }

    /// False when a fault struck in less than one of 25 seeds while something was under way: such a run shows nothing.
    var isTelling: Bool { rarest.count * 25 >= seeds }

    /// The fault that struck least often while something was under way.
    var rarest: (fault: Fault, count: Int) {
        Fault.allCases.map { ($0, struckInFlight[$0] ?? 0) }.min { $0.1 < $1.1 } ?? (.cut, 0)
    }

    var summary: String {
        """
        \(created) messages created, \(accepted) accepted, \(deleted) deleted, \(resent) resent, \(steps) steps
        \(table)
        """
    }

    var table: String {
        Fault.allCases.map { "  \($0.rawValue): \(struck[$0] ?? 0), in flight \(struckInFlight[$0] ?? 0)" }
            .joined(separator: "\n")
    }
}
