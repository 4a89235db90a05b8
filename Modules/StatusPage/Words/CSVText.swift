/// Comma-separated values (RFC 4180) that a spreadsheet cannot take for a formula.
enum CSVText {
    static func row(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

    static func cell(_ text: String) -> String {
        let isFormula = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
        let text = isFormula ? "'" + text : text
        guard text.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
