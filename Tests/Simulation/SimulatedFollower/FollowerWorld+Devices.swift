import CausewayHTTPTransport
import CausewayHubRules
import CausewayModels
import CausewaySimulationKernel
import CausewaySync

/// The devices' side: performs the follower's actions, stores what events bring, reads pages, and checks both.
extension FollowerWorld {
    /// Starts a device's process, or starts it again after a crash.
    func start(_ index: Int) {
        runs[index] += 1
        let store = devices[index].store
        devices[index] = FollowerDevice(store: store, choice: devices[index].choice, calls: devices[index].calls)
        perform(devices[index].follower.follow(from: store.cursor.flatMap(Self.text)), index)
        plan(.ready(device: index, run: runs[index]), in: latency())
        readPages(index)
    }

    private static func text(_ cursor: LogCursor) -> EventCursor? { EventCursor(rawValue: cursor.text) }

    func perform(_ actions: [EventFollower.Action], _ index: Int) {
        for action in actions {
            switch action {
            case .takeCursor:
                if plantedFault == .readsThenRegisters {
                    devices[index].earlyState = Dictionary(
                        uniqueKeysWithValues: hub.channels.map { ($0, hub.page(of: $0)) })
                }
                begin(.takeCursor, index)
            case .open:
                tally.reconnects += 1
                devices[index].allowed = hub.readable
                begin(.read, index)
            case .readOn: begin(.read, index)
            case .end: devices[index].call = nil
            // The network reports by itself when the hub can be reached.
            case .probe: break
            case .notify(.stateDue): stateIsDue(index)
            case .notify(.channelsDue(let channels)): require(channels, index)
            case .notify: break
            }
        }
        guard let deadline = devices[index].follower.nextDeadline else { return }
        if plantedFault == .losesDeadlines, number(below: 4) == 0 { return }
        queue.plan(.deadline(device: index, run: runs[index]), at: deadline)
    }

    private func stateIsDue(_ index: Int) {
        guard let early = devices[index].earlyState.take() else {
            if plantedFault != .ignoresReset || devices[index].store.items.isEmpty {
                require(Set(hub.channels), index)
            }
            return
        }
        for (channel, page) in early { merge(page, of: channel, FollowerDevice.PageRead(number: 0), index) }
    }

    // MARK: - Calls

    private func begin(_ kind: FollowerDevice.Call.Kind, _ index: Int) {
        devices[index].calls += 1
        let isSocket = chooseSocket(index)
        let call = FollowerDevice.Call(
            number: devices[index].calls, kind: kind, cursor: devices[index].store.cursor, isSocket: isSocket,
            allowed: devices[index].allowed)
        record("device \(index) \(kind) \(call.number) from \(call.cursor?.position ?? -1)\(isSocket ? " socket" : "")")
        devices[index].call = call
        send(call, index)
    }

    private func chooseSocket(_ index: Int) -> Bool {
        switch devices[index].choice.choose(at: elapsed) {
        case .http(let probes):
            if probes, plantedFault != .neverReturnsToSocket { openSocket(index) }
            return false
        case .socket:
            if !devices[index].isSocketOpen { openSocket(index) }
            return devices[index].isSocketOpen
        }
    }

    private func openSocket(_ index: Int) {
        let before = devices[index].choice.reason
        if isSocketBlocked {
            devices[index].choice.refused("blocked", at: elapsed)
        } else {
            devices[index].choice.opened(at: elapsed)
            devices[index].choice.probeSucceeded()
            devices[index].isSocketOpen = true
        }
        if before != devices[index].choice.reason { tally.changesOfCarrier += 1 }
    }

    func loseSocket(_ index: Int) {
        guard devices[index].isSocketOpen else { return }
        devices[index].isSocketOpen = false
        devices[index].choice.lost(at: elapsed, hasServed: true)
    }

    /// Ends the connection under the call in progress; its result may still be on the way.
    func cutConnection(of index: Int) {
        loseSocket(index)
        guard let call = devices[index].call else { return }
        plan(.result(device: index, run: runs[index], call, .failed), in: .milliseconds(number(below: 50)))
    }

    func takeLinkDown(_ index: Int) {
        loseSocket(index)
        if number(below: 2) == 0 {
            perform(devices[index].follower.serverBecame(ready: false, at: now), index)
        } else {
            perform(devices[index].follower.networkChanged(at: now), index)
        }
        plan(.ready(device: index, run: runs[index]), in: .milliseconds(number(below: 40_000)))
    }

    // MARK: - Results

    func finish(_ call: FollowerDevice.Call, _ outcome: Outcome, _ index: Int) {
        guard devices[index].call?.number == call.number || plantedFault == .acceptsLateResults else { return }
        devices[index].call = nil
        switch outcome {
        case .failed: fail(.connection, index)
        case .start(let cursor): restart(at: cursor, index) { $0.located($1) }
        case .part(let part) where part.isReset:
            tally.resets += 1
            restart(at: part.cursor, index) { $0.reset(to: $1) }
        case .part(let part): store(part, call, index)
        }
    }

    private func fail(_ kind: EventProblem.Kind, _ index: Int) {
        let jitter = Double.random(in: 0...1, using: &generator)
        perform(
            devices[index].follower.failed(EventProblem(kind: kind, detail: ""), at: now, jitter: jitter), index)
    }

