import Causeway

/// Which channel's messages a request means; all when absent.
struct ChosenChannel: Sendable, Hashable, Codable {
    var channel: ChannelID?
    /// Who deletes; `api` when absent.
    var by: DeleteAction.Origin?
}
