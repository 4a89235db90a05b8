import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewayStorage

/// Devices with their clients and users, the network, the hub, and a witness who sees everything.
///
/// Real are the clients: engine, outbox, memory store, change feed, waiters, the whole public face. Simulated are time,
/// chance, disks, network and hub.
///
/// **Who may touch it.** Jobs of the run's runtime alone: one thread runs them one after the other, and every part of a
/// world is reached through them. That is why it can be `Sendable` without a lock. Nothing in here keeps a reference
/// into a property while it calls a client or a store, for these call back.
final class World: @unchecked Sendable {
    let plan: Plan
    let runtime: SimulatedRuntime
    var dice: SplitMix64
    /// For what befalls the hub's data and the feed.
    var historyDice: SplitMix64
    var history: History
    var tally = Tally()
    /// The first thing that was not as it must be.
    private(set) var violation: String?

    var devices: [Device]
    var processes: [ClientProcess] = []
    var hub: ModelHub
    var oracle = HubOracle()
    var backups: [HubBackup] = []
    /// On every device somebody has asked the hub for something since all was well.
    var haveAllLooked = false
    var network = SimulatedNetwork()
    var ledger = Ledger()
    /// Tasks of users that have not ended.
    var usersLeft = 0
    /// The network, the hub, the disks and the people are good from now on.
    var isHealed = false
    var healedAt = MonotonicTime.zero
    /// The run is over: nothing is opened any more.
    var isOver = false
    var messagesWritten = 0
    var completions: [Int: Completion] = [:]
    /// When a feed said last of a commit no more than that something changed.
    var lastFeedReset = MonotonicTime.zero

    static let address = "test://hub"

    init(plan: Plan, isTold: Bool) {
        self.plan = plan
        runtime = SimulatedRuntime(seed: plan.seed)
        dice = SplitMix64(seed: plan.seed ^ 0x5555_5555_5555_5555)
        historyDice = SplitMix64(seed: plan.seed ^ 0x9999_9999_9999_9999)
        history = History(isTold: isTold)
        devices = plan.devices.map { _ in Device() }
        hub = ModelHub(sabotage: plan.sabotage?.ofHub)
    }

    // MARK: - The witness

    func violated(_ words: @autoclosure () -> String) {
        guard violation == nil else { return }
        let words = words()
        violation = words
        tell(.ends, 1) { "VIOLATION: \(words)" }
    }

    func tell(_ kind: History.Kind, _ first: Int = 0, _ second: Int = 0, _ words: () -> String) {
        history.add(runtime.now, runtime.steps, kind, first, second, words)
    }

    // MARK: - Chance

    /// True in `thousandths` of all cases.
    func chance(_ thousandths: Int) -> Bool { Int.random(in: 0..<1000, using: &dice) < thousandths }

    func between(_ low: Int, _ high: Int) -> Int { Int.random(in: low...high, using: &dice) }

    func between(_ low: Duration, _ high: Duration) -> Duration {
        let nanoseconds = (high - low) / Duration.nanoseconds(1)
        return low + .nanoseconds(Int64.random(in: 0...max(0, Int64(nanoseconds)), using: &dice))
    }

    /// Asks fate whether a fault happens now, and counts it when it does.
    func strikes(_ fault: Fault) -> Bool {
        guard !isHealed, let likelihood = plan.likelihoods[fault], likelihood > 0 else { return false }
        guard runtime.now < plan.faultsEnd else { return false }
        let die = fault.isOfHistory ? Int.random(in: 0..<1000, using: &historyDice) : between(0, 999)
        guard die < likelihood else { return false }
        tally.count(fault, isInFlight: network.openCalls > 0)
        tell(.strikes, fault.rawValue.utf8.count) { "-- \(fault.rawValue)" }
        return true
    }

    /// True when this lie was planted and is told now.
    func lies(_ sabotage: Sabotage, oneIn count: Int) -> Bool {
        plan.sabotage == sabotage && between(1, count) == 1
    }

    // MARK: - Time

    func pass(_ time: Duration) async { await runtime.sleep(until: runtime.now + time) }

    /// Does something later, whatever becomes of its cause.
    func after(_ time: Duration, _ body: @escaping @Sendable () -> Void) {
        let due = runtime.now + time
        runtime.spawn { [runtime] in
            await runtime.sleep(until: due)
            body()
        }
    }

    /// Done with: takes apart what holds each other.
    func dissolve() { processes = [] }
}