    private func restart(
        at cursor: LogCursor, _ index: Int,
        _ next: (inout EventFollower, EventCursor) -> [EventFollower.Action]
    ) {
        guard !strikes(.fullDisk), let text = Self.text(cursor) else { return fail(.store, index) }
        if let known = devices[index].store.cursor, known.history != cursor.history {
            // The stored state is of a former history.
            if plantedFault != .ignoresReset { devices[index].store.items = [:] }
            devices[index].pages = [:]
        }
        devices[index].store.cursor = cursor
        perform(next(&devices[index].follower, text), index)
    }

    private func store(_ part: LogHub.Part, _ call: FollowerDevice.Call, _ index: Int) {
        guard let text = Self.text(part.cursor) else { return }
        check(part, call, index)
        if strikes(.fullDisk) {
            if plantedFault == .storesCursorFirst { devices[index].store.cursor = part.cursor }
            return fail(.store, index)
        }
        var limited: Set<ChannelID>? = part.limited.isEmpty ? nil : []
        for topic in part.limited { if case .channel(let channel) = topic { limited?.insert(channel) } }
        for event in part.events {
            if event.key.kind == LogHub.item {
                apply(event, index)
            } else if event.item.isDeleted, case .channel(let channel)? = hub.rights.topic(grantedBy: event.key) {
                limited = (limited ?? []).union([channel])
            }
        }
        tally.batches += 1
        tally.events += part.events.count
        tally.limited += limited?.count ?? 0
        devices[index].store.cursor = part.cursor
        if plantedFault == .ignoresLimited { limited = limited.map { _ in [] } }
        // In the same commit, so that a crash does not forget it.
        devices[index].store.due.formUnion(limited ?? [])
        perform(
            devices[index].follower.stored(
                text, limited: limited, isUpToDate: part.isUpToDate, isAwaited: false), index)
        checkState(part, index)
    }

    private func apply(_ event: LogHub.Event, _ index: Int) {
        guard let channel = LogHub.channel(of: event.key) else { return }
        if event.item.isDeleted {
            if plantedFault == .dropsDeletions { return }
            devices[index].store.items[event.key] = nil
            devices[index].pages[channel]?.gone.insert(event.key)
        } else if event.item.version > devices[index].store.items[event.key] ?? 0 {
            devices[index].store.items[event.key] = event.item.version
            devices[index].pages[channel]?.arrived.insert(event.key)
        }
    }

    // MARK: - Pages

    private func require(_ channels: Set<ChannelID>, _ index: Int) {
        devices[index].store.due.formUnion(channels)
        for channel in channels { devices[index].pages[channel]?.isStale = true }
        readPages(index)
    }

    private func readPages(_ index: Int) {
        let device = devices[index]
        for channel in device.store.due.sorted(by: { $0.value < $1.value }) where device.pages[channel] == nil {
            devices[index].pageNumber += 1
            let number = devices[index].pageNumber
            devices[index].pages[channel] = FollowerDevice.PageRead(number: number)
            plan(.pageAtHub(device: index, run: runs[index], channel, number: number), in: latency())
        }
    }

    func receive(_ page: LogHub.Page, of channel: ChannelID, _ number: Int, _ index: Int) {
        guard let read = devices[index].pages[channel], read.number == number else { return }
        devices[index].pages[channel] = nil
        merge(page, of: channel, read, index)
        if !read.isStale { devices[index].store.due.remove(channel) }
        readPages(index)
    }

    private func merge(
        _ page: LogHub.Page, of channel: ChannelID, _ read: FollowerDevice.PageRead, _ index: Int
    ) {
        devices[index].pageVersion = max(devices[index].pageVersion, page.version)
        let listed = page.items ?? [:]
        for key in devices[index].store.items.keys where LogHub.channel(of: key) == channel && listed[key] == nil {
            if page.items == nil || !read.arrived.contains(key) { devices[index].store.items[key] = nil }
        }
        for (key, version) in listed where !read.gone.contains(key) {
            devices[index].store.items[key] = max(version, devices[index].store.items[key] ?? 0)
        }
    }

    // MARK: - Invariants

    private func check(_ part: LogHub.Part, _ call: FollowerDevice.Call, _ index: Int) {
        if call.cursor != devices[index].store.cursor {
            violate("device \(index) stores a part that does not follow what it has")
        }
        var position = call.cursor?.position ?? 0
        for event in part.events {
            if event.position <= position { violate("a part repeats a change, or is out of order") }
            position = event.position
            if case .channel(let channel) = event.item.topic, !part.channels.contains(channel) {
                violate("a part contains a change of \(channel), which the account cannot read")
            }
        }
        if part.cursor.position < position { violate("the cursor of a part is before its changes") }
        if part.cursor.position < call.cursor?.position ?? 0 { violate("a cursor goes back") }
    }

    /// The state of a device that is up to date equals that of the hub when it made the part.
    private func checkState(_ part: LogHub.Part, _ index: Int) {
        let device = devices[index]
        // A page may have shown a later state.
        guard device.isComplete, device.pageVersion <= part.version, device.store.items != part.visible else { return }
        violate("device \(index) is up to date, and has \(difference(device.store.items, part.visible))")
    }
}
