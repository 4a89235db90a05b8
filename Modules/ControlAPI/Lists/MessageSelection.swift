import Causeway

/// The messages that a request selects.
struct MessageSelection: Sendable, Hashable, Codable {
    var ids: [MessageID]
    /// The origin of a deletion; `api` when absent.
    var by: DeleteAction.Origin?

    var checked: [MessageID] {
        get throws(ControlError) {
            guard (1...ControlLimits.idsPerRequestMax).contains(ids.count) else {
                throw ControlError(
                    .badRequest, "a request takes 1 to \(ControlLimits.idsPerRequestMax) message ids, not \(ids.count)")
            }
            return ids
        }
    }
}
