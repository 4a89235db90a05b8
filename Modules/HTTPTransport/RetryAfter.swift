import CausewayModels

/// The field `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The time to wait, clamped to the limits of `HTTPTransportLimits`; `nil` if the text is neither a number of
    /// seconds nor one of the three forms of a date.
    ///
    /// A negative number and a date in the past result in the shortest wait.
    static func wait(_ text: String, now: Timestamp) -> Duration? {
        let trimmed = text.split(whereSeparator: \.isWhitespace)
        if trimmed.count == 1, let word = trimmed.first {
            let digits = word.hasPrefix("-") ? word.dropFirst() : word
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return bounded(seconds: word.hasPrefix("-") ? 0 : Int64(digits) ?? .max)
        }
        guard let date = secondsSinceEpoch(text) else { return nil }
        // Rounded up: not before the given time.
        return bounded(seconds: date - (now.milliseconds / 1000))
    }

    /// Clamps a server's wait to the limits.
    static func bounded(_ wait: Duration) -> Duration {
        min(
            max(wait, .seconds(HTTPTransportLimits.retryAfterSecondsMin)),
            .seconds(HTTPTransportLimits.retryAfterSecondsMax))
    }

    private static func bounded(seconds: Int64) -> Duration {
        bounded(.seconds(min(max(seconds, 0), HTTPTransportLimits.retryAfterSecondsMax)))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    private static func secondsSinceEpoch(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" || $0 == ":" }
        switch words.count {
        case 8 where words[7] == "GMT":
            return seconds(year: words[3], month: words[2], day: words[1], time: words[4...6])
        case 7:
            return seconds(year: words[6], month: words[1], day: words[2], time: words[3...5])
        default:
            return nil
        }
    }

    private static func seconds(
        year: Substring, month: Substring, day: Substring, time: ArraySlice<Substring>
    ) -> Int64? {
        let clock = time.compactMap { Int64($0) }
        guard var year = Int64(year), let monthIndex = months.firstIndex(of: String(month)), let day = Int64(day),
            clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2]),
            (1...31).contains(day)
        else { return nil }
        if (0...99).contains(year) { year += year < 70 ? 2000 : 1900 }
        guard (1970...9999).contains(year) else { return nil }
        let days = daysSinceEpoch(year: year, month: Int64(monthIndex) + 1, day: day)
        return days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    /// In the Gregorian calendar; years are counted from March, so that a leap day comes last.
    private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month <= 2 ? month + 9 : month - 3) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
