package import CausewayModels
import CausewaySystem

/// The real clocks; a server is an edge of the system and reads them only here.
package enum SystemClock {
    /// The wall clock.
    @Sendable package static func now() -> Timestamp { Timestamp(milliseconds: SystemTime.wallMilliseconds) }

    /// A clock that never goes back.
    @Sendable package static func monotonic() -> MonotonicTime {
        MonotonicTime(nanoseconds: SystemTime.monotonicNanoseconds)
    }
}
