import CausewayHubRules
import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewaySimulationKernel

/// The hub's failures around its rules: it fails in all five ways, and restarts.
extension SimulatedWorld {
    /// Returns the hub's response to a request, or that of its front end, a proxy or its crash.
    func answer(_ call: DeliveryCall) -> Result<DeliveryReport, TransportError> {
        if let error = refusal(of: call) { return .failure(error) }
        if strikes(.hubRestart) {
            // Before or after its transaction; the client cannot know.
            if randomness.isLikely(500) { _ = transaction(call) }
            oracle.restart(&hub)
            history.record(now, "hub: restarts in the middle of a request")
            return .failure(.inDoubt(detail: "the hub went away"))
        }
        if strikes(.commitUnknown) {
            // Its database failed during the commit: it may have succeeded, and the hub reports that it does not know.
            if randomness.isLikely(500) { _ = transaction(call) }
            return .failure(.inDoubt(detail: "500, the commit failed"))
        }
        return transaction(call)
    }

    private func refusal(of call: DeliveryCall) -> TransportError? {
        if !troubles.contains(.hubDown), strikes(.hubOutage) {
            begin(.hubDown, for: randomness.between(.milliseconds(500), .seconds(60)))
            oracle.restart(&hub)
        }
        if troubles.contains(.hubDown) { return .unreachable(detail: "connection refused") }
        if !troubles.contains(.tokenRefused), strikes(.tokenRefused) {
            troubles.insert(.tokenRefused)
            let renewal = now + randomness.between(.milliseconds(10), .seconds(90))
            queue.plan(strikes(.nobodyRepairs) ? .wayIsGood(.tokenRefused) : .tokenRenewed, at: renewal)
        }
        if !troubles.contains(.protocolMismatch), strikes(.protocolMismatch) {
            begin(.protocolMismatch, for: randomness.between(.seconds(1), .seconds(120)))
        }
        if let actionRequired { return .actionRequired(actionRequired) }
        if strikes(.transient) { return .transient(code: "503", detail: "busy") }
        if strikes(.rateLimited) {
            return .rateLimited(after: randomness.between(.zero, .seconds(20)), detail: "429")
        }
        if isPoisonous(call) || strikes(.requestRefused) {
            noteRefusedWhole(call)
            return .refused(code: "400", detail: "no sense in it")
        }
        return nil
    }

    private func isPoisonous(_ call: DeliveryCall) -> Bool {
        call.batch.operations.contains { $0.kind == .send && expected.records[$0.message]?.trait == .poisonous }
    }

    private func noteRefusedWhole(_ call: DeliveryCall) {
        let sends = call.batch.operations.filter { $0.kind == .send }
        if sends.count == 1, let only = sends.first { expected.noteRefusal(of: only.message, at: only.sequence) }
    }

    private func transaction(_ call: DeliveryCall) -> Result<DeliveryReport, TransportError> {
        if plan.hasLosses { _ = meet(call.delivery.history) }
        let before = hub.history.count
        files.beginTransaction()
        let (result, objection) = oracle.apply(call.delivery, to: &hub, account: call.account, at: hubTime) {
            message, content in verdict(on: message, content)
        }
        if case .success(let report) = result {
            if violation == nil { violation = heard(brokenByEpoch(call)) ?? brokenByMark(call, report) }
            expected.noteRefusals(in: call.batch, report)
        }
        for stored in hub.history[before...] {
            if violation == nil { violation = brokenByStoring(stored) }
            noteOvertaken(by: stored)
            noteApplied(stored.message)
            if let file = hub.accepted[stored.message]?.content.attachment,
                expected.records[stored.message]?.isOperation == false
            {
                files.attach(file)
            }
            if violation == nil { violation = files.violation }
            counts.accepted += 1
            tell(of: stored.message)
        }
        if violation == nil { violation = objection }
        return result.map { report in
            var report = report
            report.history = presentHistory
            return report
        }
    }

    private func verdict(on message: MessageID, _ content: MessageContent?) -> LaneRules.Verdict {
        // An operation refers to a message that was accepted.
        if expected.records[message]?.isOperation == true { return .fine }
        switch expected.records[message]?.trait {
        case .refused: return .refuse(code: "forbidden", detail: "not here")
        case .taken:
            counts.faults.count(.idTaken, inFlight: 1)
            return .refuse(code: "idTaken", detail: "somebody else's message has this id")
        case .refusedUntil(let time) where now < time: return .refuse(code: "channelNotFound", detail: "no channel")
        default: break
        }
        if !verdictOnFile(message, content) {
            return .refuse(code: "attachmentUnknown", detail: "the file is not here")
        }
        if strikes(.tryLater) { return .tryLater(code: "busy", detail: "not now", after: nil) }
        if strikes(.tryLaterAfter) {
            return .tryLater(code: "slowDown", detail: "not now", after: randomness.between(.zero, .seconds(10)))
        }
        return .fine
    }

