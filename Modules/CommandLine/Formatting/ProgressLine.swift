import CausewaySystem
import CausewayTerminal
import Synchronization

/// The progress of a command on the last line of its terminal, which each new text replaces. Thread-safe.
///
/// Other output would be appended to that line: a command calls ``end()`` before it writes any.
package final class ProgressLine: Sendable {
    private static let clearing = "\r\u{1B}[K"

    private let columns: Int?
    private let write: @Sendable (String) -> Void
    private let isShown = Mutex(false)

    /// - Parameters:
    ///   - columns: the width of the terminal; `nil` if it is unknown. A text that is wider is cut: of two rows, only
    ///     the last could be replaced.
    ///   - write: writes to the terminal.
    package init(columns: Int?, write: @escaping @Sendable (String) -> Void) {
        self.columns = columns
        self.write = write
    }

    /// Shows a text in place of the one before.
    package func show(_ text: String) {
        var line = VisibleText.oneLine(text)
        // The last column stays free: some terminals begin a new row after it.
        if let columns { line = TerminalText.cut(line, to: max(1, columns - 1)) }
        isShown.withLock { isShown in
            write(Self.clearing + line)
            isShown = true
        }
    }

    /// Removes the text, if one is shown.
    package func end() {
        isShown.withLock { isShown in
            if isShown { write(Self.clearing) }
            isShown = false
        }
    }
}
