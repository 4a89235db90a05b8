import CausewaySystem
import CausewayTerminal

/// Rows in columns that are aligned as a terminal displays them. The last column takes the rest of the line.
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
    /// The notes below rows, never cut.
    private var notes: [Int: Cell] = [:]

    private static let gap = "  "
    /// The width limit of every column but the last, in terminal columns.
    private static let widthMax = 44

    package init(_ titles: [String]) { self.titles = titles }

    package var isEmpty: Bool { rows.isEmpty }

    /// - Parameter note: shown below the row, never cut.
    package mutating func add(_ cells: [Cell], note: Cell? = nil) {
        precondition(cells.count == titles.count, "a cell for each column")
        notes[rows.count] = note
        rows.append(cells)
    }

    /// The lines, without line ends.
    package func lines(for terminal: Terminal) -> [String] {
        let all = [titles.map { Cell($0, .dim) }] + rows
        var widths = titles.indices.map { column in
            min(Self.widthMax, all.map { TerminalText.width(of: $0[column].text) }.max() ?? 0)
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
            let text = TerminalText.cut(cell.text, to: widths[column])
            line += terminal.styled(text, cell.style)
            guard column < cells.count - 1 else { break }
            line += String(repeating: " ", count: widths[column] - TerminalText.width(of: text)) + Self.gap
        }
        return line
    }
}
