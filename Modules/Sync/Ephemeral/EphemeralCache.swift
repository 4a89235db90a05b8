package import CausewayModels
package import CausewayTransport

/// The ephemeral events of all channels as a client knows them; free of I/O, clocks and tasks.
///
/// The latest update of a channel wins. A value that has ended is never returned, also before it is removed. Bounded,
/// whatever a server sends.
package struct EphemeralCache: Sendable, Hashable {
    private struct Channel: Sendable, Hashable {
        /// When each user's typing ends.
        var typing: [UserID: MonotonicTime] = [:]
        var present: Set<UserID> = []

        var isEmpty: Bool { typing.isEmpty && present.isEmpty }
    }

    private var channels: [ChannelID: Channel] = [:]
    /// The channels in which a user is typing.
    private var typingChannels: Set<ChannelID> = []

    package init() {}

    /// The users who are typing, by name.
    package func typing(in channel: ChannelID, at now: MonotonicTime) -> [UserID] {
        let typing = channels[channel]?.typing.filter { $0.value > now } ?? [:]
        return typing.keys.sorted { $0.value < $1.value }
    }

    /// The users who are present, by name.
    package func present(in channel: ChannelID) -> [UserID] {
        channels[channel]?.present.sorted { $0.value < $1.value } ?? []
    }

    /// The time at which the next value ends.
    package var nextDeadline: MonotonicTime? {
        typingChannels.compactMap { channels[$0]?.typing.values.min() }.min()
    }

    // MARK: - Changes; each returns the channels that may have changed

    package mutating func apply(_ update: EphemeralUpdate, at now: MonotonicTime) -> Set<ChannelID> {
        var changed = update.isComplete ? clear() : []
        for state in update.channels {
            set(state, at: now)
            changed.insert(state.channel)
        }
        return changed
    }

    /// The server's events are not known any more.
    package mutating func clear() -> Set<ChannelID> {
        let known = Set(channels.keys)
        self = EphemeralCache()
        return known
    }

    /// Nothing more of the channel can be read.
    package mutating func remove(_ channel: ChannelID) -> Set<ChannelID> {
        typingChannels.remove(channel)
        return channels.removeValue(forKey: channel) == nil ? [] : [channel]
    }

    package mutating func removeExpired(at now: MonotonicTime) -> Set<ChannelID> {
        var changed: Set<ChannelID> = []
        for id in typingChannels {
            guard var channel = channels[id], channel.typing.values.contains(where: { $0 <= now }) else { continue }
            channel.typing = channel.typing.filter { $0.value > now }
            keep(channel, id)
            changed.insert(id)
        }
        return changed
    }

    private mutating func set(_ state: EphemeralUpdate.Channel, at now: MonotonicTime) {
        var channel = Channel()
        for typing in state.typing.prefix(SyncLimits.ephemeralUsersMax) where typing.remaining > .zero {
            channel.typing[typing.user] = now + min(typing.remaining, SyncLimits.typingLifeMax)
        }
        channel.present = Set(state.present.prefix(SyncLimits.ephemeralUsersMax))
        guard channels[state.channel] != nil || channels.count < SyncLimits.ephemeralChannelsMax else { return }
        keep(channel, state.channel)
    }

    private mutating func keep(_ channel: Channel, _ id: ChannelID) {
        channels[id] = channel.isEmpty ? nil : channel
        if channel.typing.isEmpty { typingChannels.remove(id) } else { typingChannels.insert(id) }
    }
}
