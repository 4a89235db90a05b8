internal import CausewayModels
internal import CausewayWire

/// The hub's result for a delivery.
enum DeliveryVerdict: Sendable {
    /// Each operation has its outcome; all changes are on the disk.
    case report(WireReport, newChannels: [ChannelID])
    /// The client knows another history of the hub's data; nothing was applied.
    case historyChanged
    /// Another copy of the client's store has delivered; nothing was applied.
    case forked
    /// A newer process or copy of the client's store has delivered; nothing was applied.
    case superseded(highest: Int64)
}
