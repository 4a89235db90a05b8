package import CausewayModels
package import CausewayTransport

/// The kinds of records as the engine sees them: it knows none itself.
package struct EventInterpreter: Sendable {
    /// The record with its lists; `nil` if its fields cannot be read, or its kind is unknown: the stored state is then
    /// left as it is.
    package var stored: @Sendable (RemoteRecord) -> StoredRecord?
    /// The channel that an account can read because of this record of its own; `nil` if it gives no such right.
    package var channel: @Sendable (RecordKind, String) -> ChannelID?

    package init(
        stored: @escaping @Sendable (RemoteRecord) -> StoredRecord?,
        channel: @escaping @Sendable (RecordKind, String) -> ChannelID?
    ) {
        self.stored = stored
        self.channel = channel
    }
}
