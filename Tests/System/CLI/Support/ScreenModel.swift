/// The visible content of a terminal: two screens, a cursor, and the few control sequences that the programs use. A
/// value.
struct ScreenModel: Sendable, Equatable {
    struct Page: Sendable, Equatable {
        var cells: [[Character]]
        var row = 0
        var column = 0

        init(columns: Int, rows: Int) {
            cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        }
    }

    private(set) var page: Page
    private var other: Page
    private(set) var isSecondPage = false
    private(set) var hasCursor = true
    private(set) var wraps = true
    /// Control sequences that this model does not know.
    private(set) var unknown: [String] = []
    private var pending: [UInt8] = []

    init(columns: Int, rows: Int) {
        page = Page(columns: columns, rows: rows)
        other = page
    }

    var rows: [String] { page.cells.map { String($0.map { $0 == "\0" ? "" : String($0) }.joined()) } }
    var text: String { rows.joined(separator: "\n") }

    mutating func resize(columns: Int, rows: Int) {
        page = Page(columns: columns, rows: rows)
        other = page
    }

    mutating func take(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        // An incomplete sequence waits for its rest.
        while let length = wholeLength() {
            let part = pending.prefix(length)
            pending.removeFirst(length)
            part.first == 0x1B ? obey(String(decoding: part.dropFirst(), as: UTF8.self)) : put(part)
        }
    }

    private func wholeLength() -> Int? {
        guard let first = pending.first else { return nil }
        if first == 0x1B {
            return pending.indices.dropFirst(2).first { (0x40...0x7E).contains(pending[$0]) }.map { $0 + 1 }
        }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
        return pending.count >= length ? length : nil
    }

    private mutating func put(_ bytes: some Sequence<UInt8>) {
        guard let character = String(decoding: Array(bytes), as: UTF8.self).first else { return }
        switch character {
        case "\r": page.column = 0
        case "\n": newLine()
        case "\r\n":
            page.column = 0
            newLine()
        default:
            let isWide = (character.unicodeScalars.first?.value ?? 0) >= 0x2E80
            if page.column >= page.cells[0].count {
                guard wraps else { return }
                page.column = 0
                newLine()
            }
            page.cells[page.row][page.column] = character
            page.column += 1
            if isWide, page.column < page.cells[0].count {
                page.cells[page.row][page.column] = "\0"
                page.column += 1
            }
        }
    }

    private mutating func newLine() {
        if page.row < page.cells.count - 1 {
            page.row += 1
        } else {
            page.cells.removeFirst()
            page.cells.append(Array(repeating: " ", count: page.cells[0].count))
        }
    }

    private mutating func obey(_ order: String) {
        let numbers = order.dropFirst().dropLast().split(separator: ";").compactMap { Int($0) }
        switch order {
        case "[?1049h" where !isSecondPage, "[?1049l" where isSecondPage:
            swap(&page, &other)
            isSecondPage.toggle()
        case "[?25h", "[?25l": hasCursor = order.hasSuffix("h")
        case "[?7h", "[?7l": wraps = order.hasSuffix("h")
        case "[2J": page.cells = Page(columns: page.cells[0].count, rows: page.cells.count).cells
        case "[K":
            for column in page.column..<max(page.column, page.cells[0].count) { page.cells[page.row][column] = " " }
        case _ where order.hasSuffix("H") && numbers.count == 2:
            page.row = min(numbers[0], page.cells.count) - 1
            page.column = min(numbers[1], page.cells[0].count) - 1
        case _ where order.hasSuffix("m"): break
        default: unknown.append(order)
        }
    }
}
