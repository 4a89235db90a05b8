import CausewaySystem

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
    /// Columns of standard error; `nil` when it is no terminal, or does not say.
    package let errorColumns: Int?

    /// - Parameter environment: the environment of the process; `NO_COLOR` and `TERM` are honoured.
    package init(environment: [String: String]) {
        isTerminal = StandardStreams.isOutputTerminal
        isErrorTerminal = StandardStreams.isErrorTerminal
        isInputTerminal = StandardStreams.isInputTerminal
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
        hasColours = isTerminal && !isPlain
        let size = isTerminal ? TerminalSettings.size(of: OutputHandle.standardOutput.descriptor) : nil
        columns = size?.columns
        let errorSize = isErrorTerminal ? TerminalSettings.size(of: OutputHandle.standardError.descriptor) : nil
        errorColumns = errorSize?.columns
    }

    package func styled(_ text: String, _ style: Style?) -> String {
        guard hasColours, let style, !text.isEmpty else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}
