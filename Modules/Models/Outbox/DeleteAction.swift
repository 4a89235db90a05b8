/// A record of one past deletion: the message, the time and the origin.
public struct DeleteAction: Sendable, Hashable, Codable {
    /// The interface through which the deletion was requested.
    public enum Origin: String, Sendable, Hashable, Codable, CaseIterable {
        /// The application, through the client; also a deletion on the server that ended a delivery here.
        case api
        /// The command line program.
        case cli
        /// The status page.
        case statusPage
    }

    /// Larger means later; 0 until the store has recorded the deletion.
    public var sequence: Int64
    /// The time of the deletion, by this device.
    public let at: Timestamp
    /// The caller that requested it.
    public let by: Origin
    /// The id of the deleted message; of the operation, if that was deleted.
    public let message: MessageID
    /// The channel of the message.
    public let channel: ChannelID
    /// The type of the message's content.
    public let type: MessageType
    /// The state of the message at its deletion.
    public let syncState: SyncState
    /// The message's last error, if it had one.
    public let lastFailure: Failure?

    /// Creates a record of a deletion; the store assigns the sequence.
    public init(
        sequence: Int64 = 0, at: Timestamp, by: Origin, message: MessageID, channel: ChannelID, type: MessageType,
        syncState: SyncState, lastFailure: Failure?
    ) {
        self.sequence = sequence
        self.at = at
        self.by = by
        self.message = message
        self.channel = channel
        self.type = type
        self.syncState = syncState
        self.lastFailure = lastFailure
    }
}

extension MessageType: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(name: try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
