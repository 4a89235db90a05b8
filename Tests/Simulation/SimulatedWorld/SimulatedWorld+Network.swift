import CausewayModels
import CausewayOutbox
import CausewaySimulationKernel

/// The network between client and hub: it loses, delays, repeats, reorders, cuts and falsifies.
extension SimulatedWorld {
    func send(_ call: DeliveryCall) {
        queue.plan(.callTimesOut(call), at: now + Plan.callTimeout)
        if plan.plantedFault == .fencesSkipped, let faked = fakedAnswer(to: call) {
            queue.plan(.callEnds(call, .success(faked)), at: now + .milliseconds(1))
            return
        }
        bringTrouble()
        if let error = wayError {
            queue.plan(.callEnds(call, .failure(error)), at: now + randomness.latency())
            return
        }
        if troubles.contains(.halfOpen) { return history.record(now, "network: the request goes nowhere") }
        let arrival = now + latency()
        if strikes(.requestLost) {
            history.record(now, "network: loses the request")
            if randomness.isLikely(500) {
                queue.plan(.callEnds(call, .failure(.inDoubt(detail: "reset"))), at: arrival)
            }
        } else if strikes(.answerLost) {
            queue.plan(.requestArrives(call, randomness.isLikely(500) ? .reset : .lost), at: arrival)
        } else if strikes(.requestLate) {
            history.record(now, "network: holds the request back")
            let late = now + randomness.between(.seconds(1), Plan.lateRequestMax)
            queue.plan(.requestArrives(call, .delivered(after: randomness.latency())), at: late)
        } else if strikes(.requestRepeated) {
            repeated(call, arrival)
        } else {
            queue.plan(.requestArrives(call, .delivered(after: latency())), at: arrival)
        }
    }

    /// A proxy repeats a POST: two copies arrive, and the client gets the response to one of them.
    private func repeated(_ call: DeliveryCall, _ arrival: MonotonicTime) {
        history.record(now, "network: repeats the request")
        for operation in call.batch.operations { expected.records[operation.message]?.isRepeated = true }
        let again =
            randomness.isLikely(500)
            ? arrival + randomness.latency() : now + randomness.between(.seconds(1), Plan.lateRequestMax)
        let isFirstHeard = randomness.isLikely(700)
        let after = randomness.latency()
        queue.plan(.requestArrives(call, isFirstHeard ? .delivered(after: after) : .lost), at: arrival)
        queue.plan(.requestArrives(call, isFirstHeard ? .lost : .delivered(after: after)), at: again)
    }

    private func latency() -> Duration {
        strikes(.slow) ? randomness.between(.seconds(1), .seconds(20)) : randomness.latency()
    }

    /// The error of a request before it has left the network.
    var wayError: TransportError? {
        if troubles.contains(.cut) { return .unreachable(detail: "no way to the hub") }
        if troubles.contains(.captivePortal) { return .inDoubt(detail: "the answer is not a hub's (captive portal?)") }
        if troubles.contains(.certificate) {
            return .actionRequired(ActionRequired(cause: .certificate, detail: "the certificate does not verify"))
        }
        return nil
    }

    func bringTrouble() {
        guard troubles.isEmpty else { return }
        if strikes(.cut) {
            begin(.cut, for: randomness.between(.milliseconds(100), .seconds(60)))
            breakCalls()
        } else if strikes(.halfOpen) {
            begin(.halfOpen, for: randomness.between(.seconds(1), .seconds(120)))
        } else if strikes(.captivePortal) {
            begin(.captivePortal, for: randomness.between(.seconds(1), .seconds(120)))
        } else if strikes(.certificate) {
            begin(.certificate, for: randomness.between(.seconds(1), .seconds(120)))
        }
    }

    /// Breaks the calls in flight; some of their clients get an error.
    private func breakCalls() {
        for client in clients.indices where clients[client].isRunning {
            for call in clients[client].openCalls.values.sorted(by: { $0.id < $1.id }) where randomness.isLikely(500) {
                queue.plan(.callEnds(call, .failure(.inDoubt(detail: "cut"))), at: now + .milliseconds(1))
            }
        }
    }

    // MARK: - The hub's door

    func requestArrives(_ call: DeliveryCall, _ fate: AnswerFate) {
        let result = answer(call)
        hash.add(result)
        history.record(now, "hub: \(call) -> \(result.told)")
        switch fate {
        case .delivered(let after): queue.plan(.callEnds(call, result), at: now + after)
        case .reset:
            queue.plan(.callEnds(call, .failure(.inDoubt(detail: "reset"))), at: now + .milliseconds(1))
        case .lost: break
        }
        loseData()
    }

    // MARK: - Ends of calls

