package import Causeway

/// Spaces out the tokens that are judged: one after the other, whoever gives them.
///
/// A value: it reads no clock.
package struct LoginPace: Sendable {
    private let interval: Duration
    private var nextAt = MonotonicTime.zero

    package init(interval: Duration) { self.interval = interval }

    /// Takes the next turn.
    ///
    /// - Returns: how long to wait for it.
    package mutating func turn(at now: MonotonicTime) -> Duration {
        let turn = max(nextAt, now)
        nextAt = turn + interval
        return turn - now
    }
}
