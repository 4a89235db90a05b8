/// Rows in aligned columns. The last column takes what is left of the line.
package struct TextTable: Sendable {
    package struct Cell: Sendable {
        package var text: String
        package var style: Terminal.Style?

        package init(_ text: String, _ style: Terminal.Style? = nil) {
            self.text = VisibleText.oneLine(text)
            self.style = style
        }
    }

    private let titles: [String]
    private var rows: [[Cell]] = []
    /// What stands under a row, whole however long it is.
    private var notes: [Int: Cell] = [:]

    private static let gap = "  "
    /// No column but the last is wider, in columns of a terminal.
    private static let widthMax = 44

    package init(_ titles: [String]) { self.titles = titles }

    package var isEmpty: Bool { rows.isEmpty }

    /// - Parameter note: stands under the row, whole however long it is.
    package mutating func add(_ cells: [Cell], note: Cell? = nil) {
        precondition(cells.count == titles.count, "a cell for each column")
        notes[rows.count] = note
        rows.append(cells)
    }

    /// The lines, without ends.
    package func lines(for terminal: Terminal) -> [String] {
        let all = [titles.map { Cell($0, .dim) }] + rows
        var widths = titles.indices.map { column in
            min(Self.widthMax, all.map { Self.width(of: $0[column].text) }.max() ?? 0)
        }
        if let columns = terminal.columns, let last = widths.indices.last {
            let before = widths.dropLast().reduce(0) { $0 + $1 + Self.gap.count }
            widths[last] = max(16, columns - before)
        } else if let last = widths.indices.last {
            widths[last] = .max
        }
        return all.enumerated().flatMap { index, cells in
            let note = notes[index - 1].map { "    " + terminal.styled($0.text, $0.style) }
            return [line(cells, widths, terminal)] + (note.map { [$0] } ?? [])
        }
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ terminal: Terminal) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() {
            let text = Self.cut(cell.text, to: widths[column])
            line += terminal.styled(text, cell.style)
            guard column < cells.count - 1 else { break }
            line += String(repeating: " ", count: widths[column] - Self.width(of: text)) + Self.gap
        }
        return line
    }

    private static func cut(_ text: String, to width: Int) -> String {
        guard Self.width(of: text) > width else { return text }
        var cut = ""
        var used = 0
        for character in text {
            let size = Self.width(of: character)
            if used + size > width - 1 { break }
            cut.append(character)
            used += size
        }
        return cut + "…"
    }

    static func width(of text: String) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    /// Columns of a terminal that a character takes: two for the wide ones of East Asia and for emoji (UAX #11).
    private static func width(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        switch first.value {
        case 0x0300...0x036F, 0x200B...0x200D, 0xFE00...0xFE0F: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
            0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
