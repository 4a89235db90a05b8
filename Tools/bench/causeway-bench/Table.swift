import Foundation

/// Rows in columns: the first is left-aligned, the others right-aligned.
struct Table {
    private var rows: [[String]]

    /// - Parameter heading: the first row; its length is that of every row.
    init(_ heading: String...) { rows = [heading] }

    mutating func add(_ row: String...) { rows.append(row) }

    func show() {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        print()
        for row in rows {
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                // The last column contains words.
                return column == 0 || column == row.count - 1 ? row[column] + space : space + row[column]
            }
            var line = cells.joined(separator: "   ")
            while line.last == " " { line.removeLast() }
            print(line)
        }
        Self.flush()
    }

    /// Flushes the output so far, also where it is not a terminal.
    static func flush() { fflush(nil) }
}
