/// Which messages keep their order among each other.
public enum OrderingPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Two lanes for a session: text and custom messages in one, media in the other. The documented behaviour.
    case laned
    /// Two lanes for each channel: one bad channel does not hold up another.
    case lanedPerChannel
    /// One lane for everything.
    case strict

    /// The lane in which a message of this type to this channel travels.
    public func lane(for type: MessageType, in channel: ChannelID) -> LaneID {
        switch self {
        case .laned: type.isMedia ? .media : .text
        case .lanedPerChannel: LaneID(rawValue: (type.isMedia ? "media/" : "text/") + channel.value)
        case .strict: LaneID(rawValue: "all")
        }
    }

    /// The lane in which operations on messages of this channel travel: none of them holds up a message.
    public func operationLane(in channel: ChannelID) -> LaneID {
        switch self {
        case .laned: .operations
        case .lanedPerChannel: LaneID(rawValue: "operations/" + channel.value)
        case .strict: LaneID(rawValue: "all")
        }
    }
}
