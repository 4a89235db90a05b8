public import CausewayModels
import CausewayOutbox
public import Logging

/// The configuration of a client. The defaults are the documented behaviour.
public struct ClientConfiguration: Sendable {
    /// The rule that determines which messages keep their order relative to each other.
    public var ordering: OrderingPolicy = .laned
    /// The treatment at the start of messages that the previous run left undelivered.
    public var restart: RestartPolicy = .fail
    /// The retries, the expiry, the pauses after an outage, and the sizes of batches.
    public var outbox = OutboxConfiguration()
    /// Bytes of the downloaded files that are kept; the one that was used least recently goes first. A larger file
    /// cannot be fetched as a whole, only read in parts.
    public var receivedBytesMax: Int64 = 4 << 30
    /// The delivered messages of each channel that the store keeps; the server keeps all of them. Looked at a minute
    /// after the client was opened, and every hour from then on.
    public var retention = RetentionPolicy.forever
    /// Whether the client follows the server's events: what other devices and people change then appears by itself. For
    /// that a request to the server is always open, and the user is shown as present to others.
    ///
    /// `false` is for a device that only sends, or that pays for every byte: nothing is requested on its behalf, the
    /// user is not shown as present, and a list shows what the server had when a page was last requested. Opened
    /// with `true` again, the store catches up from where it last followed.
    public var followsEvents = true
    /// Gets a line when the session, the connection or a required action changes, when the store is in trouble, and
    /// when deliveries fail: at most a few a second, never a token or the content of a message. Called on no particular
    /// thread. `nil`, the default, logs nothing.
    public var logger: Logger?

    /// Creates the documented configuration; change the properties that shall differ before the client is opened.
    public init() {}
}
