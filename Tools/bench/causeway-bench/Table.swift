import Foundation

/// Lines in columns: the first to the left, the others to the right.
struct Table {
    private var rows: [[String]]

    /// - Parameter heading: the first line; its length is that of every line.
    init(_ heading: String...) { rows = [heading] }

    mutating func add(_ row: String...) { rows.append(row) }

    func show() {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        print()
        for row in rows {
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                // The last column holds words.
                return column == 0 || column == row.count - 1 ? row[column] + space : space + row[column]
            }
            var line = cells.joined(separator: "   ")
            while line.last == " " { line.removeLast() }
            print(line)
        }
        Self.flush()
    }

    /// Shows what was printed so far, also where the output is no terminal.
    static func flush() { fflush(nil) }
}
