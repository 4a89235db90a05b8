import Causeway
import Synchronization

/// A clock that advances only on command.
final class SetClock: Sendable {
    private let time = Mutex(MonotonicTime.zero + .seconds(1_000_000))

    var now: MonotonicTime { time.withLock { $0 } }

    /// The clock as a function.
    var reading: @Sendable () -> MonotonicTime { { self.now } }

    func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
}
