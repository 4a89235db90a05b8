/// A reading of a wall clock, in milliseconds since 1970-01-01 UTC.
///
/// For display. No decision about order, retry or position depends on it, because wall clocks jump.
///
/// Always within the years 1 to 9999: regardless of the clock, file or program that it came from, differences and sums
/// of two values do not overflow.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// The milliseconds since 1970.
    public let milliseconds: Int64

    /// 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
    private static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// Clamps the time to the years 1 to 9999.
    public init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    public init(from decoder: any Decoder) throws {
        self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The time `duration` later, to the millisecond; saturates at the bounds of the type.
    public func advanced(by duration: Duration) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        return Timestamp(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The time in UTC in the format of RFC 3339, `2026-11-21T08:20:12.345Z`.
    public var description: String {
        let day = Int64(86_400_000)
        var days = milliseconds / day
        var rest = milliseconds % day
        if rest < 0 {
            rest += day
            days -= 1
        }
        let (year, month, date) = Self.civilDate(daysSinceEpoch: days)
        let seconds = rest / 1000
        return Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(date, 2) + "T"
            + Self.padded(seconds / 3600, 2) + ":" + Self.padded(seconds / 60 % 60, 2) + ":"
            + Self.padded(seconds % 60, 2) + "." + Self.padded(rest % 1000, 3) + "Z"
    }

    /// The proleptic Gregorian date of a day number; years are counted from March so that a leap day comes last.
    private static func civilDate(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let daysPerEra: Int64 = 146_097
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - daysPerEra + 1) / daysPerEra
        let dayOfEra = shifted - era * daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000_000_000
    }
}
