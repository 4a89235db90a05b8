package import CausewayModels

/// Decides which reports of typing are sent: for each channel one beginning in each interval, and its end. Free of I/O
/// and clocks.
///
/// A report that is not sent is dropped. The sequence of those that are sent grows over all channels.
package struct TypingThrottle: Sendable, Hashable {
    private struct Channel: Sendable, Hashable {
        var begunAt: MonotonicTime
        /// True until the end was sent.
        var isTyping: Bool
    }

    private var channels: [ChannelID: Channel] = [:]
    private var sequence: Int64 = 0

    package init() {}

    /// Returns the sequence of the signal to send; `nil` if none is to be sent.
    package mutating func report(_ isTyping: Bool, in channel: ChannelID, at now: MonotonicTime) -> Int64? {
        guard isTyping else {
            guard channels[channel]?.isTyping == true else { return nil }
            channels[channel]?.isTyping = false
            return next()
        }
        if let known = channels[channel], now < known.begunAt + SyncLimits.typingInterval { return nil }
        if channels[channel] == nil, channels.count >= SyncLimits.typingChannelsMax {
            channels = channels.filter { now < $0.value.begunAt + SyncLimits.typingInterval }
            guard channels.count < SyncLimits.typingChannelsMax else { return nil }
        }
        channels[channel] = Channel(begunAt: now, isTyping: true)
        return next()
    }

    private mutating func next() -> Int64 {
        sequence += 1
        return sequence
    }
}
