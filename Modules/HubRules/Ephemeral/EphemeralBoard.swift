package import CausewayModels
import DequeModule

/// The latest ephemeral values of all channels: who is typing, and who is present; free of I/O.
///
/// Nothing here is stored or logged, and nothing can be resumed: a hub that restarts begins with an empty board.
///
/// | value | kept per | begins | ends |
/// | --- | --- | --- | --- |
/// | typing | account, device, channel | with a signal | with a later one, a message, or after ``Limits/typingLife`` |
/// | presence | account, channel | with the first reader | ``Limits/presenceGrace`` after the last one has left |
///
/// Each change of a channel has a number, its position. A reader names the last position that it has seen and is sent
/// the whole state of each channel that changed since. The end of typing by time is no change: a state says how long
/// each value lasts.
///
/// Guarantees:
/// 1. Of two signals of a device the one with the higher sequence wins, in whatever order they arrive within
///    ``Limits/typingLife``.
/// 2. A value that has ended is never part of a state, also when it has not been removed yet.
/// 3. Everything is bounded by ``Limits``; a value without room is dropped, and nothing older is.
package struct EphemeralBoard: Sendable {
    package struct Limits: Sendable, Hashable {
        /// Channels with a value, or with one that has ended lately.
        package var channelsMax: Int
        /// Typing devices: in all, of an account, in a channel.
        package var typingMax: Int
        package var typingPerAccountMax: Int
        package var typingPerChannelMax: Int
        /// Present accounts in all, with those that have left lately.
        package var presentMax: Int
        /// Present accounts in a channel.
        package var presentPerChannelMax: Int
        /// Channels in which an account is present.
        package var presentChannelsMax: Int
        package var typingLife: Duration
        package var presenceGrace: Duration

        package init(
            channelsMax: Int, typingMax: Int, typingPerAccountMax: Int, typingPerChannelMax: Int, presentMax: Int,
            presentPerChannelMax: Int, presentChannelsMax: Int, typingLife: Duration, presenceGrace: Duration
        ) {
            self.channelsMax = channelsMax
            self.typingMax = typingMax
            self.typingPerAccountMax = typingPerAccountMax
            self.typingPerChannelMax = typingPerChannelMax
            self.presentMax = presentMax
            self.presentPerChannelMax = presentPerChannelMax
            self.presentChannelsMax = presentChannelsMax
            self.typingLife = typingLife
            self.presenceGrace = presenceGrace
        }
    }

    /// The effect of a signal.
    package enum Outcome: Sendable, Hashable {
        /// It is the latest of its device. If the flag is set, the state of the channel has changed.
        case latest(isChange: Bool)
        /// A later signal of the device arrived before it.
        case superseded
        /// A limit is reached.
        case full
    }

    struct TypingKey: Hashable, Sendable {
        let channel: ChannelID
        let user: UserID
        let device: String
    }

    struct Typing: Hashable, Sendable {
        var sequence: Int64
        /// A signal that typing has ended is kept as long as one that it has begun: the latter may arrive later.
        var isTyping: Bool
        var end: MonotonicTime
    }

    struct Presence: Hashable, Sendable {
        var channels: [ChannelID]
        var isConnected = true
    }

    struct Channel: Sendable {
        var typing: [TypingKey: Typing] = [:]
        var present: Set<UserID> = []
        /// The position of the last change.
        var position: Int64 = 0

        var isEmpty: Bool { typing.isEmpty && present.isEmpty }
    }

    struct Change: Sendable {
        let position: Int64
        let channel: ChannelID
    }

    let limits: Limits
    var channels: [ChannelID: Channel] = [:]
    var typing: [UserID: Set<TypingKey>] = [:]
    private var typingCount = 0
    private var typingEnds = ExpiryQueue<TypingKey>()
    var presence: [UserID: Presence] = [:]
    var presenceEnds = ExpiryQueue<UserID>()
    /// Channels in which presence has changed since ``takePresenceChanges()``.
    var presenceChanges: Set<ChannelID> = []
    /// By ascending position. An entry whose channel has changed again is obsolete.
    private(set) var changes: Deque<Change> = []
    /// The position of the last change of any channel.
    package private(set) var position: Int64 = 0
    /// The position of the last change that has been forgotten: a reader from before it needs the state of all
    /// channels.
    private(set) var floor: Int64 = 0

    package init(_ limits: Limits) { self.limits = limits }

    /// The entries that it holds, for tests of its bounds.
    package var counts: (channels: Int, typing: Int, present: Int, changes: Int, expiries: Int) {
        (channels.count, typingCount, presence.count, changes.count, typingEnds.count)
    }

    // MARK: - Typing

    /// Takes a signal of a device of an account that may write to the channel.
    ///
    /// - Complexity: O(1), amortized.
    package mutating func receive(_ signal: EphemeralSignal, at now: MonotonicTime) -> Outcome {
        removeExpired(at: now)
        let key = TypingKey(channel: signal.channel, user: signal.user, device: signal.device)
        let known = channels[signal.channel]?.typing[key]
        if let known, known.sequence >= signal.sequence { return .superseded }
        if known == nil {
            guard typingCount < limits.typingMax, typing[signal.user]?.count ?? 0 < limits.typingPerAccountMax,
                channels[signal.channel]?.typing.count ?? 0 < limits.typingPerChannelMax, makeRoom(for: signal.channel)
            else { return .full }
            typingCount += 1
            typing[signal.user, default: []].insert(key)
        }
        let end = now + limits.typingLife
        channels[signal.channel, default: Channel()].typing[key] = Typing(
            sequence: signal.sequence, isTyping: signal.isTyping, end: end)
        typingEnds.set(key, end: end)
        // A repeated signal is a change, too: readers have to know that it lasts longer.
        let isChange = signal.isTyping || known?.isTyping == true
        if isChange { noteChange(signal.channel) }
        return .latest(isChange: isChange)
    }

    /// Ends the typing of an account in a channel, which has a message of it now.
    ///
    /// - Returns: whether the state of the channel has changed.
    package mutating func endTyping(of user: UserID, in channel: ChannelID) -> Bool {
        var isChange = false
        for key in typing[user] ?? [] where key.channel == channel {
            guard channels[channel]?.typing[key]?.isTyping == true else { continue }
            channels[channel]?.typing[key]?.isTyping = false
            isChange = true
        }
        if isChange { noteChange(channel) }
        return isChange
    }

    /// Ends the typing of an account in these channels.
    ///
    /// - Returns: the channels whose state has changed.
    /// - Complexity: O(typing devices of the account), whatever the number of channels.
    package mutating func endTyping(of user: UserID, in ended: Set<ChannelID>) -> Set<ChannelID> {
        var changed: Set<ChannelID> = []
        for channel in Set((typing[user] ?? []).map(\.channel)) where ended.contains(channel) {
            if endTyping(of: user, in: channel) { changed.insert(channel) }
        }
        return changed
    }

    /// Removes what has ended.
    package mutating func removeExpired(at now: MonotonicTime) {
        for key in typingEnds.removeExpired(at: now) {
            guard channels[key.channel]?.typing.removeValue(forKey: key) != nil else { continue }
            typingCount -= 1
            typing[key.user]?.remove(key)
            if typing[key.user]?.isEmpty == true { typing[key.user] = nil }
        }
        for user in presenceEnds.removeExpired(at: now) { withdraw(user) }
    }

    // MARK: - Changes

    mutating func noteChange(_ channel: ChannelID) {
        position += 1
        channels[channel, default: Channel()].position = position
        changes.append(Change(position: position, channel: channel))
        guard changes.count > 2 * channels.count + 64 else { return }
        let channels = channels
        changes.removeAll { channels[$0.channel]?.position != $0.position }
    }

    /// Forgets channels without values if there are too many.
    ///
    /// - Returns: false if there is no room for a value of the channel.
    mutating func makeRoom(for channel: ChannelID) -> Bool {
        if channels[channel] != nil || channels.count < limits.channelsMax { return true }
        for (id, state) in channels where state.isEmpty {
            floor = max(floor, state.position)
            channels[id] = nil
        }
        return channels.count < limits.channelsMax
    }
}
