import CausewayCommandLine
import CausewayControlAPI
import CausewaySystem
import Foundation

/// Standard output and error of a command.
struct Console {
    let json: Bool
    let terminal = Terminal(environment: ProcessInfo.processInfo.environment)
    private let output = OutputHandle.standardOutput
    private let errors = OutputHandle.standardError
    /// `nil` where no progress is shown.
    private let progressLine: ProgressLine?

    init(json: Bool) {
        self.json = json
        let errors = errors
        progressLine =
            terminal.isErrorTerminal && !json
            ? ProgressLine(columns: terminal.errorColumns) { try? errors.write($0) } : nil
    }

    /// Prints the result: as JSON with `--json`, as text otherwise.
    ///
    /// Throws ``ControlError/Code/outputClosed`` and ``ControlError/Code/outputFailed``.
    func report(_ value: some Encodable, words: (Terminal) -> [String]) throws(ControlError) {
        guard json else { return try print(words(terminal)) }
        try print([String(decoding: try ControlJSON.encode(value), as: UTF8.self)])
    }

    /// Prints lines of the result.
    func print(_ lines: [String]) throws(ControlError) {
        try write(lines.map { $0 + "\n" }.joined())
    }

    /// Prints a part of the result that has its own line ends; an empty one only checks that the output has a reader.
    func write(_ text: String) throws(ControlError) {
        if terminal.isTerminal { endProgress() }
        do throws(OutputError) {
            if text.isEmpty { try output.checkReader() }
            try output.write(text)
        } catch {
            throw ControlError(error)
        }
    }

    /// Prints a note on standard error. Lost when standard error cannot be written.
    func note(_ text: String) {
        guard json, let line = try? ControlJSON.encode(["note": text]) else {
            return complain("causeway: \(VisibleText.oneLine(text))\n")
        }
        complain(String(decoding: line, as: UTF8.self) + "\n")
    }

    func report(_ error: ControlError) {
        // A reader that closed the pipe needs no error message.
        if error.code == .outputClosed { return }
        guard json, let line = try? ControlJSON.encode(ErrorResponse(error)) else { return note(error.detail) }
        complain(String(decoding: line, as: UTF8.self) + "\n")
    }

    /// Shows the progress of a long operation, on a terminal only; each call replaces the previous text, and any other
    /// output removes it.
    func progress(_ text: String) { progressLine?.show(text) }

    func endProgress() { progressLine?.end() }

    /// Asks a yes-or-no question on the terminal.
    func confirm(_ question: String) -> Bool {
        complain("\(VisibleText.oneLine(question)) [y/N] ")
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }

    private func complain(_ text: String) {
        endProgress()
        try? errors.write(text)
    }
}
