import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewayStorage

/// What must be true, each in one function that says in words what is broken. Some are held against every step, some
/// against the one thing that just happened, and all of them against the end.
extension SimulatedWorld {
    // MARK: - After every step

    func brokenAfterStep(of client: Int) -> String? {
        guard let outbox = clients[client].outbox, clients[client].store.feed.isEmpty else { return nil }
        if let broken = outbox.brokenInvariant() { return "the machine: \(broken)" }
        return machineAndStoreDiffer(client, outbox) ?? falseVerdict(client)
    }

    /// At no time is a message called failed, without a doubt, that the hub has. Only a network that repeats a request
    /// behind the back of its first answer can bring that about, and then a question about it is still open.
    private func falseVerdict(_ client: Int) -> String? {
        for (id, message) in clients[client].store.messages where message.syncState == .error && !message.isInDoubt {
            guard hub.accepted[id] != nil, let record = ledger.records[id] else { continue }
            let isAsked = clients[client].store.controls.values.contains { $0.message == id }
            if !record.isRepeated || !isAsked { return "\(id.value.low) counts as failed, but the hub has it" }
        }
        return nil
    }

    /// A crash now would go on with exactly what the machine has in mind.
    private func machineAndStoreDiffer(_ client: Int, _ outbox: Outbox) -> String? {
        let stored = clients[client].store.entries
        let known = outbox.entries
        guard stored != known else { return nil }
        for (one, other) in zip(stored, known) where one != other {
            return "the store holds \(one.told), the machine \(other.told)"
        }
        return "the store holds \(stored.count) links, the machine \(known.count)"
    }

    // MARK: - When the hub stores a message

    func brokenByStoring(_ stored: (key: ModelHub.LaneKey, sequence: Int64, message: MessageID)) -> String? {
        let id = stored.message
        guard let record = ledger.records[id] else { return "the hub stored a message that nobody created" }
        if let copies = hub.accepted[id]?.copies, copies > 1 { return "the hub stored \(id.value.low) twice" }
        if !record.sequences.contains(stored.sequence) { return "\(id.value.low) never had place \(stored.sequence)" }
        counts.accepted += 1
        return outOfOrder(stored) ?? storedAfterVerdict(id, record)
    }

    /// Within a lane the hub stores in the order of the lane's places.
    private func outOfOrder(_ stored: (key: ModelHub.LaneKey, sequence: Int64, message: MessageID)) -> String? {
        let before = ledger.lastStored.updateValue(stored.sequence, forKey: stored.key) ?? 0
        guard before >= stored.sequence else { return nil }
        return "the hub stored \(stored.message.value.low) (\(stored.sequence)) after place \(before)"
    }

    /// No late copy turns a final verdict or a deletion into a lie.
    private func storedAfterVerdict(_ id: MessageID, _ record: Ledger.Record) -> String? {
        let store = clients[record.client].store
        let isAsked = store.controls.values.contains { $0.message == id }
        guard let message = store.messages[id] else {
            return isAsked ? nil : "the hub stored \(id.value.low), which had been deleted for good"
        }
        guard message.syncState == .error, !message.isInDoubt, !(isAsked && record.isRepeated) else { return nil }
        return "the hub stored \(id.value.low), which had been called failed"
    }

    // MARK: - When a client commits

    func brokenBy(_ mutation: Mutation, _ client: Int) -> String? {
        switch mutation {
        case .deliver(let id, let placement, at: _):
            guard let accepted = hub.accepted[id] else {
                return "\(id.value.low) is called synced, but the hub has it not"
            }
            return accepted.placement == placement ? nil : "\(id.value.low) is called synced in a wrong place"
        case .settle(let id):
            // Sent again, the hub may have it from its new place, never from an old one.
            guard let accepted = hub.accepted[id], let message = clients[client].store.messages[id] else { return nil }
            if message.isQueued, message.laneSequence == accepted.sequence { return nil }
            return "\(id.value.low) is called undelivered for good, but the hub has it"
        case .fail(let id, let failure, inDoubt: false):
            guard let record = ledger.records[id] else { return "somebody else's message failed" }
            if hub.accepted[id] != nil, !record.isRepeated {
                return "\(id.value.low) is called failed, but the hub has it"
            }
            return failedWithoutReason(id, record, failure)
        case .fail(let id, let failure, inDoubt: true):
            guard let record = ledger.records[id] else { return "somebody else's message failed" }
            return failedWithoutReason(id, record, failure)
        default: return nil
        }
    }

