import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayTransport

/// The network between devices and hub: it loses, delays, repeats, reorders, cuts and falsifies.
extension World {
    func send(_ delivery: Delivery, _ transport: SimulatedTransport, _ reply: Reply<DeliveryReport>) {
        let device = processes[transport.process].device
        guard processes[transport.process].life != .dead else { return }
        tally.calls += 1
        witnessSending(delivery, transport)
        for operation in delivery.operations { expected.records[operation.message]?.departures += 1 }
        tell(.calls, transport.process, delivery.operations.count) {
            "device \(device): sends in \(delivery.lane), epoch \(delivery.epoch): "
                + delivery.operations.map { "message \(expected.number($0.message)) \($0.told)" }.joined(
                    separator: ", ")
        }
        if delivery.operations.contains(where: kills) { kill(transport.process, with: delivery) }
        if strikes(.crashOnCall) { crash(transport.process) }
        if strikes(.cut) { cut(device) }
        let token = plan.plantedFault == .mixesAccounts ? other(transport.token) : transport.token
        let call = DeliveryCall(
            process: transport.process, device: device, token: token, delivery: delivery, reply: reply)
        guard passes(device, reply) else { return }
        let latency = latency()
        if strikes(.requestLost) {
            if isLikely(500) { answer(reply, .failure(.inDoubt(detail: "reset")), after: latency) }
        } else if strikes(.answerLost) {
            arrive(call, after: latency, isLikely(500) ? .reset : .lost)
        } else if strikes(.requestLate) {
            arrive(call, after: between(.seconds(1), Plan.lateRequestMax), .delivered)
        } else if strikes(.requestRepeated) {
            for operation in delivery.operations { expected.records[operation.message]?.isRepeated = true }
            let isFirstHeard = isLikely(700)
            arrive(call, after: latency, isFirstHeard ? .delivered : .lost)
            let again = isLikely(500) ? latency + self.latency() : between(.seconds(1), Plan.lateRequestMax)
            arrive(call, after: again, isFirstHeard ? .lost : .delivered)
        } else {
            arrive(call, after: latency, .delivered)
        }
    }

    /// Returns false when the hub is unreachable or something else responds in its place; the caller gets the error.
    func passes<Value: Sendable>(_ device: Int, _ reply: Reply<Value>) -> Bool {
        let error: TransportError
        if devices[device].cutUntil > runtime.now {
            error = .unreachable(detail: "no way to the hub")
        } else if strikes(.captivePortal) {
            error = .inDoubt(detail: "a portal wants to be paid")
        } else if strikes(.certificate) {
            error = .actionRequired(ActionRequired(cause: .certificate, detail: "the portal has its own certificate"))
        } else {
            return true
        }
        answer(reply, .failure(error), after: between(.milliseconds(1), .milliseconds(50)))
        return false
    }

    func latency() -> Duration {
        strikes(.slow) ? between(.seconds(1), .seconds(20)) : between(.milliseconds(2), .milliseconds(200))
    }

    func answer<Value>(_ reply: Reply<Value>, _ outcome: Reply<Value>.Outcome, after time: Duration) {
        guard !reply.isOver else { return }
        after(time) { reply.end(outcome) }
    }

    /// Breaks every call in flight of a device, and blocks its network for a while.
    private func cut(_ device: Int) {
        devices[device].cutUntil = runtime.now + between(.milliseconds(100), .seconds(60))
    }

    private func arrive(_ call: DeliveryCall, after time: Duration, _ fate: AnswerFate) {
        after(time) { [self] in
            let outcome = judge(call)
            tell(.arrives, call.process, 0) { "hub: to device \(call.device): \(outcome.told)" }
            switch fate {
            case .delivered:
                answer(
                    call.reply, outcome, after: devices[call.device].cutUntil > runtime.now ? .seconds(40) : latency())
            case .reset: call.reply.end(.failure(.inDoubt(detail: "reset")))
            case .lost: break
            }
        }
    }

    // MARK: - Other calls

    func authenticate(
        knowing history: ServerHistory?, _ outbox: OutboxID?, _ transport: SimulatedTransport,
        _ reply: Reply<ServerInfo>
    ) {
        guard processes[transport.process].life != .dead else { return }
        let device = processes[transport.process].device
        processes[transport.process].tokenPresented = transport.token
        processes[transport.process].probes.append(runtime.now)
        if processes[transport.process].probes.isCrowded {
            violated(.probeCircles, "device \(device) looks for the hub in circles")
        }
        guard passes(device, reply) else { return }
        after(latency()) { [self] in
            let outcome: Reply<ServerInfo>.Outcome
            if let error = doorError(transport.token) {
                outcome = .failure(error)
            } else if let user = account(of: transport.token) {
                outcome = .success(serverInfo(of: user, knowing: history, outbox))
            } else {
                outcome = .failure(.refused(code: "400", detail: "no such token"))
            }
            tell(.answers, device, 0) { "hub: greets device \(device): \(outcome)" }
            answer(reply, outcome, after: latency())
        }
    }

