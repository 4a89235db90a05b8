/// Which messages keep their order among each other.
public enum OrderingPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Two lanes for a session: text and custom messages in one, media in the other; edits and reactions travel beside
    /// them. The documented behaviour.
    case laned
    /// The same lanes for each channel: one bad channel does not hold up another.
    case lanedPerChannel
    /// Two lanes for a session, and a media message waits for every text and custom message that was created (or sent
    /// again) before it, whatever their channels; those never wait for media. So a picture cannot arrive before the
    /// words that announce it. A text that waits long holds up media just as long.
    case mediaAfterText
    /// One lane for everything.
    case strict

    /// The lane in which a message of this type to this channel travels.
    public func lane(for type: MessageType, in channel: ChannelID) -> LaneID {
        switch self {
        case .laned, .mediaAfterText: type.isMedia ? .media : .text
        case .lanedPerChannel: LaneID(rawValue: (type.isMedia ? "media/" : "text/") + channel.value)
        case .strict: LaneID(rawValue: "all")
        }
    }

    /// Which lane waits for what stands earlier in which other lane; lanes that are not named wait for none.
    package var precedence: [LaneID: LaneID] {
        switch self {
        case .laned, .lanedPerChannel, .strict: [:]
        case .mediaAfterText: [.media: .text]
        }
    }

    /// The lane in which operations on messages of this channel travel: none of them holds up a message, but under
    /// ``strict``.
    public func operationLane(in channel: ChannelID) -> LaneID {
        switch self {
        case .laned, .mediaAfterText: .operations
        case .lanedPerChannel: LaneID(rawValue: "operations/" + channel.value)
        case .strict: LaneID(rawValue: "all")
        }
    }
}
