import Foundation

/// The formatting of numbers in tables.
enum Figure {
    static func ratio(_ value: Double) -> String { String(format: "%.2f", value) }

    /// Exact enough to reveal a narrowly missed goal.
    static func exactRatio(_ value: Double) -> String { String(format: "%.4f", value) }

    static func count(_ value: Double) -> String { grouped(Int(value.rounded())) }

    static func microseconds(_ seconds: Double) -> String { String(format: "%.1f", seconds * 1e6) }

    static func milliseconds(_ seconds: Double) -> String { String(format: "%.2f ms", seconds * 1e3) }

    static func mebibytes(_ bytes: Int) -> String { String(format: "%.1f MiB", Double(bytes) / 1_048_576) }

    /// `1.234 s`.
    static func seconds(_ time: Duration) -> String { String(format: "%.3f s", time.seconds) }

    /// `100,000`.
    static func grouped(_ value: Int) -> String {
        let digits = String(value)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}

extension [Double] {
    /// The median; of an even number the mean of the two in the middle. 0 when there are none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let ordered = sorted()
        return (ordered[(count - 1) / 2] + ordered[count / 2]) / 2
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
