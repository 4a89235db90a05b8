/// The rule that determines which messages keep their order relative to each other.
public enum OrderingPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Two lanes for a session: text and custom messages in one, media in the other; edits and reactions have a lane of
    /// their own. The documented behaviour.
    case laned
    /// The same lanes for each channel: a channel that fails does not delay another.
    case lanedPerChannel
    /// Two lanes for a session, and a media message waits for every text and custom message that was created (or
    /// resent) before it, in any channel; text never waits for media. So a picture cannot arrive before the text that
    /// announces it. A text that is delayed delays media just as long.
    case mediaAfterText
    /// One lane for everything.
    case strict

    /// The lane for a message of this type to this channel.
    public func lane(for type: MessageType, in channel: ChannelID) -> LaneID {
        switch self {
        case .laned, .mediaAfterText: type.isMedia ? .media : .text
        case .lanedPerChannel: LaneID(rawValue: (type.isMedia ? "media/" : "text/") + channel.value)
        case .strict: LaneID(rawValue: "all")
        }
    }

    /// The lane for an operation that is made here. All operations get their lanes from this function, all deletions
    /// from ``deletionLane(for:in:)``.
    package func lane(for payload: OperationPayload, in channel: ChannelID) -> LaneID {
        payload.createsMessage ? lane(for: payload.content.type, in: channel) : operationLane(in: channel)
    }

    /// The lane for the deletion of a message that has no lane here: the one that it would be sent in.
    package func deletionLane(for type: MessageType, in channel: ChannelID) -> LaneID { lane(for: type, in: channel) }

    /// For each lane that waits for earlier entries of another lane, that other lane; lanes without an entry wait for
    /// none.
    package var precedence: [LaneID: LaneID] {
        switch self {
        case .laned, .lanedPerChannel, .strict: [:]
        case .mediaAfterText: [.media: .text]
        }
    }

    /// The lane for operations on messages of this channel: operations never delay a message, except under ``strict``.
    public func operationLane(in channel: ChannelID) -> LaneID {
        switch self {
        case .laned, .mediaAfterText: .operations
        case .lanedPerChannel: LaneID(rawValue: "operations/" + channel.value)
        case .strict: LaneID(rawValue: "all")
        }
    }
}

/// A FIFO of the outbox. Order is kept within a lane; lanes do not wait for each other, except under
/// ``OrderingPolicy/mediaAfterText``.
public struct LaneID: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
    public let rawValue: String

    /// - Parameter rawValue: 1 to 200 bytes without control characters; created by an ``OrderingPolicy``.
    public init(rawValue: String) { self.rawValue = rawValue }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// Text and custom messages, under ``OrderingPolicy/laned``.
    public static let text = LaneID(rawValue: "text")
    /// Image, video, audio and file messages, under ``OrderingPolicy/laned``.
    public static let media = LaneID(rawValue: "media")
    /// Edits and reactions, under ``OrderingPolicy/laned``.
    public static let operations = LaneID(rawValue: "operations")

    public var description: String { rawValue }
}
