import CausewayHTTPTransport
import CausewayHubRules
import CausewayModels
import CausewaySimulationKernel

/// The hub's side: changes, and requests for events, which wait as the hub's long polls do.
extension FollowerWorld {
    private static let pollMax: Duration = .seconds(25)
    private static let timeout: Duration = .seconds(30)

    /// One act of the world: a fault, or some changes.
    func act() {
        for fault in [FollowerFault.restart, .restore, .retention, .memberRemoved, .crash, .linkDown, .cut] {
            if strikes(fault) { strike(fault) }
        }
        if strikes(.socketBlocked) { isSocketBlocked.toggle() }
        if number(below: 15) == 0 { hub.backUp() }
        guard let channel = hub.channels.randomElement(using: &generator) else { return }
        if !hub.isMember(of: channel), number(below: 2) == 0 {
            hub.setMembership(of: channel, true)
            publish(hub.rights.own)
        }
        // Now and then more than a part, or more than is listed.
        let count = number(below: 6) == 0 ? 1 + number(below: 20) : 1 + number(below: 3)
        for _ in 0..<count { change(channel) }
        publish(.channel(channel))
    }

    private func change(_ channel: ChannelID) {
        let records = hub.records(of: channel)
        switch (number(below: 4), records.randomElement(using: &generator)) {
        case (0, let key?): hub.edit(key)
        case (1, let key?): hub.delete(key)
        default: hub.create(in: channel)
        }
    }

    func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    private func strike(_ fault: FollowerFault) {
        let device = number(below: devices.count)
        switch fault {
        case .restart:
            hub.restart()
            endConnections()
        case .restore:
            hub.restore()
            endConnections()
        case .retention: hub.trim(to: hub.data.last - Int64(number(below: 20)))
        case .memberRemoved:
            guard let channel = hub.channels.randomElement(using: &generator) else { return }
            hub.setMembership(of: channel, !hub.isMember(of: channel))
            publish(hub.rights.own)
        case .crash: start(device)
        case .linkDown: takeLinkDown(device)
        default: cutConnection(of: device)
        }
    }

    /// The hub's process has ended.
    private func endConnections() {
        hubRun += 1
        subscriptions = EventSubscriptions(Self.readers)
        waiting = [:]
        woken = []
        for device in devices.indices { cutConnection(of: device) }
    }

    // MARK: - Requests

    /// Wakes the readers of a topic that has changed.
    func publish(_ topic: LogTopic) {
        guard plantedFault != .wakesNobody else { return }
        for reader in subscriptions.publish(topic, at: hub.data.last).sorted() {
            woken.insert(reader)
            plan(.pollEnds(reader: reader, hubRun: hubRun), in: .milliseconds(1))
        }
    }

    func arrive(_ call: FollowerDevice.Call, _ device: Int, _ run: Int) {
        guard let cursor = call.cursor, call.kind == .read else {
            return respond(to: call, .start(hub.end), device, run)
        }
        let part = read(after: cursor, call)
        guard part.isIdle else { return respond(to: call, .part(part), device, run) }
        plan(.register(device: device, run: run, call), in: .milliseconds(1 + number(below: 150)))
    }

    private func read(after cursor: LogCursor, _ call: FollowerDevice.Call) -> LogHub.Part {
        hub.read(after: cursor, allowed: plantedFault == .rightsOnlyAtOpening ? call.allowed : nil)
    }

    /// Registers a reader that found nothing, and lets it read once more.
    func register(_ call: FollowerDevice.Call, _ device: Int, _ run: Int) {
        guard let cursor = call.cursor else { return }
        let account = hub.rights.account
        guard let reader = subscriptions.enter(account, from: "\(device)", topics: nil) else {
            return respond(to: call, .failed, device, run)
        }
        if let generation = subscriptions.prepare(reader) {
            subscriptions.register(Set(hub.readable.map(LogTopic.channel)), of: account, generation: generation)
        }
        let part = read(after: cursor, call)
        guard part.isIdle || plantedFault == .registersAfterReading else {
            subscriptions.leave(reader, at: now)
            return respond(to: call, .part(part), device, run)
        }
        subscriptions.reach(part.cursor.position, reader)
        waiting[reader] = (device, run, call)
        plan(.pollEnds(reader: reader, hubRun: hubRun), in: Self.pollMax)
    }

    /// A waiting reader was woken, or its time has come.
    func respond(to reader: EventSubscriptions.ReaderID) {
        guard let (device, run, call) = waiting.removeValue(forKey: reader), let cursor = call.cursor else { return }
        let wasWoken = woken.remove(reader) != nil
        subscriptions.leave(reader, at: now)
        let part = read(after: cursor, call)
        if !part.isIdle, !part.isReset, !wasWoken { violate("a waiting reader was not woken") }
        respond(to: call, .part(part), device, run)
    }

    private func respond(to call: FollowerDevice.Call, _ outcome: Outcome, _ device: Int, _ run: Int) {
        if strikes(.responseLost) { return plan(.result(device: device, run: run, call, .failed), in: Self.timeout) }
        plan(.result(device: device, run: run, call, outcome), in: latency())
        guard strikes(.responseRepeated) else { return }
        plan(.result(device: device, run: run, call, outcome), in: latency() + .milliseconds(number(below: 5_000)))
    }

    /// Sends a call on its way.
    func send(_ call: FollowerDevice.Call, _ device: Int) {
        let run = runs[device]
        if strikes(.requestLost) { return plan(.result(device: device, run: run, call, .failed), in: Self.timeout) }
        plan(.atHub(device: device, run: run, call), in: latency())
    }
}
