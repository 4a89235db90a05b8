/// A reading of a clock that never goes back, in nanoseconds since an arbitrary origin.
///
/// The unit of deadlines, retries and time-outs. Two values are comparable only within one run of one process.
public struct MonotonicTime: Sendable, Hashable, Comparable {
    /// The nanoseconds since an arbitrary moment of the process.
    public let nanoseconds: Int64

    /// Creates a reading; comparable only with others of the same origin.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The arbitrary moment.
    public static let zero = MonotonicTime(nanoseconds: 0)

    /// Orders by time.
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Saturates at the bounds of the type.
    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let end: Int64 = duration < .zero ? .min : .max
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (span, overflowOfSpan) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, overflowOfSum) = time.nanoseconds.addingReportingOverflow(span)
        return MonotonicTime(nanoseconds: overflow || overflowOfSpan || overflowOfSum ? end : sum)
    }

    /// Saturates at the bounds of the type.
    public static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
        let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return .nanoseconds(overflow ? (left < right ? .min : .max) : difference)
    }
}
