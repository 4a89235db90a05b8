import CausewayHTTPTransport
import CausewayHubRules
import CausewayModels
import CausewaySimulationKernel
import CausewaySync

/// One run: a hub that changes, one account on one or two devices that follow its log, and a network between them.
///
/// Invariants:
/// - Nothing is missing: a device that is up to date, and has read the pages that it was told to read, has what the
///   account could read when the hub made the last part.
/// - Nothing twice: the parts that a device stores follow one another without overlap, in one history.
/// - Order: the changes of a part ascend, and the state of a record never goes back within a history.
/// - Rights: a part contains nothing of a channel that the account cannot read when it is made.
/// - Progress: after the faults everything arrives, a change on an idle connection at once, and the socket is used
///   again.
final class FollowerWorld {
    enum Step {
        case act
        case ready(device: Int, run: Int)
        case deadline(device: Int, run: Int)
        case atHub(device: Int, run: Int, FollowerDevice.Call)
        case register(device: Int, run: Int, FollowerDevice.Call)
        case pollEnds(reader: EventSubscriptions.ReaderID, hubRun: Int)
        case result(device: Int, run: Int, FollowerDevice.Call, Outcome)
        case pageAtHub(device: Int, run: Int, ChannelID, number: Int)
        case page(device: Int, run: Int, ChannelID, number: Int, LogHub.Page)
        case socketEnded(device: Int, run: Int)
        case faultsEnd, lastChange, lastChangeDue, end
    }

    enum Outcome {
        case start(LogCursor)
        case part(LogHub.Part)
        case failed
    }

    let seed: UInt64
    let plantedFault: FollowerPlantedFault?
    var generator: SplitMix64
    var likelihoods = FaultLikelihoods<FollowerFault>()
    var queue = TimeQueue<Step>()
    var now = MonotonicTime.zero
    var hub: LogHub
    var subscriptions: EventSubscriptions
    /// The calls that wait at the hub.
    var waiting: [EventSubscriptions.ReaderID: (device: Int, run: Int, call: FollowerDevice.Call)] = [:]
    var woken: Set<EventSubscriptions.ReaderID> = []
    /// The process of the hub; its registrations end with it.
    var hubRun = 0
    var devices: [FollowerDevice] = []
    /// The process of each device; what belongs to an earlier one is obsolete.
    var runs: [Int]
    var areFaultsOver = false
    var isSocketBlocked = false
    var tally = FollowerTally()
    var history: HistoryText
    private(set) var violation: String?
    private var hasEnded = false

    private static let faultsEnd = MonotonicTime.zero + .seconds(240)
    /// After the faults: the longest pause after a failure, and some calls.
    private static let quiet: Duration = .seconds(200)
    private static let lastChangeBound: Duration = .seconds(3)
    /// The longest time over HTTP, and a probe.
    private static let carrierBound: Duration = .seconds(2_000)
    static let readers = EventSubscriptions.Limits(
        readersMax: 100, perAccountMax: 50, perPeerMax: 50, idleTopicsMax: 10, idleTime: .seconds(10))
    private static let stepsMax = 40_000

    init(seed: UInt64, plantedFault: FollowerPlantedFault?, isRecording: Bool = false) {
        self.seed = seed
        self.plantedFault = plantedFault
        generator = SplitMix64(seed: seed)
        let badness = [0, 2, 3, 3, 6].randomElement(using: &generator) ?? 3
        likelihoods.draw(FollowerFault.allCases, badness: badness, using: &generator)
        let channels = (0..<Int.random(in: 1...3, using: &generator)).compactMap { ChannelID("channel-\($0)") }
        guard let user = UserID("me") else { preconditionFailure("A valid name.") }
        hub = LogHub(
            TopicRights(of: user), channels, listedMax: [6, 12, 100].randomElement(using: &generator) ?? 12,
            partMax: [1, 2, 4, 100].randomElement(using: &generator) ?? 4)
        hub.plantedFault = plantedFault
        subscriptions = EventSubscriptions(Self.readers)
        history = HistoryText(isRecording: isRecording)
        let count = Int.random(in: 1...2, using: &generator)
        runs = Array(repeating: 0, count: count)
        devices = (0..<count).map { _ in FollowerDevice(choice: CarrierChoice()) }
    }