    /// The error of a probe.
    func probeError() -> TransportError? {
        if troubles.contains(.hubDown) { return .unreachable(detail: "connection refused") }
        // A proxy in front of the hub may be too busy to check a token.
        if strikes(.transient) { return .transient(code: "503", detail: "busy") }
        if strikes(.rateLimited) { return .rateLimited(after: .seconds(5), detail: "429") }
        return actionRequired.map { .actionRequired($0) }
    }

    /// The problem with the client's credentials or version.
    var actionRequired: ActionRequired? {
        if troubles.contains(.tokenRefused) { return ActionRequired(cause: .tokenRefused, detail: "401") }
        if troubles.contains(.protocolMismatch) { return ActionRequired(cause: .protocolMismatch, detail: "426") }
        return nil
    }

    // MARK: - Messages of the event stream

    /// Sends a new message to the devices by the event stream: before its response, long after it, or twice.
    private func tell(of message: MessageID) {
        for client in clients.indices where clients[client].isRunning && clients[client].original == nil {
            var delays: [Duration] = []
            if strikes(.proofEarly) { delays.append(.milliseconds(1)) }
            if strikes(.proofLate) { delays.append(randomness.between(.milliseconds(500), .seconds(60))) }
            if let first = delays.first, strikes(.proofRepeated) {
                delays.append(first + randomness.between(.zero, .seconds(20)))
            }
            guard let placed = placed(message, for: clients[client].account) else { continue }
            // The stream named a history when it was opened, which may have been under another opening of the hub.
            let news = News(messages: [placed], history: presentHistory, named: nil)
            for delay in delays {
                queue.plan(.news(client: client, process: clients[client].process, news), at: now + delay)
            }
        }
    }

    /// The message as the hub shows it.
    func placed(_ id: MessageID, for account: UserID?) -> RemoteMessage? {
        guard let accepted = hub.accepted[id], !accepted.isDeleted, let record = expected.records[id],
            !record.isOperation
        else { return nil }
        return RemoteMessage(
            id: id, channel: record.channel, sender: record.sender, parent: record.parent,
            body: body(of: accepted, for: account),
            createdAt: hubTime, serverPosition: accepted.serverPosition)
    }

    private func body(of accepted: ModelHub.Accepted, for account: UserID?) -> MessageBody {
        let isMine = accepted.key.account == account
        let lastEdit = accepted.applied.last { id in
            if case .edit = expected.records[id]?.change { true } else { false }
        }
        return MessageBody(
            content: accepted.content, tags: accepted.tags,
            editedAt: lastEdit.flatMap { hub.accepted[$0]?.serverPosition.acceptedAt },
            changedAt: accepted.changedAt,
            reactions: Dictionary(uniqueKeysWithValues: accepted.reactions.map { ($0, 1) }),
            myReactions: isMine ? accepted.reactions : [])
    }

    /// The newest messages of a channel.
    func page(of channel: ChannelID, for account: UserID?) -> [RemoteMessage] {
        var items: [RemoteMessage] = []
        for stored in hub.history.reversed() where expected.records[stored.message]?.channel == channel {
            guard items.count < 10 else { break }
            if let placed = placed(stored.message, for: account) { items.append(placed) }
        }
        return items
    }

    // MARK: - Failures, for the witness

    func noteFailedAttempts(_ batch: Batch, _ report: DeliveryReport) {
        for (operation, outcome) in zip(batch.operations, report.outcomes) {
            if case .tryLater(_, _, after: nil) = outcome {
                expected.records[operation.message]?.failedAttempts += 1
            }
        }
    }

    /// Records that the hub asked the client to wait.
    func noteQuiet(_ client: Int, _ error: TransportError) {
        guard case .rateLimited(let after, _) = error else { return }
        clients[client].quietUntil = max(clients[client].quietUntil, quiet(after: after))
    }
}

extension ExpectedState {
    /// Forgets the failures in a report that its client does not believe: the delivery counts as cancelled.
    mutating func takeBackFailedAttempts(_ batch: Batch, _ report: DeliveryReport) {
        let isMalformed = batch.operations.count != report.outcomes.count || report.isNonsense
        for (index, operation) in batch.operations.enumerated() {
            if !isMalformed {
                guard case .tryLater(_, _, after: nil) = report.outcomes[index] else { continue }
            }
            records[operation.message]?.failedAttempts -= 1
        }
    }

    mutating func noteRefusals(in batch: Batch, _ report: DeliveryReport) {
        for (operation, outcome) in zip(batch.operations, report.outcomes) {
            switch outcome {
            case .refused, .unrelated: noteRefusal(of: operation.message, at: operation.sequence)
            default: break
            }
        }
    }

    mutating func noteRefusal(of message: MessageID, at sequence: Int64) {
        records[message]?.refusedPlaces.insert(sequence)
    }

    mutating func noteFailedAttempt(_ batch: Batch) {
        for operation in batch.operations { records[operation.message]?.failedAttempts += 1 }
    }

    mutating func noteFailure(_ batch: Batch, _ error: TransportError) {
        switch error {
        case .transient, .inDoubt, .serverFailed: noteFailedAttempt(batch)
        case .unreachable, .notSent, .rateLimited, .actionRequired, .storeForked, .historyChanged, .refused: break
        }
    }
}
