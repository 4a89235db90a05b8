package import CausewayModels
import Synchronization

/// The guarantees of events about the stored data at the moment: for screens, which ask without waiting for the engine.
///
/// Owned by the engine, which alone changes it. The lock is held for a lookup or an assignment only.
package final class FollowedEvents: Sendable {
    package enum Phase: Sendable, Hashable {
        /// Changes are seen only when they are requested.
        case none
        /// Changes arrive as soon as the server can be reached; none will be missing then.
        case interrupted
        /// Changes arrive.
        case streaming
    }

    fileprivate struct State {
        var phase = Phase.none
        /// The number of interruptions, the number of the last one in all channels, and in single ones since then.
        var interruptions = 0
        var inAll = 0
        var inChannel: [ChannelID: Int] = [:]
        /// The newest position of each channel up to which events have brought everything.
        var known: [ChannelID: Int64] = [:]
        /// The newest position that they brought since everything was last known.
        var brought: [ChannelID: Int64] = [:]
        /// True if a screen asked for a position that is not known yet.
        var isAwaited = false
    }

    private let state = Mutex(State())

    package var phase: Phase { state.withLock { $0.phase } }

    /// The present generation of the guarantees: events have left out nothing of the channel since it began. A page
    /// that is requested in it contains what was left out before.
    package func generation(of channel: ChannelID) -> Int { state.withLock { $0.generation(of: channel) } }

    /// True if events have brought every message of the channel up to this position that a page, requested in this
    /// generation, does not contain. If not, the engine reports when they have brought more
    /// (``RefreshTrigger/eventsCaughtUp``).
    package func isBrought(through position: Int64, in channel: ChannelID, since generation: Int?) -> Bool {
        state.withLock { state in
            let isCurrent = state.phase != .none && generation == state.generation(of: channel)
            if isCurrent, position <= state.known[channel] ?? 0 { return true }
            state.isAwaited = true
            return false
        }
    }

    // MARK: - The engine

    func become(_ phase: Phase) { state.withLock { $0.phase = phase } }

    /// A batch with these messages is stored. Within one batch, and until everything is up to date, a message may
    /// precede others that have lower positions.
    func note(_ messages: [RemoteMessage]) {
        state.withLock { state in
            for message in messages {
                // A screen that finds no position requests a page.
                if state.brought.count >= SyncLimits.followedChannelsMax, state.brought[message.channel] == nil {
                    continue
                }
                let position = message.serverPosition.position
                state.brought[message.channel] = max(state.brought[message.channel] ?? 0, position)
            }
        }
    }

    /// Everything that the server had is stored.
    ///
    /// - Returns: whether a screen awaits a position.
    func caughtUp() -> Bool {
        state.withLock { state in
            if state.known.count + state.brought.count > SyncLimits.followedChannelsMax { state.known = [:] }
            state.known.merge(state.brought) { max($0, $1) }
            state.brought = [:]
            defer { state.isAwaited = false }
            return state.isAwaited
        }
    }

    /// The events from here on do not continue the earlier ones.
    func forget() { state.withLock { $0.interrupt() } }

    /// Messages of these channels are missing among the events. Called before what follows them is stored.
    func interrupt(_ channels: Set<ChannelID>) {
        guard !channels.isEmpty else { return }
        state.withLock { state in
            guard state.inChannel.count + channels.count <= SyncLimits.followedChannelsMax else {
                return state.interrupt()
            }
            state.interruptions += 1
            for channel in channels {
                state.inChannel[channel] = state.interruptions
                state.known[channel] = nil
                state.brought[channel] = nil
            }
        }
    }
}

extension FollowedEvents.State {
    fileprivate func generation(of channel: ChannelID) -> Int { inChannel[channel] ?? inAll }

    fileprivate mutating func interrupt() {
        interruptions += 1
        inAll = interruptions
        inChannel = [:]
        known = [:]
        brought = [:]
    }
}
