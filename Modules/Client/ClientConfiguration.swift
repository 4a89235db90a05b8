public import CausewayModels
import CausewayOutbox

/// The configuration of a client. The defaults are the documented behaviour.
public struct ClientConfiguration: Sendable, Hashable {
    /// The rule that determines which messages keep their order relative to each other.
    public var ordering: OrderingPolicy = .laned
    /// The treatment at the start of messages that the previous run left undelivered.
    public var restart: RestartPolicy = .fail
    public var outbox = OutboxConfiguration()
    /// Bytes of the downloaded files that are kept; the one that was used least recently goes first. A larger file
    /// cannot be fetched as a whole, only read in parts.
    public var receivedBytesMax: Int64 = 4 << 30
    /// The delivered messages of each channel that the store keeps; the server keeps all of them. Looked at a minute
    /// after the client was opened, and every hour from then on.
    public var retention = RetentionPolicy.forever

    public init() {}
}
