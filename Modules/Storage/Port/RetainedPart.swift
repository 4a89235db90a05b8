public import CausewayModels

/// The part of a channel that remains when only a number of its newest messages are kept: the result of
/// ``Store/nextChannel(after:keeping:)``.
public struct RetainedPart: Sendable, Hashable {
    /// The channel of the messages.
    public let channel: ChannelID
    /// The position on the server of the oldest message of this part; `nil` if the store has fewer messages than are to
    /// be kept.
    public let start: Int64?

    /// Creates a part; see the properties.
    public init(channel: ChannelID, start: Int64?) {
        self.channel = channel
        self.start = start
    }
}
