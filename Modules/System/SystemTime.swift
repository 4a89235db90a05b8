#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The system's clocks. Read only at the edges of the system: in a program's `Runtime`, and in servers.
package enum SystemTime {
    /// The wall clock: milliseconds since 1970.
    package static var wallMilliseconds: Int64 {
        let time = reading(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// A clock that never goes back.
    package static var monotonicNanoseconds: Int64 {
        let time = reading(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Blocks this thread.
    package static func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

    private static func reading(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}
