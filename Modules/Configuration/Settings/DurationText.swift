import CausewayModels

/// Durations as users write them.
package enum DurationText {
    private static let units: [(suffix: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("", 1000),
    ]

    /// Parses `5`, `0.5`, `5s`, `500ms`, `2m`, `1h`; without a unit, seconds. Returns `nil` for anything else.
    package static func duration(_ text: String) -> Duration? {
        for (suffix, milliseconds) in units where text.hasSuffix(suffix) {
            let number = text.dropLast(suffix.count)
            guard !number.isEmpty, number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
                let value = Double(number), value.isFinite, value * milliseconds < 1e15
            else { return nil }
            return .milliseconds(Int64((value * milliseconds).rounded()))
        }
        return nil
    }

    /// Returns the shortest form that ``duration(_:)`` parses back.
    package static func text(_ duration: Duration) -> String {
        // A quotient of durations is rounded to a `Double`, and may be less than the whole number that it stands for.
        let milliseconds = duration.wholeMilliseconds
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}
