import CausewayModels
import CausewayOutbox

/// The network between client and hub: it loses, delays, repeats, reorders, cuts and falsifies.
extension SimulatedWorld {
    func send(_ call: Call) {
        queue.plan(.callTimesOut(call), at: now + Plan.callTimeout)
        if plan.sabotage == .fencesSkipped, let faked = fakedAnswer(to: call) {
            queue.plan(.callEnds(call, .success(faked)), at: now + .milliseconds(1))
            return
        }
        bringTrouble()
        if let error = wayError {
            queue.plan(.callEnds(call, .failure(error)), at: now + chance.latency())
            return
        }
        if troubles.contains(.halfOpen) { return story.tell(now, "network: the request goes nowhere") }
        let arrival = now + latency()
        if strikes(.requestLost) {
            story.tell(now, "network: loses the request")
            if chance.isLikely(500) {
                queue.plan(.callEnds(call, .failure(.inDoubt(detail: "reset"))), at: arrival)
            }
        } else if strikes(.answerLost) {
            queue.plan(.requestArrives(call, chance.isLikely(500) ? .reset : .lost), at: arrival)
        } else if strikes(.requestLate) {
            story.tell(now, "network: holds the request back")
            let late = now + chance.between(.seconds(1), Plan.lateRequestMax)
            queue.plan(.requestArrives(call, .delivered(after: chance.latency())), at: late)
        } else if strikes(.requestRepeated) {
            repeated(call, arrival)
        } else {
            queue.plan(.requestArrives(call, .delivered(after: latency())), at: arrival)
        }
    }

    /// A proxy repeats a POST: two copies arrive, and the client gets the response to one of them.
    private func repeated(_ call: Call, _ arrival: MonotonicTime) {
        story.tell(now, "network: repeats the request")
        for operation in call.round.operations { ledger.records[operation.message]?.isRepeated = true }
        let again =
            chance.isLikely(500)
            ? arrival + chance.latency() : now + chance.between(.seconds(1), Plan.lateRequestMax)
        let isFirstHeard = chance.isLikely(700)
        let after = chance.latency()
        queue.plan(.requestArrives(call, isFirstHeard ? .delivered(after: after) : .lost), at: arrival)
        queue.plan(.requestArrives(call, isFirstHeard ? .lost : .delivered(after: after)), at: again)
    }

    private func latency() -> Duration {
        strikes(.slow) ? chance.between(.seconds(1), .seconds(20)) : chance.latency()
    }

    /// The error of a request before it has left the network.
    private var wayError: TransportError? {
        if troubles.contains(.cut) { return .unreachable(detail: "no way to the hub") }
        if troubles.contains(.captivePortal) { return .inDoubt(detail: "the answer is not a hub's (captive portal?)") }
        if troubles.contains(.certificate) {
            return .needsAttention(Attention(cause: .certificate, detail: "the certificate does not verify"))
        }
        return nil
    }

    private func bringTrouble() {
        guard troubles.isEmpty else { return }
        if strikes(.cut) {
            begin(.cut, for: chance.between(.milliseconds(100), .seconds(60)))
            breakCalls()
        } else if strikes(.halfOpen) {
            begin(.halfOpen, for: chance.between(.seconds(1), .seconds(120)))
        } else if strikes(.captivePortal) {
            begin(.captivePortal, for: chance.between(.seconds(1), .seconds(120)))
        } else if strikes(.certificate) {
            begin(.certificate, for: chance.between(.seconds(1), .seconds(120)))
        }
    }

    /// Breaks the calls in flight; some of their clients get an error.
    private func breakCalls() {
        for client in clients.indices where clients[client].outbox != nil {
            for call in clients[client].openCalls.values.sorted(by: { $0.id < $1.id }) where chance.isLikely(500) {
                queue.plan(.callEnds(call, .failure(.inDoubt(detail: "cut"))), at: now + .milliseconds(1))
            }
        }
    }

    // MARK: - The hub's door

    func requestArrives(_ call: Call, _ fate: AnswerFate) {
        let result = answer(call)
        hash.add(result)
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
        switch result {
        case .success(let report):
            if strikes(.malformedReport) {
                ledger.noteFailedAttempt(call.round)
                return submit(.event(.answered(call.round, malformed(report))), to: call.client)
            }
            noteFailedAttempts(call.round, report)
            submit(.event(.answered(call.round, report)), to: call.client)
        case .failure(let error):
            story.tell(now, "client \(call.client): round \(call.round.id) failed: \(error)")
            ledger.noteFailure(call.round, error)
            submit(.event(.failed(call.round, error)), to: call.client)
        }
    }

    /// A transport that receives a response after its timeout may still return it: it confirms the accepted messages.
    private func answerComesLate(_ call: Call, _ result: Result<DeliveryReport, TransportError>) {
        guard case .success(let report) = result else { return }
        if plan.sabotage == .lateAnswersAccepted,
            let current = clients[call.client].openCalls.values.filter({ $0.round.lane == call.round.lane })
                .min(by: { $0.id < $1.id }),
            current.round.operations.count == call.round.operations.count
        {
            clients[call.client].openCalls[current.id] = nil
            submit(.event(.answered(current.round, report)), to: call.client)
        } else if strikes(.lateAnswer, extra: call.round.operations.count) {
            story.tell(now, "client \(call.client): hears a late answer to round \(call.round.id)")
            submit(.event(.answered(call.round, report)), to: call.client)
        }
    }

    func callTimesOut(_ call: Call) {
        guard isRunning(call.client, call.process), clients[call.client].openCalls[call.id] != nil else { return }
        callEnds(call, .failure(.inDoubt(detail: "no answer in time")))
    }

    // MARK: - Probes

    func probe(_ client: Int) {
        clients[client].probesUnderWay += 1
        if violation == nil { violation = probesTooOften(client) }
        queue.plan(.probeArrives(client: client, process: clients[client].process), at: now + latency())
    }

    func probeArrives(_ client: Int, _ process: Int) {
        if troubles.contains(.halfOpen) {
            let error = TransportError.inDoubt(detail: "no answer in time")
            queue.plan(.probeEnds(client: client, process: process, error), at: now + Plan.callTimeout)
            return
        }
        let error = wayError ?? probeError()
        story.tell(now, "hub: greets client \(client): \(error.map { "\($0)" } ?? "fine")")
        queue.plan(.probeEnds(client: client, process: process, error), at: now + chance.latency())
    }

    func probeEnds(_ client: Int, _ process: Int, _ error: TransportError?) {
        guard isRunning(client, process) else { return }
        clients[client].probesUnderWay = max(0, clients[client].probesUnderWay - 1)
        submit(.event(error.map { .probeFailed($0) } ?? .greeted), to: client)
    }

    // MARK: - Sabotage

    /// For `fencesSkipped`: a delivery of nothing but fences is never sent.
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
    /// A short description.
    var told: String {
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
