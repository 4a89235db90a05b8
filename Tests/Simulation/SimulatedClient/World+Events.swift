import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewaySimulationKernel

/// The hub's log over the network, and the lists that it keeps up to date.
extension World {
    /// The time that a request for events waits at the hub.
    private static let eventWait: Duration = .seconds(20)
    /// The time within which every list must be equal to the hub's state, once nothing happens any more.
    private static let followingBound: Duration = .seconds(1800)
    /// The time for which lists are then observed: nothing may be requested for them.
    private static let quietTime: Duration = .seconds(120)

    func locate(_ history: ServerHistory?, _ transport: SimulatedTransport, _ reply: Reply<EventStart>) {
        guard processes[transport.process].life != .dead else { return }
        let device = processes[transport.process].device
        guard passes(device, reply) else { return }
        after(latency()) { [self] in
            if let error = doorError(transport.token) { return respond(reply, .failure(error), to: device) }
            _ = meet(history)
            guard let cursor = hub.eventCursor else { return }
            eventStarts[cursor, default: []].insert(device)
            respond(reply, .success(EventStart(cursor: cursor, history: oracle.name(hub))), to: device)
        }
    }

    func events(
        after cursor: EventCursor, isWaiting: Bool, _ history: ServerHistory?, _ transport: SimulatedTransport,
        _ reply: Reply<EventPart>
    ) {
        guard processes[transport.process].life != .dead else { return }
        let device = processes[transport.process].device
        guard passes(device, reply) else { return }
        if strikes(.requestLost) { return answer(reply, .failure(.inDoubt(detail: "reset")), after: latency()) }
        let deadline = runtime.now + Self.eventWait
        runtime.spawn { [self] in
            await pass(latency())
            if isWaiting, hub.eventCursor == cursor {
                let end = hub.eventPosition
                await runtime.wait(until: deadline) { [self] in hub.eventPosition != end || reply.isOver }
            }
            guard !reply.isOver else { return }
            if let error = doorError(transport.token) { return respond(reply, .failure(error), to: device) }
            guard let user = account(of: transport.token) else { return }
            _ = meet(history)
            if strikes(.eventsForgotten) { hub.forgetEvents() }
            let listedMax = strikes(.eventsLimited) ? Int.random(in: 0...3, using: &eventDice) : .max
            let countMax = Int.random(in: 1...10, using: &eventDice)
            let part = hub.events(after: cursor, for: user, countMax: countMax, listedMax: listedMax)
            _ = oracle.name(hub)
            guard let part = part.map({ falsified($0, cursor) }) else { return }
            tally.eventParts += 1
            if part.isToBeReadAnew {
                reasonsToAsk += 1
                devices[device].unlistedDeletions.formUnion(hub.accepted.filter { $0.value.isDeleted }.keys)
            }
            tell(.arrives, transport.process, 1) { "hub: to device \(device): \(part.told(expected))" }
            if strikes(.answerLost) { return answer(reply, .failure(.inDoubt(detail: "reset")), after: latency()) }
            respond(reply, .success(part), to: device)
        }
    }

    private func respond<Value: Sendable>(_ reply: Reply<Value>, _ outcome: Reply<Value>.Outcome, to device: Int) {
        answer(reply, outcome, after: devices[device].cutUntil > runtime.now ? .seconds(40) : latency())
    }

    /// Planted faults: the part that a wrong hub or transport returns.
    private func falsified(_ part: EventPart, _ cursor: EventCursor) -> EventPart {
        switch (plan.plantedFault, part) {
        case (.dropsDeletionEvents, .batch(var batch)):
            batch.events.removeAll { if case .messageDeleted = $0.change { true } else { false } }
            return .batch(batch)
        case (.ignoresLimited, .batch(var batch)):
            batch.limited = []
            return .batch(batch)
        case (.ignoresReset, .reset(let start)):
            return .batch(EventBatch(events: [], cursor: start.cursor, isUpToDate: true, history: start.history))
        case (.losesEventParts, .batch(var batch)) where Int.random(in: 0..<5, using: &eventDice) == 0:
            batch.events = []
            return .batch(batch)
        default: return part
        }
    }

