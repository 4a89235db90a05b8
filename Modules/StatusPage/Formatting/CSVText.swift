import CausewaySystem

/// Comma-separated values (RFC 4180) that a spreadsheet cannot interpret as formulas.
package enum CSVText {
    package static func row(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

    /// One value. Invisible characters and those that change the reading direction are escaped, except line breaks and
    /// tabs.
    package static func cell(_ text: String) -> String {
        let visible = VisibleText.lines(text)
        let isFormula = visible.unicodeScalars.first.map { formula.contains($0) } ?? false
        let text = isFormula ? "'" + visible : visible
        guard text.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// The first characters of a formula, their full-width forms that some spreadsheets accept, and the characters that
    /// they skip before one.
    private static let formula: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\t", "\r", "\n",
    ]
}
