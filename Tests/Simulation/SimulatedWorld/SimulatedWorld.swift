import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
package import CausewaySimulationKernel

/// A world in one thread: clients, a network, a hub and their users, driven by one clock and one source of randomness.
///
/// The machines are real: `Outbox` on the clients, `LaneRules` and `LineageRules` on the hub. Stores, network and users
/// are models. The same plan gives the same history, byte for byte, in every build.
package final class SimulatedWorld {
    let plan: Plan
    var randomness: Randomness
    var now = MonotonicTime.zero
    var queue = TimeQueue<SimulatedEvent>()
    var clients: [ModelClient] = []
    var hub: ModelHub
    var files: ModelFiles
    var oracle = HubOracle()
    var expected = ExpectedState()
    package internal(set) var counts = FaultCounts()
    package internal(set) var history: HistoryText
    var hash = HistoryHash()
    /// A description of the first violated invariant.
    package internal(set) var violation: String? {
        didSet { if let found = violation, heard(found) == nil { violation = nil } }
    }
    /// The strikes that a smaller history could omit.
    private(set) var strikes: [FaultHit] = []

    /// By the indices of the faults.
    private let likelihoods: [Int]
    var areFaultsOver = false
    /// The present problems of the connection to the hub.
    var troubles: Set<Trouble> = []
    var lastCall = 0
    var births = 0
    /// Outboxes that were started because a copy was detected.
    var forks = 0
    var nextOperation = 1
    /// When the last client became idle after the faults had ended.
    var idleSince: MonotonicTime?
    /// When the last account returned at the end, and all that did.
    var lastReturn = MonotonicTime.zero
    var returned: Set<Return> = []
    /// Copies of the hub's data at earlier times, the first of them empty.
    var backups: [HubBackup] = []
    /// How often the hub's data were put back or replaced.
    var hubAge = 0
    /// The last acts of the users of each account of each client, at the end.
    var looks: [Return: Look] = [:]

    package init(_ plan: Plan, isRecording: Bool = false) {
        self.plan = plan
        likelihoods = Fault.allCases.map { plan.likelihoods[$0] }
        randomness = Randomness(seed: plan.seed)
        hub = ModelHub(plantedFault: plan.plantedFault?.ofHub)
        files = ModelFiles(plantedFault: plan.plantedFault)
        history = HistoryText(isRecording: isRecording)
        for index in 0..<plan.clientCount {
            let outboxID = OutboxID(UUIDv7(high: 1, low: UInt64(index)))
            let account = WorldNames.users[index % plan.accountCount]
            clients.append(
                ModelClient(
                    store: ModelStore(outboxID: outboxID, plantedFault: plan.plantedFault), account: account))
            queue.plan(.clientStarts(client: index), at: now)
            queue.plan(.userActs(Plan.Act(client: index, number: 0)), at: now)
        }
        queue.plan(.faultsEnd, at: plan.faultsEnd)
        if plan.hasLosses { queue.plan(.hubAges, at: now) }
    }

    /// Runs until no event is left, or an invariant is violated.
    package func run() {
        while violation == nil, step() {
            if counts.steps > Plan.stepsMax { violation = "no end after \(Plan.stepsMax) steps" }
        }
        if violation == nil { violation = brokenAtTheEnd() }
        counts.seeds = 1
        counts.virtualTime = now - .zero
        counts.digest = hash.value
    }

    /// Processes the next event; false when there is none.
    private func step() -> Bool {
        if isOver { return false }
        guard let (time, event) = queue.next() else { return false }
        now = max(now, time)
        counts.steps += 1
        hash.add(now.nanoseconds)
        event.add(to: &hash)
        let client = occur(event)
        if violation == nil, let client { violation = brokenAfterStep(of: client) }
        if areFaultsOver { watchTheEnd() }
        return true
    }

    /// True when clients that probe an idle hub for ever have been at rest for so long that nothing else can happen.
    private var isOver: Bool {
        guard plan.configuration.idleProbeInterval != nil, let idleSince else { return false }
        return now - idleSince > Plan.restMax
    }

    /// - Returns: the client that the event concerned.
    private func occur(_ event: SimulatedEvent) -> Int? {
        switch event {
        case .userActs(let act):
            userActs(act)
            return act.client
        case .deadline(let client, let process, let deadline):
            deadlineComes(client, process, deadline)
            return client
        case .diskIsDone(let client, let process):
            diskIsDone(client, process)
            return client
        case .callEnds(let call, let result):
            callEnds(call, result)
            return call.client
        case .uploadArrives(let call, let request):
            uploadArrives(call, request)
            return nil
        case .uploadAnswered(let call, let result):
            uploadAnswered(call, result)
            return call.client
        case .callTimesOut(let call):
            callTimesOut(call)
            return call.client
        case .unsendable(let call, let messages):
            unsendable(call, messages)
            return call.client
        case .foreign(let call, let messages):
            foreign(call, messages)
            return call.client
        case .probeEnds(let call, let result):
            probeEnds(call, result)
            return call.client
        case .news(let client, let process, let news):
            if isRunning(client, process) { submit(.merge(news), to: client) }
            return client
        case .clientStarts(let client):
            start(client)
            return client
        case .processWakes(let client):
            wake(client)
            return client
        case .draftLands(let late):
            draftLands(late)
            return late.client
        case .machineWakes(let client):
            resumeMachine(of: client)
            return client
        default:
            occurOutside(event)
            return nil
        }
    }

    private func occurOutside(_ event: SimulatedEvent) {
        switch event {
        case .requestArrives(let call, let fate): requestArrives(call, fate)
        case .probeArrives(let call): probeArrives(call)
        case .hubAges: hubAges()
        case .wayIsGood(let trouble):
            troubles.remove(trouble)
            history.record(now, "the \(trouble.rawValue) is over")
        case .diskHasRoom(let client):
            clients[client].isDiskFull = false
            history.record(now, "client \(client): the disk has room again")
        case .tokenRenewed:
            troubles.remove(.tokenRefused)
            history.record(now, "the token was renewed")
            for client in clients.indices { submit(.event(.actionResolved), to: client) }
        case .faultsEnd: endFaults()
        case .peopleTidy: tidyPauses()
        default: preconditionFailure("it happens to a client")
        }
    }

    // MARK: - Chance

    /// True when the fault strikes now; it is then counted together with the messages in flight.
    ///
    /// - Parameter extra: affected messages whose responses are not awaited any more.
    func strikes(_ fault: Fault, extra: Int = 0) -> Bool {
        guard !areFaultsOver,
            let strike = randomness.strike(fault, likelihood: likelihoods[fault.index]),
            !plan.sparedHits.contains(strike)
        else { return false }
        if history.isRecording { strikes.append(strike) }
        let inFlight = clients.reduce(extra) { count, client in
            count + client.openCalls.values.reduce(0) { $0 + $1.batch.operations.count }
        }
        counts.faults.count(fault, inFlight: inFlight)
        return true
    }

    func begin(_ trouble: Trouble, for duration: Duration) {
        troubles.insert(trouble)
        history.record(now, "\(trouble.rawValue) for \(duration)")
        queue.plan(.wayIsGood(trouble), at: now + duration)
    }

    // MARK: - Time

    func clock(of client: Int) -> ClockReading {
        let error = plan.plantedFault == .timeByWallClock ? clients[client].clockError : .zero
        return ClockReading(now: max(.zero, now + error), wall: wall(of: client))
    }

    func wall(of client: Int) -> Timestamp { hubTime.advanced(by: clients[client].clockError) }

    var hubTime: Timestamp { Timestamp(milliseconds: 1_700_000_000_000).advanced(by: now - .zero) }
}
