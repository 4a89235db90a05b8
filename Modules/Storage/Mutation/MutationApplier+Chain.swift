import CausewayModels

/// The chains of the lanes, and their numbers.
extension MutationApplier {
    /// - Precondition: the mutation concerns a chain.
    mutating func applyToChain(_ mutation: Mutation) throws(Rows.Failure) {
        switch mutation {
        case .putMarker(let marker):
            raiseSequence(above: marker.sequence)
            try set(marker, at: marker.sequence, over: try rows.marker(at: marker.sequence))
        case .appendDelete(let id, let lane):
            let marker = ChainMarker(
                kind: .delete, lane: lane, sequence: rows.takeSequence(), previous: nil, message: id)
            try set(marker, at: marker.sequence, over: nil)
        case .attemptMarker(let sequence, let previous):
            _ = try rebaseMarker(sequence, previous)
        case .removeMarker(let sequence):
            try set(nil, at: sequence, over: try rows.marker(at: sequence))
        case .rebase(let sequence, let previous):
            if try rebaseMarker(sequence, previous) { return }
            guard let old = try rows.pendingItem(at: sequence) else { return }
            try save(old.item.rebased(previous: previous), over: old)
        case .setLastTransmitted(let lane, let sequence):
            try rows.setLastTransmitted(lane, sequence)
        default:
            preconditionFailure("not a mutation of the chain")
        }
    }

    /// Returns false if there is no control entry with the sequence.
    private mutating func rebaseMarker(_ sequence: Int64, _ previous: Int64) throws(Rows.Failure) -> Bool {
        guard let old = try rows.marker(at: sequence) else { return false }
        var marker = old
        marker.previous = previous
        try set(marker, at: sequence, over: old)
        return true
    }

    private mutating func set(
        _ marker: ChainMarker?, at sequence: Int64, over old: ChainMarker?
    ) throws(Rows.Failure) {
        guard marker != old else { return }
        try rows.setMarker(marker, at: sequence)
        changes.add(marker: old, marker)
    }

    private mutating func raiseSequence(above mark: Int64) {
        rows.nextSequence = max(rows.nextSequence, min(mark, Limits.sequenceMax) + 1)
    }
}