    func run() {
        tally.seeds = 1
        for device in devices.indices { start(device) }
        plan(.act, in: pause())
        queue.plan(.faultsEnd, at: Self.faultsEnd)
        var steps = 0
        while violation == nil, !hasEnded, let (time, step) = queue.next() {
            now = time
            steps += 1
            if steps > Self.stepsMax { violate("the run does not end") }
            perform(step)
        }
        tally.digest =
            (UInt64(steps) &* 0x9E37_79B9) ^ UInt64(bitPattern: now.nanoseconds)
            ^ (UInt64(tally.events) << 20 ^ UInt64(tally.reconnects))
    }

    func violate(_ text: String) {
        record("BROKEN: \(text)")
        violation = violation ?? text
    }

    func record(_ line: @autoclosure () -> String) { history.record(now, line()) }

    /// The clock of carriers.
    var elapsed: Duration { now - .zero }

    func plan(_ step: Step, in duration: Duration) { queue.plan(step, at: now + duration) }

    func latency() -> Duration {
        let slow = strikes(.slow) ? Int64.random(in: 1...20, using: &generator) : 0
        return .milliseconds(Int64.random(in: 2...120, using: &generator)) + .seconds(slow)
    }

    func strikes(_ fault: FollowerFault) -> Bool {
        guard !areFaultsOver, likelihoods[fault] > 0,
            Int.random(in: 0..<1000, using: &generator) < likelihoods[fault]
        else { return false }
        tally.faults.count(fault, inFlight: devices.filter { $0.call != nil }.count)
        record("\(fault)")
        return true
    }

    /// Now and then long enough for a poll to end by itself.
    private func pause() -> Duration {
        if number(below: 16) == 0 { return .seconds(30) }
        return .milliseconds(Int64.random(in: 10...4_000, using: &generator))
    }

    private func perform(_ step: Step) {
        switch step {
        case .act:
            guard !areFaultsOver else { return }
            act()
            plan(.act, in: pause())
        case .ready(let device, let run) where runs[device] == run:
            perform(devices[device].follower.serverBecame(ready: true, at: now), device)
        case .deadline(let device, let run) where runs[device] == run:
            // Woken early, the follower does nothing.
            perform(devices[device].follower.deadlineReached(at: now), device)
        case .atHub(let device, let run, let call): arrive(call, device, run)
        case .register(let device, let run, let call): register(call, device, run)
        case .pollEnds(let reader, let run) where hubRun == run: respond(to: reader)
        case .result(let device, let run, let call, let outcome) where runs[device] == run:
            finish(call, outcome, device)
        case .pageAtHub(let device, let run, let channel, let number):
            let page = hub.page(of: channel)
            plan(.page(device: device, run: run, channel, number: number, page), in: latency())
        case .page(let device, let run, let channel, let number, let page) where runs[device] == run:
            receive(page, of: channel, number, device)
        case .socketEnded(let device, let run) where runs[device] == run: loseSocket(device)
        case .faultsEnd:
            areFaultsOver = true
            isSocketBlocked = false
            for channel in hub.channels { hub.setMembership(of: channel, true) }
            publish(hub.rights.own)
            for channel in hub.channels { publish(.channel(channel)) }
            for device in devices.indices {
                perform(devices[device].follower.serverBecame(ready: true, at: now), device)
            }
            plan(.lastChange, in: Self.quiet)
        case .lastChange:
            if let channel = hub.channels.first { hub.create(in: channel) }
            for channel in hub.channels.prefix(1) { publish(.channel(channel)) }
            plan(.lastChangeDue, in: Self.lastChangeBound)
        case .lastChangeDue:
            checkEnd()
            // The socket takes long to be tried again.
            if seed % 8 == 0 { plan(.end, in: Self.carrierBound) } else { hasEnded = true }
        case .end:
            checkEnd()
            for device in devices.indices where devices[device].choice.choose(at: elapsed) != .socket {
                violate("the socket is not used again")
            }
            hasEnded = true
        default: break  // of an earlier process
        }
    }

    private func checkEnd() {
        for (index, device) in devices.enumerated() {
            if device.follower.state != .upToDate { violate("device \(index) is \(device.follower.state) at the end") }
            if device.store.items != hub.visible {
                violate("device \(index) has \(difference(device.store.items, hub.visible)) at the end")
            }
        }
    }

    func difference(_ have: [RecordKey: Int64], _ should: [RecordKey: Int64]) -> String {
        let missing = should.filter { have[$0.key] == nil }.keys.map(\.id).sorted()
        let extra = have.filter { should[$0.key] == nil }.keys.map(\.id).sorted()
        let old = should.filter { have[$0.key] != nil && have[$0.key] != $0.value }.count
        return "\(missing.count) missing \(missing.prefix(3)), \(extra.count) too many \(extra.prefix(3)), \(old) other"
    }
}
