import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayStorage

/// Devices with their clients and users, the network, the hub, and a witness that sees everything.
///
/// The clients are real: engine, outbox, store (in memory, or of files on a disk in memory), change feed, waiters, the
/// whole public API. Time, randomness, disks, network and hub are simulated.
///
/// **Access.** Only jobs of the run's runtime: one thread runs them one after the other, and every part of a world is
/// reached through them. Therefore it can be `Sendable` without a lock. No code here keeps a reference into a property
/// while it calls a client or a store, because these call back.
final class World: @unchecked Sendable {
    let plan: Plan
    /// The likelihood of each fault, by its number.
    private let likelihoods: [Int]
    let runtime: SimulatedRuntime
    var dice: SplitMix64
    /// The randomness for faults of the hub's data and of the feed.
    var historyDice: SplitMix64
    /// The randomness for faults of the hub's log.
    var eventDice: SplitMix64
    /// The randomness for losses of power.
    var powerDice: SplitMix64
    /// The randomness for files and their faults.
    var fileDice: SplitMix64
    /// The randomness for pages that lead nowhere.
    var pageDice: SplitMix64
    /// The randomness for disks under file stores.
    var diskDice: SplitMix64
    /// The randomness for malformed reports.
    var nonsenseDice: SplitMix64
    var history: History
    /// True once the hub has gone back to an earlier state.
    var hasLostData = false
    var tally = Tally()
    /// The first violated invariant.
    private(set) var violation: String?
    private(set) var brokenCheck: Check?

    var devices: [Device]
    var processes: [ClientProcess] = []
    var hub: ModelHub
    var hubFiles = HubFiles()
    /// The files of messages that the hub has accepted in the delivery under way.
    var filesInUse: Set<String> = []
    /// The number of uploads that any hub has opened: none gets the name of another one.
    var uploadsBegun = 0
    var oracle = HubOracle()
    var backups: [HubBackup] = []
    /// True when every device has sent a request to the hub since the recovery.
    var haveAllLooked = false
    var network = SimulatedNetwork()
    var expected = ExpectedState()
    /// The number of screens whose sequences have not ended.
    var watchersLeft = 0
    /// The number of user tasks that have not ended.
    var usersLeft = 0
    /// True when the network, the hub, the disks and the users work correctly from now on.
    var isHealed = false
    var healedAt = MonotonicTime.zero
    /// True when the run is over: nothing is opened any more.
    var isOver = false
    var messagesWritten = 0
    /// The number of occasions on which lists must be requested: openings, logins, another history of the hub, and
    /// parts of the log that do not list everything.
    var reasonsToAsk = 0
    /// Planted fault: the cursors that devices have just taken.
    var eventStarts: [EventCursor: Set<Int>] = [:]
    /// The number of pages that clients with users requested.
    var pagesRead = 0
    var completions: [Int: Completion] = [:]
    /// The time of the last reset of a feed.
    var lastFeedReset = MonotonicTime.zero

    static let address = "test://hub"

    init(plan: Plan, isTold: Bool) {
        self.plan = plan
        likelihoods = Fault.allCases.map { plan.likelihoods[$0] }
        runtime = SimulatedRuntime(seed: plan.seed)
        dice = SplitMix64(seed: plan.seed ^ 0x5555_5555_5555_5555)
        historyDice = SplitMix64(seed: plan.seed ^ 0x9999_9999_9999_9999)
        eventDice = SplitMix64(seed: plan.seed ^ 0x7777_7777_7777_7777)
        powerDice = SplitMix64(seed: plan.seed ^ 0x1D1D_1D1D_1D1D_1D1D)
        fileDice = SplitMix64(seed: plan.seed ^ 0x3333_3333_3333_3333)
        pageDice = SplitMix64(seed: plan.seed ^ 0x4B4B_4B4B_4B4B_4B4B)
        diskDice = SplitMix64(seed: plan.seed ^ 0x5A5A_5A5A_5A5A_5A5A)
        nonsenseDice = SplitMix64(seed: plan.seed ^ 0x0B0B_0B0B_0B0B_0B0B)
        history = History(isTold: isTold)
        devices = plan.devices.map { [runtime] _ in Device(disk: Self.makeDisk(plan, runtime)) }
        hub = ModelHub(plantedFault: plan.plantedFault?.ofHub)
    }

    // MARK: - The witness

    func violated(_ check: Check, _ words: @autoclosure () -> String) {
        guard violation == nil, check != plan.ignoredCheck else { return }
        let words = words()
        violation = words
        brokenCheck = check
        tell(.ends, 1) { "VIOLATION: \(words)" }
    }

    func tell(_ kind: History.Kind, _ first: Int = 0, _ second: Int = 0, _ words: () -> String) {
        history.add(runtime.now, runtime.steps, kind, first, second, words)
    }

    // MARK: - Chance

    /// True in `thousandths` of all cases.
    func isLikely(_ thousandths: Int) -> Bool { Int.random(in: 0..<1000, using: &dice) < thousandths }

    func between(_ low: Int, _ high: Int) -> Int { Int.random(in: low...high, using: &dice) }

    func between(_ low: Duration, _ high: Duration) -> Duration {
        let nanoseconds = (high - low) / Duration.nanoseconds(1)
        return low + .nanoseconds(Int64.random(in: 0...max(0, Int64(nanoseconds)), using: &dice))
    }

    /// Draws whether a fault happens now, and counts it when it does.
    func strikes(_ fault: Fault) -> Bool {
        if isHealed { return false }
        let likelihood = likelihoods[fault.number]
        guard likelihood > 0, runtime.now < plan.faultsEnd else { return false }
        let die =
            switch fault.dice {
            case .general: between(0, 999)
            case .history: Int.random(in: 0..<1000, using: &historyDice)
            case .events: Int.random(in: 0..<1000, using: &eventDice)
            case .power: Int.random(in: 0..<1000, using: &powerDice)
            case .files: Int.random(in: 0..<1000, using: &fileDice)
            case .pages: Int.random(in: 0..<1000, using: &pageDice)
            case .disk: Int.random(in: 0..<1000, using: &diskDice)
            case .nonsense: Int.random(in: 0..<1000, using: &nonsenseDice)
            }
        guard die < likelihood else { return false }
        tally.faults.count(fault, inFlight: fault.dice == .files ? network.openTransfers : network.openCalls)
        tell(.strikes, fault.rawValue.utf8.count) { "-- \(fault.rawValue)" }
        return true
    }

    /// True when this planted fault applies now.
    func lies(_ plantedFault: PlantedFault, oneIn count: Int) -> Bool {
        plan.plantedFault == plantedFault && between(1, count) == 1
    }

    // MARK: - Time

    func pass(_ time: Duration) async { await runtime.pause(until: runtime.now + time) }

    /// Performs `body` later, whatever happens meanwhile.
    func after(_ time: Duration, _ body: @escaping @Sendable () -> Void) {
        runtime.schedule(at: runtime.now + time, body)
    }

    /// Breaks the reference cycles after a run.
    func dissolve() {
        processes = []
        devices = []
    }
}
