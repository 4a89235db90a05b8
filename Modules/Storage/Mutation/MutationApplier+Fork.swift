import CausewayModels

/// Continuing under another outbox id.
extension MutationApplier {
    /// See ``Mutation/forkOutbox(_:at:)``. Cost: linear in the outbox.
    ///
    /// - Parameter links: all links in the order in which the outbox is to continue. A message among them that is
    ///   `synced` was lost by the server.
    mutating func forkOutbox(_ id: OutboxID, _ links: [OutboxEntry], at time: Timestamp) throws(Rows.Failure) {
        try rows.removeChains()
        var fenced: Set<MessageID> = []
        for link in links {
            let sequence = rows.takeSequence()
            if link.kind != .send {
                try rows.setMarker(ChainMarker(forking: link, sequence: sequence), at: sequence)
                if link.kind == .fence { fenced.insert(link.message) }
            } else if let old = try rows.item(link.message) {
                let queued = old.message.map { .message($0.lost(sequence: sequence, at: time)) } ?? old.item
                try write(queued.forked(sequence: sequence, at: time), over: old)
            }
        }
        try fenceFailed(except: fenced)
        var outbox = rows.outbox
        outbox.id = id
        outbox.lineage.sharedBelow = rows.nextSequence
        try rows.setOutbox(outbox)
        changes.isReset = true
    }

    /// Adds a fence for each failed item without one: any of them may be on the server.
    private mutating func fenceFailed(except fenced: Set<MessageID>) throws(Rows.Failure) {
        try forEach(.failed) { applier, old throws(Rows.Failure) in
            guard let lane = old.item.lane else { return }
            if !fenced.contains(old.item.id) {
                let sequence = applier.rows.takeSequence()
                let marker = ChainMarker(
                    kind: .fence, lane: lane, sequence: sequence, previous: nil, message: old.item.id)
                try applier.rows.setMarker(marker, at: sequence)
            }
            try applier.write(old.item.inDoubt(), over: old)
        }
    }
}
