/// Formatting of numbers.
enum PageNumber {
    /// `1,234,567`.
    static func text(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number).drop { $0 == "-" })
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// `1 message`, `2 messages`.
    static func messages(_ count: Int) -> String { count == 1 ? "1 message" : text(count) + " messages" }

    /// `512 bytes`, `1.5 MB`.
    static func bytes(_ count: Int64) -> String {
        var value = Double(max(0, count))
        for unit in ["bytes", "kB", "MB", "GB"] {
            if value < 1000 || unit == "GB" {
                return unit == "bytes" ? "\(count) bytes" : "\((value * 10).rounded() / 10) \(unit)"
            }
            value /= 1000
        }
        return "\(count) bytes"
    }

    /// Cuts a text for a list, and marks it as cut. Counts scalars: one character may have thousands of accents.
    static func preview(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let cut = scalars.prefix(StatusPageLimits.previewScalarsMax)
        return cut.endIndex == scalars.endIndex ? text : String(cut) + "…"
    }
}
