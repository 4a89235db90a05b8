#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The properties of standard input, output and error: whether they are terminals, and the width.
package struct Terminal: Sendable {
    package enum Style: String, Sendable {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// Whether standard output is a terminal.
    package let isTerminal: Bool
    /// Whether standard error is one.
    package let isErrorTerminal: Bool
    /// Whether standard input is one.
    package let isInputTerminal: Bool
    package let hasColours: Bool
    /// Columns; `nil` when lines may be of any length.
    package let columns: Int?

    /// - Parameter environment: the environment of the process; `NO_COLOR` and `TERM` are honoured.
    package init(environment: [String: String]) {
        isTerminal = isatty(STDOUT_FILENO) != 0
        isErrorTerminal = isatty(STDERR_FILENO) != 0
        isInputTerminal = isatty(STDIN_FILENO) != 0
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
        hasColours = isTerminal && !isPlain
        columns = isTerminal ? Self.width : nil
    }

    private static var width: Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    package func styled(_ text: String, _ style: Style?) -> String {
        guard hasColours, let style, !text.isEmpty else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}
