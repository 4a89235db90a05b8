/// One line of a screen: pieces of text, each in one style.
///
/// Displaying it cannot move the cursor, change colours or begin another line, whatever the text contains.
public struct TerminalLine: Sendable, Hashable {
    /// The appearance of a piece of text.
    public enum Style: String, Sendable, Hashable {
        /// The terminal's own appearance.
        case plain = ""
        /// Bold or bright.
        case bold = "1"
        /// Fainter than plain text; some terminals ignore it.
        case dim = "2"
        /// Foreground and background exchanged.
        case inverse = "7"
        /// Red, in the terminal's palette.
        case red = "31"
        /// Green, in the terminal's palette.
        case green = "32"
        /// Yellow, in the terminal's palette.
        case yellow = "33"
    }

    private struct Piece: Sendable, Hashable {
        var text: String
        var style: Style
    }

    private var pieces: [Piece] = []

    /// Creates an empty line.
    public init() {}

    /// Creates a line of one piece; characters that could control the terminal are made harmless.
    public init(_ text: String, _ style: Style = .plain) { append(text, style) }

    /// Adds a piece at the end; characters that could control the terminal are made harmless.
    public mutating func append(_ text: String, _ style: Style = .plain) {
        if text.isEmpty { return }
        pieces.append(Piece(text: TerminalText.harmless(text), style: style))
    }

    /// Joins two lines.
    public static func + (left: TerminalLine, right: TerminalLine) -> TerminalLine {
        var sum = left
        sum.pieces += right.pieces
        return sum
    }

    /// The columns that the line occupies.
    public var width: Int { pieces.reduce(0) { $0 + TerminalText.width(of: $1.text) } }

    /// The text without its styles.
    public var text: String { pieces.map(\.text).joined() }

    /// Cuts the line to the width; filled with spaces to the full width when `fills`.
    public func fitted(to columns: Int, fills: Bool = false) -> TerminalLine {
        var line = TerminalLine()
        var left = columns
        for (index, piece) in pieces.enumerated() {
            let width = TerminalText.width(of: piece.text)
            let isLast = index == pieces.count - 1
            // A piece that ends exactly at the edge is cut as well when more follows.
            if width > left || (width == left && !isLast && width > 0) {
                line.append(width > left ? TerminalText.cut(piece.text, to: left) : piece.text, piece.style)
                left = 0
                break
            }
            line.pieces.append(piece)
            left -= width
        }
        if fills, left > 0 { line.append(String(repeating: " ", count: left), pieces.last?.style ?? .plain) }
        return line
    }

    /// The bytes that display the line, as text.
    func encoded(hasColours: Bool) -> String {
        pieces.map { piece in
            guard piece.style != .plain, hasColours || [.bold, .inverse, .dim].contains(piece.style) else {
                return piece.text
            }
            return "\u{1B}[\(piece.style.rawValue)m\(piece.text)\u{1B}[0m"
        }
        .joined()
    }
}
