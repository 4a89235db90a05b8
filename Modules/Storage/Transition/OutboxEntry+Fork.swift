package import CausewayModels

extension OutboxEntry {
    /// The control entry under the outbox's new id; see ``Mutation/forkOutbox(_:at:)``.
    ///
    /// A retraction bars late copies under the former id only. A deletion holds under every id: the server remembers it
    /// until the message arrives.
    package func forkedControl(sequence: Int64) -> ChainMarker {
        ChainMarker(
            kind: kind == .retract ? .delete : kind, lane: lane, sequence: sequence, previous: nil, message: message)
    }
}
