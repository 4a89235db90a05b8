import Causeway

/// The channel whose messages a request selects; all channels when absent.
struct ChannelFilter: Sendable, Hashable, Codable {
    var channel: ChannelID?
    /// The origin of a deletion; `api` when absent.
    var by: DeleteAction.Origin?
}
