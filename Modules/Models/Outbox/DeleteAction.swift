/// A record of one past deletion: the message, edit or reaction, the time and the origin.
public struct DeleteAction: Sendable, Hashable {
    /// The kind of what was deleted.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A message, in whatever state it was.
        case message
        /// An edit that the server had not confirmed.
        case edit
        /// A reaction that the server had not confirmed.
        case addReaction
        /// The removal of a reaction that the server had not confirmed.
        case removeReaction
    }

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
    /// The kind of what was deleted; ``Kind/message`` for all deletions that earlier versions recorded.
    public let kind: Kind
    /// The id of the deleted message; of the operation, if an edit or a reaction was deleted.
    public let message: MessageID
    /// The message that a deleted edit or reaction concerned; `nil` if a message was deleted.
    public let target: MessageID?
    /// The channel of the message.
    public let channel: ChannelID
    /// The type of the message's content.
    public let type: MessageType
    /// The state of the message, the edit or the reaction at its deletion.
    public let syncState: SyncState
    /// Its last error, if it had one.
    public let lastFailure: Failure?

    /// Creates a record of a deletion; the store assigns the sequence.
    public init(
        sequence: Int64 = 0, at: Timestamp, by: Origin, kind: Kind = .message, message: MessageID,
        target: MessageID? = nil, channel: ChannelID, type: MessageType, syncState: SyncState, lastFailure: Failure?
    ) {
        self.sequence = sequence
        self.at = at
        self.by = by
        self.kind = kind
        self.message = message
        self.target = target
        self.channel = channel
        self.type = type
        self.syncState = syncState
        self.lastFailure = lastFailure
    }
}

/// The form in which stores keep it. The kind of a deleted message is absent, as it was before there were others.
extension DeleteAction: Codable {
    private enum Key: String, CodingKey {
        case sequence, at, by, kind, message, target, channel, type, syncState, lastFailure
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            sequence: try container.decode(Int64.self, forKey: .sequence),
            at: try container.decode(Timestamp.self, forKey: .at), by: try container.decode(Origin.self, forKey: .by),
            kind: try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .message,
            message: try container.decode(MessageID.self, forKey: .message),
            target: try container.decodeIfPresent(MessageID.self, forKey: .target),
            channel: try container.decode(ChannelID.self, forKey: .channel),
            type: try container.decode(MessageType.self, forKey: .type),
            syncState: try container.decode(SyncState.self, forKey: .syncState),
            lastFailure: try container.decodeIfPresent(Failure.self, forKey: .lastFailure))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(at, forKey: .at)
        try container.encode(by, forKey: .by)
        if kind != .message { try container.encode(kind, forKey: .kind) }
        try container.encode(message, forKey: .message)
        try container.encodeIfPresent(target, forKey: .target)
        try container.encode(channel, forKey: .channel)
        try container.encode(type, forKey: .type)
        try container.encode(syncState, forKey: .syncState)
        try container.encodeIfPresent(lastFailure, forKey: .lastFailure)
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
