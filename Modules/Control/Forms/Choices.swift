import Causeway

/// Which messages a request means.
struct ChosenMessages: Sendable, Hashable, Codable {
    var ids: [MessageID]
    /// Who deletes; `api` when absent.
    var by: DeleteAction.Origin?

    var checked: [MessageID] {
        get throws(ControlError) {
            guard (1...ControlLimits.idsPerRequestMax).contains(ids.count) else {
                throw ControlError(
                    .badRequest, "a request names 1 to \(ControlLimits.idsPerRequestMax) messages, not \(ids.count)")
            }
            return ids
        }
    }
}

/// Which channel's messages a request means; all when absent.
struct ChosenChannel: Sendable, Hashable, Codable {
    var channel: ChannelID?
    /// Who deletes; `api` when absent.
    var by: DeleteAction.Origin?
}
