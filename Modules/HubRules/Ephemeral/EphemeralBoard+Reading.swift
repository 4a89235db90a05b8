package import CausewayModels
import DequeModule

/// Reading the board as one account.
extension EphemeralBoard {
    /// The states of channels that a reader has not seen.
    package struct Part: Sendable, Equatable {
        /// The whole state of each channel.
        package var states: [EphemeralState]
        /// The reader has seen everything up to this position.
        package var position: Int64
        /// True if channels without a state in this part have no values.
        package var isComplete: Bool
        /// True if states had no room: the reader reads on from the position, and need not wait for a change.
        package var hasMore = false

        package init(states: [EphemeralState], position: Int64, isComplete: Bool) {
            self.states = states
            self.position = position
            self.isComplete = isComplete
        }
    }

    /// Returns what has changed in these channels after a position.
    ///
    /// - Parameters:
    ///   - seen: the last position that the reader has seen; `nil` if it has seen nothing.
    ///   - isReadable: whether the reader reads the channel.
    ///   - bytesMax: the bytes of the states, about; a single one may exceed them.
    /// - Complexity: O(channels that have changed after the position), whoever reads them.
    package func read(
        after seen: Int64?, at now: MonotonicTime, bytesMax: Int, isReadable: (ChannelID) -> Bool
    ) -> Part {
        let isComplete = seen.map { $0 < floor || $0 > position } ?? true
        let start = isComplete ? 0 : seen ?? 0
        var part = Part(states: [], position: start, isComplete: isComplete)
        var bytes = 0
        for change in changes[firstIndex(after: start)...] {
            guard let channel = channels[change.channel], channel.position == change.position,
                isReadable(change.channel)
            else { continue }
            let state = Self.state(of: change.channel, channel, at: now)
            // A reader without any state needs none that is empty.
            if isComplete, state.isEmpty { continue }
            bytes += state.bytes
            if bytes > bytesMax, !part.states.isEmpty {
                part.hasMore = true
                return part
            }
            part.states.append(state)
            part.position = change.position
        }
        part.position = position
        return part
    }

    private func firstIndex(after position: Int64) -> Int {
        var (low, high) = (changes.startIndex, changes.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if changes[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func state(of id: ChannelID, _ channel: Channel, at now: MonotonicTime) -> EphemeralState {
        var ends: [UserID: MonotonicTime] = [:]
        for (key, typing) in channel.typing where typing.isTyping && typing.end > now {
            ends[key.user] = max(ends[key.user] ?? typing.end, typing.end)
        }
        let typing = ends.map { EphemeralState.Typing(user: $0.key, remaining: $0.value - now) }
        return EphemeralState(
            channel: id, typing: typing.sorted { $0.user.value < $1.user.value },
            present: channel.present.sorted { $0.value < $1.value })
    }
}
