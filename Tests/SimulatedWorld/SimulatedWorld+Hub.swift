import CausewayHubRules
import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub

/// The hub's failures around its rules: it fails in all five ways, and restarts.
extension SimulatedWorld {
    /// Returns the hub's response to a request, or that of its front end, a proxy or its crash.
    func answer(_ call: Call) -> Result<DeliveryReport, TransportError> {
        if let error = refusal(of: call) { return .failure(error) }
        if strikes(.hubRestart) {
            // Before or after its transaction; the client cannot know.
            if chance.isLikely(500) { _ = transaction(call) }
            hub.restart()
            story.tell(now, "hub: restarts in the middle of a request")
            return .failure(.inDoubt(detail: "the hub went away"))
        }
        if strikes(.commitUnknown) {
            // Its database failed during the commit: it may have succeeded, and the hub reports that it does not know.
            if chance.isLikely(500) { _ = transaction(call) }
            return .failure(.inDoubt(detail: "500, the commit failed"))
        }
        return transaction(call)
    }

    private func refusal(of call: Call) -> TransportError? {
        if !troubles.contains(.hubDown), strikes(.hubOutage) {
            begin(.hubDown, for: chance.between(.milliseconds(500), .seconds(60)))
            hub.restart()
        }
        if troubles.contains(.hubDown) { return .unreachable(detail: "connection refused") }
        if !troubles.contains(.tokenRefused), strikes(.tokenRefused) {
            troubles.insert(.tokenRefused)
            let renewal = now + chance.between(.milliseconds(10), .seconds(90))
            queue.plan(strikes(.nobodyRepairs) ? .wayIsGood(.tokenRefused) : .tokenRenewed, at: renewal)
        }
        if !troubles.contains(.protocolMismatch), strikes(.protocolMismatch) {
            begin(.protocolMismatch, for: chance.between(.seconds(1), .seconds(120)))
        }
        if let attention { return .needsAttention(attention) }
        if strikes(.transient) { return .transient(code: "503", detail: "busy") }
        if strikes(.rateLimited) {
            return .rateLimited(after: chance.between(.zero, .seconds(20)), detail: "429")
        }
        if isPoisonous(call) || strikes(.requestRefused) {
            noteRefusedWhole(call)
            return .refused(code: "400", detail: "no sense in it")
        }
        return nil
    }

    private func isPoisonous(_ call: Call) -> Bool {
        call.round.operations.contains { $0.kind == .send && ledger.records[$0.message]?.trait == .poisonous }
    }

    private func noteRefusedWhole(_ call: Call) {
        let sends = call.round.operations.filter { $0.kind == .send }
        if sends.count == 1, let only = sends.first { ledger.noteRefusal(of: only.message, at: only.sequence) }
    }

    private func transaction(_ call: Call) -> Result<DeliveryReport, TransportError> {
        let before = hub.history.count
        let (result, objection) = oracle.apply(call.delivery, to: &hub, account: call.account, at: hubTime) {
            message, _ in verdict(on: message)
        }
        if case .success(let report) = result {
            if violation == nil { violation = brokenByEpoch(call) ?? brokenByMark(call, report) }
            ledger.noteRefusals(in: call.round, report)
        }
        for stored in hub.history[before...] {
            if violation == nil { violation = brokenByStoring(stored) }
            counts.accepted += 1
            tell(of: stored.message)
        }
        if violation == nil { violation = objection }
        return result
    }

    private func verdict(on message: MessageID) -> LaneRules.Verdict {
        // An operation refers to a message that was accepted.
        if ledger.records[message]?.role.isOperation == true { return .fine }
        switch ledger.records[message]?.trait {
        case .refused: return .refuse(code: "forbidden", detail: "not here")
        case .taken:
            counts.count(.idTaken, inFlight: 1)
            return .refuse(code: "idTaken", detail: "somebody else's message has this id")
        case .refusedUntil(let time) where now < time: return .refuse(code: "channelNotFound", detail: "no channel")
        default: break
        }
        if strikes(.tryLater) { return .tryLater(code: "busy", detail: "not now", after: nil) }
        if strikes(.tryLaterAfter) {
            return .tryLater(code: "slowDown", detail: "not now", after: chance.between(.zero, .seconds(10)))
        }
        return .fine
    }

