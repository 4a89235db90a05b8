package import Causeway

/// The number of messages that reached the server in each of the last minutes.
///
/// A value that reads no clock, bounded to a fixed number of minutes.
package struct DeliveryHistogram: Sendable, Hashable {
    /// The number of minutes that are remembered, including the current one.
    package static let minutesMax = 60

    /// Oldest first; the last entry is the minute `newest`.
    private var counts = Array(repeating: 0, count: minutesMax)
    private var newest: Int64?

    package init() {}

    package mutating func record(_ count: Int, at now: Timestamp) {
        advance(to: now)
        counts[Self.minutesMax - 1] += count
    }

    /// The counts, oldest first; the last is the minute of `now`, which is incomplete.
    package func perMinute(at now: Timestamp) -> [Int] {
        var copy = self
        copy.advance(to: now)
        return copy.counts
    }

    private mutating func advance(to now: Timestamp) {
        let minute = now.milliseconds / 60_000
        let steps = minute - (newest ?? minute)
        // A clock that was set back by a little keeps counting in its newest minute; by more, the history is reset.
        if steps < 0, steps > -Int64(Self.minutesMax) { return }
        newest = minute
        guard steps != 0 else { return }
        guard steps > 0, steps < Int64(Self.minutesMax) else {
            counts = Array(repeating: 0, count: Self.minutesMax)
            return
        }
        counts.removeFirst(Int(steps))
        counts += Array(repeating: 0, count: Int(steps))
    }
}
