package import CausewayModels

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The real clocks; a server is an edge of the system and reads them only here.
package enum SystemClock {
    /// The wall clock.
    @Sendable package static func now() -> Timestamp {
        let time = reading(CLOCK_REALTIME)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// A clock that never goes back.
    @Sendable package static func monotonic() -> MonotonicTime {
        let time = reading(CLOCK_MONOTONIC)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    private static func reading(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}