    /// The error of a probe.
    func probeError() -> TransportError? {
        if troubles.contains(.hubDown) { return .unreachable(detail: "connection refused") }
        // A proxy in front of the hub may be too busy to check a token.
        if strikes(.transient) { return .transient(code: "503", detail: "busy") }
        if strikes(.rateLimited) { return .rateLimited(after: .seconds(5), detail: "429") }
        return attention.map { .needsAttention($0) }
    }

    /// The problem with the client's credentials or version.
    private var attention: Attention? {
        if troubles.contains(.tokenRefused) { return Attention(cause: .tokenRefused, detail: "401") }
        if troubles.contains(.protocolMismatch) { return Attention(cause: .protocolMismatch, detail: "426") }
        return nil
    }

    // MARK: - Messages of the event stream

    /// Sends a new message to the devices by the event stream: before its response, long after it, or twice.
    private func tell(of message: MessageID) {
        for client in clients.indices where clients[client].outbox != nil && clients[client].original == nil {
            var delays: [Duration] = []
            if strikes(.proofEarly) { delays.append(.milliseconds(1)) }
            if strikes(.proofLate) { delays.append(chance.between(.milliseconds(500), .seconds(60))) }
            if let first = delays.first, strikes(.proofRepeated) {
                delays.append(first + chance.between(.zero, .seconds(20)))
            }
            guard let placed = placed(message, for: clients[client].account) else { continue }
            for delay in delays {
                queue.plan(.news(client: client, process: clients[client].process, [placed]), at: now + delay)
            }
        }
    }

    /// The message as the hub shows it.
    func placed(_ id: MessageID, for account: UserID?) -> PlacedMessage? {
        guard let accepted = hub.accepted[id], !accepted.isDeleted, let record = ledger.records[id],
            !record.role.isOperation
        else { return nil }
        return PlacedMessage(
            id: id, channel: record.channel, sender: record.sender, parent: record.role.parent,
            face: face(of: accepted, for: account),
            createdAt: hubTime, placement: accepted.placement)
    }

    private func face(of accepted: ModelHub.Accepted, for account: UserID?) -> MessageFace {
        let isMine = accepted.key.account == account
        let lastEdit = accepted.applied.last { id in
            if case .edit = ledger.records[id]?.role { true } else { false }
        }
        return MessageFace(
            content: accepted.content, editedAt: lastEdit.flatMap { hub.accepted[$0]?.placement.acceptedAt },
            changedAt: accepted.changedAt,
            reactions: Dictionary(uniqueKeysWithValues: accepted.reactions.map { ($0, 1) }),
            myReactions: isMine ? accepted.reactions : [])
    }

    /// The newest messages of a channel.
    func page(of channel: ChannelID, for account: UserID?) -> [PlacedMessage] {
        var items: [PlacedMessage] = []
        for stored in hub.history.reversed() where ledger.records[stored.message]?.channel == channel {
            guard items.count < 10 else { break }
            if let placed = placed(stored.message, for: account) { items.append(placed) }
        }
        return items
    }

    // MARK: - Failures, for the witness

    func noteFailedAttempts(_ round: DeliveryRound, _ report: DeliveryReport) {
        for (operation, outcome) in zip(round.operations, report.outcomes) {
            if case .tryLater(_, _, after: nil) = outcome {
                ledger.records[operation.message]?.failedAttempts += 1
            }
        }
    }

    /// Records that the hub asked the client to wait.
    func noteQuiet(_ client: Int, _ error: TransportError) {
        guard case .rateLimited(let after, _) = error else { return }
        clients[client].quietUntil = max(clients[client].quietUntil, now + after)
    }
}

extension Ledger {
    mutating func noteRefusals(in round: DeliveryRound, _ report: DeliveryReport) {
        for (operation, outcome) in zip(round.operations, report.outcomes) {
            switch outcome {
            case .refused, .unrelated: noteRefusal(of: operation.message, at: operation.sequence)
            default: break
            }
        }
    }

    mutating func noteRefusal(of message: MessageID, at sequence: Int64) {
        records[message]?.refusedPlaces.insert(sequence)
    }

    mutating func noteFailedAttempt(_ round: DeliveryRound) {
        for operation in round.operations { records[operation.message]?.failedAttempts += 1 }
    }

    mutating func noteFailure(_ round: DeliveryRound, _ error: TransportError) {
        switch error {
        case .transient, .inDoubt, .serverFailed: noteFailedAttempt(round)
        case .unreachable, .notSent, .rateLimited, .needsAttention, .storeForked, .historyChanged, .refused: break
        }
    }
}
