import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub

/// A world in one thread: clients, a network, a hub and their users, driven by one clock and one source of chance.
///
/// The machines are the real ones: `Outbox` on the clients, `LaneRules` and `EpochRules` on the hub. Stores, network
/// and users are models. The same plan gives the same run.
final class SimulatedWorld {
    static let channel = fixed(ChannelID("general"))
    static let user = fixed(UserID("ada"))

    let plan: Plan
    var generator: SplitMix64
    var now = MonotonicTime.zero
    var queue = EventQueue()
    var clients: [ModelClient] = []
    var hub: ModelHub
    var ledger = Ledger()
    var counts = FaultCounts()
    var story: Story
    /// The first invariant that broke, in words.
    var violation: String?

    var areFaultsOver = false
    var isCut = false
    var isHubDown = false
    var isTokenRefused = false
    var lastCall = 0
    /// When the last client became idle after the faults had ended.
    var idleSince: MonotonicTime?

    init(_ plan: Plan, isTelling: Bool = false) {
        self.plan = plan
        generator = SplitMix64(seed: plan.seed ^ 0x5EED)
        hub = ModelHub(sabotage: plan.sabotage?.ofHub)
        story = Story(isTelling: isTelling)
        for index in 0..<plan.clientCount {
            let outboxID = OutboxID(UUIDv7(high: 1, low: UInt64(index)))
            clients.append(
                ModelClient(
                    store: ModelStore(outboxID: outboxID, sabotage: plan.sabotage), isLoggedIn: true,
                    actsLeft: plan.actCount))
            queue.plan(.clientStarts(client: index), at: now)
            queue.plan(.userActs(client: index), at: now)
        }
        queue.plan(.faultsEnd, at: plan.faultsEnd)
    }

    /// Runs until nothing is left to happen, or an invariant breaks.
    func run() {
        while violation == nil, step() {
            if counts.steps > Plan.stepsMax { violation = "no end after \(Plan.stepsMax) steps" }
        }
        if violation == nil { violation = brokenAtTheEnd() }
        counts.seeds = 1
    }

    /// Lets the next thing happen; false when there is none.
    func step() -> Bool {
        guard let (time, happening) = queue.next() else { return false }
        now = max(now, time)
        counts.steps += 1
        let client = happen(happening)
        if violation == nil, let client { violation = brokenAfterStep(of: client) }
        if areFaultsOver { watchTheEnd() }
        return true
    }

    /// - Returns: the client that it happened to.
    private func happen(_ happening: Happening) -> Int? {
        switch happening {
        case .userActs(let client):
            actAsUser(of: client)
            return client
        case .deadline(let client, let process, let deadline):
            deadlineComes(client, process, deadline)
            return client
        case .requestArrives(let call, let fate): requestArrives(call, fate)
        case .callEnds(let call, let result):
            callEnds(call, result)
            return call.client
        case .callTimesOut(let call):
            callTimesOut(call)
            return call.client
        case .unsendable(let call, let messages):
            unsendable(call, messages)
            return call.client
        case .probeArrives(let client, let process): probeArrives(client, process)
        case .probeEnds(let client, let process, let error):
            probeEnds(client, process, error)
            return client
        case .clientStarts(let client):
            start(client)
            return client
        case .cutEnds:
            isCut = false
            story.tell(now, "the network is whole again")
        case .outageEnds:
            isHubDown = false
            story.tell(now, "the hub is up again")
        case .tokenRenewed(let client):
            isTokenRefused = false
            story.tell(now, "client \(client): the token was renewed")
            input(.attentionResolved, to: client)
            return client
        case .faultsEnd: endFaults()
        }
        return nil
    }

    // MARK: - Chance

    /// True when the fault strikes now; counted then.
    func strikes(_ fault: Fault, inFlight: Bool) -> Bool {
        guard !areFaultsOver, chance(plan.likelihoods[fault] ?? 0) else { return false }
        counts.count(fault, inFlight: inFlight)
        return true
    }

    /// True with the given likelihood in thousandths.
    func chance(_ thousandths: Int) -> Bool {
        thousandths > 0 && Int.random(in: 0..<1000, using: &generator) < thousandths
    }

    /// A duration between two bounds.
    func between(_ low: Duration, _ high: Duration) -> Duration {
        .milliseconds(Int64.random(in: low.wholeMilliseconds...high.wholeMilliseconds, using: &generator))
    }

    var moment: Moment { Moment(now: now, wall: wall) }

    var wall: Timestamp { Timestamp(milliseconds: 1_700_000_000_000).advanced(by: now - .zero) }

    static func bytes(of content: MessageContent) -> Int {
        if case .text(let text) = content { text.utf8.count } else { 0 }
    }

    private static func fixed<Value>(_ value: Value?) -> Value {
        guard let value else { preconditionFailure("a fixed name is a name") }
        return value
    }
}

/// What happened, line by line; told only when somebody listens, for telling costs more than living.
struct Story {
    let isTelling: Bool
    private(set) var lines: [String] = []

    init(isTelling: Bool) { self.isTelling = isTelling }

    mutating func tell(_ time: MonotonicTime, _ line: @autoclosure () -> String) {
        guard isTelling else { return }
        lines.append("\(Double(time.nanoseconds / 1_000_000) / 1000) s  \(line())")
    }

    /// The last lines.
    func ending(_ count: Int) -> String { lines.suffix(count).joined(separator: "\n") }
}