    func ask(_ query: RemoteQuery, _ transport: SimulatedTransport, _ reply: Reply<RemotePage>) {
        guard let device = reading("pages", transport), passes(device, reply) else { return }
        after(latency()) { [self] in
            let outcome: Reply<RemotePage>.Outcome =
                doorError(transport.token).map { .failure($0) }
                ?? .success(page(query, for: account(of: transport.token)))
            tell(.answers, device, 1) { "hub: page for device \(device): \(outcome.isFine)" }
            answer(reply, outcome, after: latency())
        }
    }

    /// A request for changes costs as much as one for a page, and is counted as one.
    func ask(_ query: RemoteChangesQuery, _ transport: SimulatedTransport, _ reply: Reply<RemoteChanges?>) {
        guard let device = reading("changes", transport), passes(device, reply) else { return }
        after(latency()) { [self] in
            if let error = doorError(transport.token) { return answer(reply, .failure(error), after: latency()) }
            _ = meet(query.history)
            var changes = hub.changes(query, for: account(of: transport.token))
            changes?.history = oracle.name(hub)
            if lies(.dropsChanges, oneIn: 1) { changes?.items = [] }
            tally.changeRequests += 1
            tell(.answers, device, 2) { [changes] in
                let words = changes.map { "\($0.items.count) and \($0.gone.count) gone" } ?? "unknown"
                return "hub: changes for device \(device): \(words)"
            }
            answer(reply, .success(changes), after: latency())
        }
    }

    /// Counts a request for records.
    ///
    /// - Returns: the device that reads; `nil` if its process is dead.
    private func reading(_ records: String, _ transport: SimulatedTransport) -> Int? {
        guard processes[transport.process].life != .dead else { return nil }
        let device = processes[transport.process].device
        if processes[transport.process].isWitnessed { pagesRead += 1 }
        processes[transport.process].pageRequests.append(runtime.now)
        if processes[transport.process].pageRequests.isCrowded {
            violated(.pageCircles, "device \(device) asks for \(records) in circles")
        }
        return device
    }

    private func serverInfo(of user: UserID, knowing history: ServerHistory?, _ outbox: OutboxID?) -> ServerInfo {
        var serverInfo = ServerInfo(user: user, server: "simulated")
        let isCurrent = meet(history)
        serverInfo.history = oracle.name(hub)
        if !isCurrent, let outbox {
            let marks = hub.marks(of: outbox, account: user)
            if let objection = oracle.objection(toMarks: marks, of: outbox, user) { violated(.hubOracle, objection) }
            let movers = hub.movers(of: outbox, account: user)
            if let objection = oracle.objection(toMovers: movers, of: outbox, user) { violated(.hubOracle, objection) }
            serverInfo.marks = marks
            serverInfo.movers = movers
        }
        return serverInfo
    }

    private func page(_ query: RemoteQuery, for account: UserID?) -> RemotePage {
        _ = meet(query.history)
        var items = hub.history.compactMap { entry -> RemoteMessage? in
            guard var message = hub.message(entry.message, for: account), message.channel == query.channel else {
                return nil
            }
            if lies(.bringsOldContents, oneIn: 4) { message.body.content = .text("old") }
            return message
        }
        if case .before(let position) = query.range { items.removeAll { $0.serverPosition.position >= position } }
        let hasMore = items.count > query.limit
        var page = RemotePage(items: Array(items.suffix(query.limit)), hasMore: hasMore)
        page.history = oracle.name(hub)
        if plan.hasLosses || plan.hasEvents {
            page.range = range(of: page, query)
            if plan.reportsChanges { page.cursor = hub.eventCursor?.rawValue }
        }
        if strikes(.pageLeadsNowhere) {
            page.items = []
            page.hasMore = true
            page.range = nil
        }
        return page
    }

    /// The range of positions that the page covers completely.
    private func range(of page: RemotePage, _ query: RemoteQuery) -> Range<Int64> {
        let newest = hub.newestPosition(of: query.channel)
        var last = newest
        if case .before(let position) = query.range { last = min(newest, position - 1) }
        let first = page.hasMore ? page.items.first?.serverPosition.position ?? last + 1 : 1
        return min(first, last + 1)..<last + 1
    }
}

extension Result {
    fileprivate var isFine: Bool {
        if case .success = self { true } else { false }
    }
}

extension Result where Success == DeliveryReport, Failure == TransportError {
    fileprivate var told: String {
        switch self {
        case .success(let report): "mark \(report.mark): \(report.outcomes.map(\.told).joined(separator: ", "))"
        case .failure(let error): "\(error.mayHaveBeenApplied ? "in doubt" : "not applied"): \(error)"
        }
    }
}
