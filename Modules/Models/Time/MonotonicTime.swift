/// A moment of a clock that never goes back, in nanoseconds since some moment of no meaning.
///
/// Deadlines, retries and time-outs are counted in it. Two values compare only within one run of one process.
public struct MonotonicTime: Sendable, Hashable, Comparable {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static let zero = MonotonicTime(nanoseconds: 0)

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowToo) = time.nanoseconds.addingReportingOverflow(
            overflow ? .max : whole + attoseconds / 1_000_000_000)
        return MonotonicTime(nanoseconds: overflow || overflowToo ? .max : sum)
    }

    public static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}
