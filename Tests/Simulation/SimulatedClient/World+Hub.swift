import CausewayHubRules
import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewaySimulationKernel

/// The hub's front end: it fails in all five ways before the hub's rules are called.
extension World {
    /// Returns the hub's result for a delivery that arrives.
    func judge(_ call: DeliveryCall) -> Result<DeliveryReport, TransportError> {
        let result = judgement(call)
        if case .failure(.refused) = result {
            for operation in call.delivery.operations where expected.records[operation.message]?.refusal == nil {
                expected.records[operation.message]?.refusal = .request
            }
        }
        return result
    }

    private func judgement(_ call: DeliveryCall) -> Result<DeliveryReport, TransportError> {
        if let error = doorError(call.token) { return .failure(error) }
        if strikes(.transient) { return .failure(.transient(code: "500", detail: "the hub stumbled")) }
        if strikes(.rateLimited) {
            return .failure(.rateLimited(after: between(.seconds(1), .seconds(20)), detail: "too much"))
        }
        if call.delivery.operations.contains(where: { $0.isSend && Trait(of: $0.message) == .poisonous }) {
            return .failure(.refused(code: "413", detail: "it cannot be read"))
        }
        if strikes(.requestRefused) { return .failure(.refused(code: "400", detail: "the hub takes it for nonsense")) }
        if strikes(.hubRestart) {
            oracle.restart(&hub)
            if plan.hasFiles { hubFiles.restart() }
            // A client that learns of another opening looks for changes that it may have missed.
            for index in processes.indices { processes[index].pageRequests = Moments() }
        }
        guard let account = account(of: call.token) else {
            return .failure(.refused(code: "400", detail: "no such token"))
        }
        _ = meet(call.delivery.history)
        if let report = reportOfMarkAhead(call) { return .success(report) }
        filesInUse = []
        let (result, objection) = oracle.apply(
            call.delivery, to: &hub, account: account, at: runtime.wallClock,
            verdict: { id, content in verdict(id, content) })
        if case .success(let report) = result {
            tally.operations += report.outcomes.count
            witnessHub(call, account, report)
        }
        if let objection { violated(.hubOracle, objection) }
        if case .success = result, strikes(.appliedThenFailed) {
            return .failure(.inDoubt(detail: "502 from a proxy"))
        }
        return result.map { report in
            var report = report
            report.history = oracle.name(hub)
            return nonsense(in: report)
        }
    }

    /// The reason why the hub rejects every request, or this token.
    func doorError(_ token: String) -> TransportError? {
        if strikes(.hubOutage) { network.outageUntil = runtime.now + between(.seconds(1), .seconds(60)) }
        if network.outageUntil > runtime.now { return .transient(code: "503", detail: "the hub is down") }
        if strikes(.tokenRefused) { network.refusedTokens[token] = .some(nil) }
        if strikes(.nobodyRepairs), network.refusedTokens[token] == nil {
            network.refusedTokens[token] = runtime.now + between(.seconds(1), .seconds(120))
        }
        if let until = network.refusedTokens[token] {
            if until.map({ $0 > runtime.now }) ?? true {
                return .actionRequired(ActionRequired(cause: .tokenRefused, detail: "the token is no longer valid"))
            }
            network.refusedTokens[token] = nil
        }
        if strikes(.protocolMismatch) { network.mismatchUntil = runtime.now + between(.seconds(1), .seconds(120)) }
        guard network.mismatchUntil > runtime.now else { return nil }
        return .actionRequired(ActionRequired(cause: .protocolMismatch, detail: "the hub speaks another version"))
    }

    private func verdict(_ id: MessageID, _ content: MessageContent?) -> LaneRules.Verdict {
        guard acceptsFile(of: id, content) else {
            return .refuse(code: "attachmentUnknown", detail: "the file of the message is not on this hub")
        }
        switch Trait(of: id) {
        case .refused: return .refuse(code: "400", detail: "the hub does not like it")
        case .refusedForNow:
            let until = network.refusedUntil[id] ?? runtime.now + between(.zero, .seconds(60))
            network.refusedUntil[id] = until
            if until > runtime.now { return .refuse(code: "channelNotFound", detail: "there is no such channel") }
        case .taken:
            tally.faults.count(.idTaken, inFlight: 1)
            return .refuse(code: "idTaken", detail: "another account has used it")
        case .plain, .poisonous, .lethal: break
        }
        if strikes(.tryLater) { return .tryLater(code: "busy", detail: "not now", after: nil) }
        if strikes(.tryLaterAfter) {
            return .tryLater(code: "busy", detail: "not now", after: between(.seconds(1), .seconds(10)))
        }
        return .fine
    }

    // MARK: - Tokens

    /// Returns a token for an account: the account's number, and a counter, so that it can be renewed.
    func makeToken(_ account: Int) -> String {
        network.nextToken += 1
        return "\(account).\(network.nextToken)"
    }

    func account(of token: String) -> UserID? { token.first.flatMap { UserID("user\($0)") } }

    /// Planted fault: returns the token of another account.
    func other(_ token: String) -> String { (token.hasPrefix("0") ? "1" : "0") + token.dropFirst() }
}

extension DeliveryOperation {
    /// True for a message or an operation on one: an entry that is stored before it is sent.
    var isSend: Bool { kind == .send }
}
