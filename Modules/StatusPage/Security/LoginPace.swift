package import CausewayModels

/// Spaces out the checks of tokens: one after the other, for all peers together.
///
/// A value that reads no clock.
package struct LoginPace: Sendable {
    private let interval: Duration
    private var nextAt = MonotonicTime.zero

    package init(interval: Duration) { self.interval = interval }

    /// Reserves the next turn.
    ///
    /// - Returns: how long to wait for it.
    package mutating func turn(at now: MonotonicTime) -> Duration {
        let turn = max(nextAt, now)
        nextAt = turn + interval
        return turn - now
    }
}
