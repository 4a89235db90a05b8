import CausewayHubRules
import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub

/// The hub's bad moods around its rules: it errs in all five ways, and restarts.
extension SimulatedWorld {
    /// The hub's answer to a request, or what its door, a proxy or its crash make of it.
    func answer(_ call: Call) -> Result<DeliveryReport, TransportError> {
        if let error = refusal(of: call) { return .failure(error) }
        if strikes(.hubRestart, inFlight: true) {
            // Before or after its transaction; the client cannot know.
            if chance(500) { _ = transaction(call) }
            hub.restart()
            story.tell(now, "hub: restarts in the middle of a request")
            return .failure(.inDoubt(detail: "the hub went away"))
        }
        return transaction(call)
    }

    private func refusal(of call: Call) -> TransportError? {
        if !isHubDown, strikes(.hubOutage, inFlight: true) {
            isHubDown = true
            hub.restart()
            queue.plan(.outageEnds, at: now + between(.milliseconds(500), .seconds(60)))
        }
        if isHubDown { return .unreachable(detail: "connection refused") }
        if !isTokenRefused, strikes(.tokenRefused, inFlight: true) {
            isTokenRefused = true
            queue.plan(.tokenRenewed(client: call.client), at: now + between(.milliseconds(10), .seconds(90)))
        }
        if isTokenRefused { return .needsAttention(Attention(cause: .tokenRefused, detail: "401")) }
        if strikes(.transient, inFlight: true) { return .transient(code: "503", detail: "busy") }
        if strikes(.rateLimited, inFlight: true) {
            return .rateLimited(after: between(.zero, .seconds(20)), detail: "429")
        }
        if isPoisonous(call) || strikes(.requestRefused, inFlight: true) {
            noteRefusedWhole(call)
            return .refused(code: "400", detail: "no sense in it")
        }
        return nil
    }

    private func isPoisonous(_ call: Call) -> Bool {
        call.delivery.operations.contains { operation in
            guard operation.kind == .send, case .poisonous = ledger.records[operation.message]?.trait else {
                return false
            }
            return true
        }
    }

    private func noteRefusedWhole(_ call: Call) {
        let sends = call.round.operations.filter { $0.kind == .send }
        if sends.count == 1, let only = sends.first { ledger.records[only.message]?.isRefusedWhole = true }
    }

    private func transaction(_ call: Call) -> Result<DeliveryReport, TransportError> {
        let before = hub.history.count
        do throws(TransportError) {
            let report = try hub.apply(call.delivery, at: wall) { message, content in
                content == nil ? .fine : verdict(on: message)
            }
            for stored in hub.history[before...] where violation == nil { violation = brokenByStoring(stored) }
            return .success(report)
        } catch {
            return .failure(error)
        }
    }

    private func verdict(on message: MessageID) -> LaneRules.Verdict {
        switch ledger.records[message]?.trait {
        case .refused: return .refuse(code: "forbidden", detail: "not here")
        case .refusedUntil(let time) where now < time: return .refuse(code: "channelNotFound", detail: "no channel")
        default: break
        }
        if strikes(.tryLater, inFlight: true) { return .tryLater(code: "busy", detail: "not now", after: nil) }
        if strikes(.tryLaterAfter, inFlight: true) {
            return .tryLater(code: "slowDown", detail: "not now", after: between(.zero, .seconds(10)))
        }
        return .fine
    }

    /// What a greeting meets.
    func probeError() -> TransportError? {
        if isHubDown { return .unreachable(detail: "connection refused") }
        if isTokenRefused { return .needsAttention(Attention(cause: .tokenRefused, detail: "401")) }
        if strikes(.transient, inFlight: false) { return .transient(code: "503", detail: "busy") }
        if strikes(.rateLimited, inFlight: false) { return .rateLimited(after: .seconds(5), detail: "429") }
        return nil
    }

    // MARK: - What failed, for the witness

    func noteFailedAttempt(_ round: DeliveryRound) {
        for operation in round.operations { ledger.records[operation.message]?.failedAttempts += 1 }
    }

    func noteFailure(_ round: DeliveryRound, _ error: TransportError) {
        switch error {
        case .transient, .inDoubt: noteFailedAttempt(round)
        case .unreachable, .rateLimited, .needsAttention, .refused: break
        }
    }

    func noteFailedAttempts(_ round: DeliveryRound, _ report: DeliveryReport) {
        for (operation, outcome) in zip(round.operations, report.outcomes) {
            if case .tryLater(_, _, after: nil) = outcome {
                ledger.records[operation.message]?.failedAttempts += 1
            }
        }
    }
}