    /// Planted fault: true for the first stream from a cursor that was just taken.
    func isFirstReader(at cursor: EventCursor) -> Bool { eventStarts.removeValue(forKey: cursor) != nil }

    // MARK: - Lists

    /// Opens a list of each channel, as a screen does.
    func openLists(_ process: Int, _ client: CausewayClient) {
        for channel in channels {
            let changes = client.liveChanges(of: MessagesQuery(.channel(channel), direction: .descending))
            watchersLeft += 1
            runtime.spawn { [self] in
                for await change in changes { processes[process].lists[channel] = change }
                watchersLeft -= 1
            }
        }
    }

    /// Checks that every open list becomes equal to the hub's state.
    func checkLists() async {
        guard plan.hasEvents else { return }
        let deadline = runtime.now + Self.followingBound
        while violation == nil {
            var difference = difference()
            if difference == nil { difference = await unfollowed() }
            guard let difference else { return }
            if runtime.now > deadline { return violated(.lists, difference) }
            await pass(.seconds(1))
        }
    }

    /// Checks that every open list remains equal to the hub's state without a request.
    func checkQuietLists() async {
        guard plan.hasEvents, violation == nil else { return }
        // Requests that failed before are repeated.
        await pass(Self.quietTime)
        let (asked, reasons) = (pagesRead, reasonsToAsk)
        await pass(Self.quietTime)
        if reasonsToAsk != reasons { return }
        if let difference = difference() { violated(.lists, "\(difference), after it was equal") }
        if pagesRead != asked {
            violated(.neededPages, "\(pagesRead - asked) pages were requested for lists that events keep up to date")
        }
    }

    /// A device whose client does not follow the hub's log to its end.
    private func unfollowed() async -> String? {
        for device in devices.indices {
            guard let (_, client) = running(device), let status = try? await client.status(),
                status.events == .upToDate
            else { return "device \(device) does not get up to date" }
        }
        return nil
    }

    /// A difference between an open list and the hub's state.
    private func difference() -> String? {
        for device in devices.indices {
            guard let (process, _) = running(device), let user = processes[process].disk.account?.user,
                devices[device].session?.isActive == true
            else { return "device \(device) does not follow anything" }
            for channel in channels {
                let list = "the list of \(channel) on device \(device)"
                guard let shown = processes[process].lists[channel] else { return "\(list) shows nothing" }
                guard shown.dataStatus == .fresh else { return "\(list) is \(shown.dataStatus)" }
                let found = shown.snapshot.compactMap(\.serverPosition?.position)
                let deleted = devices[device].deletedHere[user] ?? []
                let onHub = hub.messages(of: channel, for: user).filter { !deleted.contains($0.id) }
                let wanted = onHub.map(\.serverPosition.position).reversed()
                let isLong = shown.snapshot.count >= Limits.pageSizeDefault || found.count == wanted.count
                guard found == Array(wanted.prefix(found.count)), isLong else {
                    return "\(list) shows \(found), and the hub has \(Array(wanted))"
                }
            }
        }
        return nil
    }
}

extension EventPart {
    /// True if pages must be read.
    fileprivate var isToBeReadAnew: Bool {
        switch self {
        case .reset: true
        case .batch(let batch): !batch.limited.isEmpty
        }
    }

    fileprivate func told(_ expected: ExpectedState) -> String {
        switch self {
        case .reset(let start): return "the events begin anew at \(start.cursor.rawValue)"
        case .batch(let batch):
            let events = batch.events.map { event in
                switch event.change {
                case .message(let message): "message \(expected.number(message.id))@\(message.serverPosition.position)"
                case .messageDeleted(let id): "message \(expected.number(id)) is deleted"
                case .record(let record): "record \(record.id)"
                case .recordDeleted(_, let id): "record \(id) is deleted"
                }
            }
            return "events up to \(batch.cursor.rawValue): \(events.joined(separator: ", "))"
                + (batch.limited.isEmpty ? "" : "; limited: \(batch.limited.count)")
                + (batch.isUpToDate ? "; up to date" : "")
        }
    }
}