    func callEnds(_ call: DeliveryCall, _ result: Result<DeliveryReport, TransportError>) {
        guard isRunning(call.client, call.process) else { return }
        guard clients[call.client].openCalls.removeValue(forKey: call.id) != nil else {
            return answerComesLate(call, result)
        }
        switch result {
        case .success(let report):
            if strikes(.malformedReport) {
                expected.noteFailedAttempt(call.batch)
                return submit(.event(.responded(call.batch, malformed(report))), to: call.client)
            }
            noteFailedAttempts(call.batch, report)
            submit(.event(.responded(call.batch, report)), to: call.client)
        case .failure(let error):
            history.record(now, "client \(call.client): round \(call.batch.id) failed: \(error)")
            expected.noteFailure(call.batch, error)
            submit(.event(.failed(call.batch, error)), to: call.client)
        }
    }

    /// A transport that receives a response after its timeout may still return it: it confirms the accepted messages.
    private func answerComesLate(_ call: DeliveryCall, _ result: Result<DeliveryReport, TransportError>) {
        guard case .success(let report) = result else { return }
        if plan.plantedFault == .lateAnswersAccepted,
            let current = clients[call.client].openCalls.values.filter({ $0.batch.lane == call.batch.lane })
                .min(by: { $0.id < $1.id }),
            current.batch.operations.count == call.batch.operations.count
        {
            clients[call.client].openCalls[current.id] = nil
            submit(.event(.responded(current.batch, report)), to: call.client)
        } else if strikes(.lateAnswer, extra: call.batch.operations.count) {
            history.record(now, "client \(call.client): hears a late answer to round \(call.batch.id)")
            submit(.event(.responded(call.batch, report)), to: call.client)
        }
    }

    func callTimesOut(_ call: DeliveryCall) {
        guard isRunning(call.client, call.process), clients[call.client].openCalls[call.id] != nil else { return }
        callEnds(call, .failure(.inDoubt(detail: "no answer in time")))
    }

    // MARK: - Probes

    func probe(_ client: Int) {
        clients[client].probesUnderWay += 1
        if violation == nil { violation = probesTooOften(client) }
        clients[client].lastProbe += 1
        let call = ProbeCall(
            client: client, process: clients[client].process, number: clients[client].lastProbe,
            account: clients[client].account, history: clients[client].history,
            outbox: clients[client].store.outboxID)
        queue.plan(.probeArrives(call), at: now + latency())
    }

    func probeArrives(_ call: ProbeCall) {
        if troubles.contains(.halfOpen) {
            queue.plan(.probeEnds(call, .failure(.inDoubt(detail: "no answer in time"))), at: now + Plan.callTimeout)
            return
        }
        let error = wayError ?? probeError()
        let result = error.map { .failure($0) } ?? Result<ProbeAnswer, TransportError>.success(greeting(of: call))
        let claim = call.history.map { " with \($0.claim)" } ?? ""
        history.record(now, "hub: greets client \(call.client)\(claim): \(result.told)")
        queue.plan(.probeEnds(call, result), at: now + randomness.latency())
    }

    func probeEnds(_ call: ProbeCall, _ result: Result<ProbeAnswer, TransportError>) {
        guard isRunning(call.client, call.process) else { return }
        clients[call.client].probesUnderWay = max(0, clients[call.client].probesUnderWay - 1)
        switch result {
        case .success(let answer): submit(.probed(call, answer), to: call.client)
        case .failure(let error): submit(.event(.probeFailed(error)), to: call.client)
        }
    }

    // MARK: - Planted fault

    /// For `fencesSkipped`: a delivery of nothing but fences is never sent.
    private func fakedAnswer(to call: DeliveryCall) -> DeliveryReport? {
        let kinds = Set(call.batch.operations.map(\.kind))
        guard kinds.isSubset(of: [.fence, .retract]), let last = call.batch.operations.last else { return nil }
        return DeliveryReport(mark: last.sequence, outcomes: call.batch.operations.map { _ in .fenced })
    }
}

extension DeliveryCall: CustomStringConvertible {
    var description: String {
        let links = batch.operations.map { "\($0.previous)<\($0.sequence) \($0.kind) \($0.message.value.low)" }
        return "round \(batch.id) (call \(id), \(batch.lane), epoch \(batch.epoch)): " + links.joined(separator: ", ")
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

extension Result where Success == ProbeAnswer, Failure == TransportError {
    fileprivate var told: String {
        switch self {
        case .success(let answer):
            answer.history.map { "\($0.id), marks \(answer.marks?.description ?? "-")" } ?? "fine"
        case .failure(let error): "\(error)"
        }
    }
}

extension DeliveryOutcome {
    fileprivate var told: String {
        switch self {
        case .accepted(let serverPosition): "accepted@\(serverPosition.position)"
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
