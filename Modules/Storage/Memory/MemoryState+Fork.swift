import CausewayModels

extension MemoryState {
    /// See ``Mutation/forkOutbox(_:at:)``.
    mutating func forkOutbox(_ id: OutboxID, at time: Timestamp) {
        let links = outbox(id).entries
        outboxID = id
        controls = [:]
        lastTransmitted = [:]
        for link in links {
            let sequence = takeSequence()
            if link.kind != .send {
                controls[sequence] = ChainMarker(forking: link, sequence: sequence)
            } else if let old = self[link.message] {
                put(old.message.forked(sequence: sequence, at: time), bytes: old.bytes)
            }
        }
        fenceFailed(Set(links.filter { $0.kind == .fence }.map(\.message)))
        lineage.sharedBelow = nextSequence
    }

    /// - Parameter fenced: messages that already have a fence.
    private mutating func fenceFailed(_ fenced: Set<MessageID>) {
        for old in allUndelivered() where old.message.syncState == .error {
            guard let lane = old.message.lane else { continue }
            if !fenced.contains(old.message.id) {
                let sequence = takeSequence()
                controls[sequence] = ChainMarker(
                    kind: .fence, lane: lane, sequence: sequence, previous: nil, message: old.message.id)
            }
            put(old.message.inDoubt(), bytes: old.bytes)
        }
    }
}
