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

    private struct State {
        var phase = Phase.none
        /// The newest position of each channel up to which events have brought everything.
        var known: [ChannelID: Int64] = [:]
        /// The newest position that they brought since everything was last known.
        var brought: [ChannelID: Int64] = [:]
        /// True if a screen asked for a position that is not known yet.
        var isAwaited = false
    }

    private let state = Mutex(State())

    package var phase: Phase { state.withLock { $0.phase } }

    /// True if events have brought every message of the channel up to this position. If not, the engine reports when
    /// they have brought more (``RefreshTrigger/eventsCaughtUp``).
    package func isBrought(through position: Int64, in channel: ChannelID) -> Bool {
        state.withLock { state in
            if state.phase != .none, position <= state.known[channel] ?? 0 { return true }
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
    func forget() {
        state.withLock { state in
            state.known = [:]
            state.brought = [:]
        }
    }
}
