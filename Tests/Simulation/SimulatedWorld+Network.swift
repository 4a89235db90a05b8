import CausewayModels
import CausewayOutbox

/// The way between client and hub: it loses, delays, repeats, reorders and cuts.
extension SimulatedWorld {
    func send(_ call: Call) {
        queue.plan(.callTimesOut(call), at: now + Plan.callTimeout)
        if plan.sabotage == .fencesSkipped, let faked = fakedAnswer(to: call) {
            queue.plan(.callEnds(call, .success(faked)), at: now + .milliseconds(1))
            return
        }
        if !isCut, strikes(.cut, inFlight: true) { cut() }
        if isCut {
            let error = TransportError.unreachable(detail: "no way to the hub")
            queue.plan(.callEnds(call, .failure(error)), at: now + between(.milliseconds(1), .milliseconds(50)))
            return
        }
        let arrival = now + latency()
        if strikes(.requestLost, inFlight: true) {
            story.tell(now, "network: loses the request")
            if chance(500) { queue.plan(.callEnds(call, .failure(.inDoubt(detail: "reset"))), at: arrival) }
        } else if strikes(.answerLost, inFlight: true) {
            queue.plan(.requestArrives(call, chance(500) ? .reset : .lost), at: arrival)
        } else if strikes(.requestLate, inFlight: true) {
            story.tell(now, "network: holds the request back")
            queue.plan(
                .requestArrives(call, .delivered(after: latency())),
                at: now + between(.seconds(1), Plan.lateRequestMax))
        } else if strikes(.requestRepeated, inFlight: true) {
            repeated(call, arrival)
        } else {
            queue.plan(.requestArrives(call, .delivered(after: latency())), at: arrival)
        }
    }

    /// Two copies arrive; the client hears the answer to one of them.
    private func repeated(_ call: Call, _ arrival: MonotonicTime) {
        story.tell(now, "network: repeats the request")
        for operation in call.round.operations { ledger.records[operation.message]?.isRepeated = true }
        let again = chance(500) ? arrival + latency() : now + between(.seconds(1), Plan.lateRequestMax)
        let isFirstHeard = chance(700)
        queue.plan(.requestArrives(call, isFirstHeard ? .delivered(after: latency()) : .lost), at: arrival)
        queue.plan(.requestArrives(call, isFirstHeard ? .lost : .delivered(after: latency())), at: again)
    }

    private func latency() -> Duration {
        strikes(.slow, inFlight: true)
            ? between(.seconds(1), .seconds(20)) : between(.milliseconds(2), .milliseconds(200))
    }

    /// Everything under way on the wire breaks, and nothing gets through for a while.
    private func cut() {
        isCut = true
        story.tell(now, "network: cut")
        queue.plan(.cutEnds, at: now + between(.milliseconds(100), .seconds(60)))
        for client in clients.indices where clients[client].outbox != nil {
            for call in clients[client].openCalls.values.sorted(by: { $0.id < $1.id }) where chance(500) {
                queue.plan(.callEnds(call, .failure(.inDoubt(detail: "cut"))), at: now + .milliseconds(1))
            }
        }
    }

    // MARK: - The hub's door

    func requestArrives(_ call: Call, _ fate: AnswerFate) {
        let result = answer(call)
        story.tell(now, "hub: \(call) -> \(result.told)")
        switch fate {
        case .delivered(let after): queue.plan(.callEnds(call, result), at: now + after)
        case .reset:
            queue.plan(.callEnds(call, .failure(.inDoubt(detail: "reset"))), at: now + .milliseconds(1))
        case .lost: break
        }
    }

    // MARK: - Ends of calls

    func callEnds(_ call: Call, _ result: Result<DeliveryReport, TransportError>) {
        guard isRunning(call.client, call.process) else { return }
        guard clients[call.client].openCalls.removeValue(forKey: call.id) != nil else {
            return answerComesLate(call, result)
        }
        clients[call.client].judged = call.round
        defer { clients[call.client].judged = nil }
        switch result {
        case .success(let report):
            noteFailedAttempts(call.round, report)
            input(.answered(call.round, report), to: call.client)
        case .failure(let error):
            story.tell(now, "client \(call.client): round \(call.round.id) failed: \(error)")
            noteFailure(call.round, error)
            input(.failed(call.round, error), to: call.client)
        }
    }

    /// A transport that hears an answer after it gave up on it may still hand it in: it proves what was accepted.
    private func answerComesLate(_ call: Call, _ result: Result<DeliveryReport, TransportError>) {
        guard case .success(let report) = result else { return }
        if plan.sabotage == .lateAnswersAccepted,
            let current = clients[call.client].openCalls.values.filter({ $0.round.lane == call.round.lane })
                .min(by: { $0.id < $1.id }),
            current.round.operations.count == call.round.operations.count
        {
            clients[call.client].openCalls[current.id] = nil
            input(.answered(current.round, report), to: call.client)
        } else if strikes(.lateAnswer, inFlight: true) {
            story.tell(now, "client \(call.client): hears a late answer to round \(call.round.id)")
            input(.answered(call.round, report), to: call.client)
        }
    }

    func callTimesOut(_ call: Call) {
        guard isRunning(call.client, call.process), clients[call.client].openCalls[call.id] != nil else { return }
        callEnds(call, .failure(.inDoubt(detail: "no answer in time")))
    }

    // MARK: - Probes

    func probe(_ client: Int) {
        queue.plan(.probeArrives(client: client, process: clients[client].process), at: now + latency())
    }

    func probeArrives(_ client: Int, _ process: Int) {
        var error = probeError()
        if error == nil, isCut { error = .unreachable(detail: "no way to the hub") }
        story.tell(now, "hub: greets client \(client): \(error.map { "\($0)" } ?? "fine")")
        queue.plan(.probeEnds(client: client, process: process, error), at: now + latency())
    }

    func probeEnds(_ client: Int, _ process: Int, _ error: TransportError?) {
        guard isRunning(client, process) else { return }
        input(error.map { .probeFailed($0) } ?? .greeted, to: client)
    }

    // MARK: - Sabotage

    /// For `fencesSkipped`: a delivery of nothing but fences never leaves.
    private func fakedAnswer(to call: Call) -> DeliveryReport? {
        let kinds = Set(call.round.operations.map(\.kind))
        guard kinds.isSubset(of: [.fence, .retract]), let last = call.round.operations.last else { return nil }
        return DeliveryReport(mark: last.sequence, outcomes: call.round.operations.map { _ in .fenced })
    }
}

extension Call: CustomStringConvertible {
    var description: String {
        let links = round.operations.map { "\($0.previous)<\($0.sequence) \($0.kind) \($0.message.value.low)" }
        return "round \(round.id) (call \(id), \(round.lane), epoch \(round.epoch)): " + links.joined(separator: ", ")
    }
}

extension Result where Success == DeliveryReport, Failure == TransportError {
    /// In short words.
    fileprivate var told: String {
        switch self {
        case .success(let report): "mark \(report.mark): \(report.outcomes.map(\.told).joined(separator: ", "))"
        case .failure(let error): "\(error)"
        }
    }
}

extension DeliveryOutcome {
    fileprivate var told: String {
        switch self {
        case .accepted(let placement): "accepted@\(placement.position)"
        case .fenced: "fenced"
        case .deleted: "deleted"
        case .refused(let code, _): "refused \(code)"
        case .unrelated: "unrelated"
        case .tryLater(_, _, let after): after == nil ? "try later" : "try later after"
        case .notAttempted: "-"
        case .gap(let mark): "gap \(mark)"
        case .late(let mark): "late \(mark)"
        }
    }
}