    /// Retries are used up by failures that count, and only what was refused is called refused.
    private func failedWithoutReason(_ id: MessageID, _ record: Ledger.Record, _ failure: Failure) -> String? {
        switch failure.reason {
        case .retriesUsedUp:
            let attempts = plan.configuration.retry.retriesMax + 1
            guard record.failedAttempts < attempts else { return nil }
            return "\(id.value.low) was given up after \(record.failedAttempts) failed attempts, not \(attempts)"
        case .refused:
            guard !hub.refused.contains(id), !record.isRefusedWhole else { return nil }
            return "\(id.value.low) was called refused (\(failure.code)), but the hub never refused it"
        case .unsendable:
            if case .unsendable = record.trait { return nil }
            return "\(id.value.low) was called unsendable, but it is not"
        case .sessionEnded, .expired: return nil
        }
    }

    // MARK: - When somebody is told

    /// Whoever waits is told once, and the truth.
    func brokenBy(_ result: DeliveryResult, of id: MessageID, _ client: Int) -> String? {
        if !clients[client].waiting.contains(id) { return "\(id.value.low) was completed twice" }
        let message = clients[client].store.messages[id]
        switch result {
        case .delivered: return message?.syncState == .synced ? nil : "\(id.value.low) is told delivered before it is"
        case .failed: return message?.syncState == .error ? nil : "\(id.value.low) is told failed before it is"
        case .deleted: return message == nil ? nil : "\(id.value.low) is told deleted before it is"
        }
    }

    // MARK: - Liveness

    /// Once the faults are over everything ends within a bound.
    func watchTheEnd() {
        guard idleSince == nil, violation == nil else { return }
        if clients.allSatisfy({ $0.outbox != nil && $0.isIdle }) {
            idleSince = now
        } else if now - plan.faultsEnd > Plan.settleBound {
            violation = "not at its end \(Plan.settleBound) after the faults were over"
        }
    }

    // MARK: - At the end

    func brokenAtTheEnd() -> String? {
        if let stalled = stalled() { return stalled }
        for id in ledger.created {
            guard let record = ledger.records[id] else { continue }
            if let broken = brokenAtTheEnd(id, record) { return broken }
        }
        for (index, client) in clients.enumerated() where !client.waiting.isEmpty {
            return "client \(index): nobody told about \(client.waiting.map(\.value.low).sorted())"
        }
        return outOfCreationOrder()
    }

    /// Nothing is planned any more, and yet something waits.
    private func stalled() -> String? {
        for (index, client) in clients.enumerated() where !client.isIdle {
            let reason = client.store.inOrder.first(where: \.isQueued).flatMap {
                client.outbox?.waitReason(for: $0.id, at: moment)
            }
            return "client \(index) stalled with \(client.store.entries.map(\.told)): \(reason.map { "\($0)" } ?? "-")"
        }
        return nil
    }

    /// Nothing created is lost, and every verdict is true.
    private func brokenAtTheEnd(_ id: MessageID, _ record: Ledger.Record) -> String? {
        let message = clients[record.client].store.messages[id]
        guard let message else {
            if !record.isDeleted { return "\(id.value.low) was lost" }
            return hub.holds(id) ? "\(id.value.low) was deleted, and the hub has it" : nil
        }
        if record.isDeleted { return "\(id.value.low) was deleted, and is still there" }
        switch message.syncState {
        case .synced: return hub.holds(id) ? nil : "\(id.value.low) is synced, and the hub has it not"
        case .error:
            if message.isInDoubt { return "\(id.value.low) stayed in doubt" }
            return hub.accepted[id] == nil ? nil : "\(id.value.low) is failed, and the hub has it"
        case .created, .uploading, .syncing: return "\(id.value.low) is still \(message.syncState.rawValue)"
        }
    }

    /// What was never sent again stands on the hub in the order of its creation.
    private func outOfCreationOrder() -> String? {
        var last: [ModelHub.LaneKey: Int64] = [:]
        for stored in hub.history {
            guard let record = ledger.records[stored.message], record.sequences.count == 1 else { continue }
            if let before = last[stored.key], before > record.ordinal {
                return "\(stored.message.value.low) stands on the hub behind what was created after it"
            }
            last[stored.key] = record.ordinal
        }
        return nil
    }
}

extension OutboxEntry {
    fileprivate var told: String {
        "\(previous.map { "\($0)" } ?? "?")<\(sequence) \(kind) \(message.value.low) (\(attempts) attempts)"
    }
}
