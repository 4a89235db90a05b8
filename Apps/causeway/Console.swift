import CausewayControl
import CausewaySystem
import Foundation

/// Standard output and error of a command.
struct Console {
    let json: Bool
    let terminal = Terminal(environment: ProcessInfo.processInfo.environment)
    private let output = OutputHandle.standardOutput
    private let errors = OutputHandle.standardError

    init(json: Bool) { self.json = json }

    /// Prints the answer: as JSON when that was asked for, in words otherwise.
    ///
    /// Throws ``ControlError/Code/outputClosed`` and ``ControlError/Code/outputFailed``.
    func answer(_ value: some Encodable, words: (Terminal) -> [String]) throws(ControlError) {
        guard json else { return try print(words(terminal)) }
        try print([String(decoding: try ControlJSON.encode(value), as: UTF8.self)])
    }

    /// Prints lines of an answer.
    func print(_ lines: [String]) throws(ControlError) {
        try write(lines.map { $0 + "\n" }.joined())
    }

    /// Prints a part of an answer that has its own line ends; with an empty one it only looks whether somebody reads.
    func write(_ text: String) throws(ControlError) {
        do throws(OutputError) {
            if text.isEmpty { try output.checkReader() }
            try output.write(text)
        } catch {
            throw ControlError(error)
        }
    }

    /// Says something beside the answer. Lost when standard error cannot be written.
    func note(_ text: String) {
        guard json, let line = try? ControlJSON.encode(["note": text]) else {
            return complain("causeway: \(VisibleText.oneLine(text))\n")
        }
        complain(String(decoding: line, as: UTF8.self) + "\n")
    }

    func report(_ error: ControlError) {
        // A reader that closed the pipe needs no error message.
        if error.code == .outputClosed { return }
        guard json, let line = try? ControlJSON.encode(ProblemAnswer(error)) else { return note(error.detail) }
        complain(String(decoding: line, as: UTF8.self) + "\n")
    }

    /// Shows how far a long work has come, on a terminal only; each call replaces the one before.
    func progress(_ text: String) {
        guard terminal.isErrorTerminal, !json else { return }
        complain("\r\u{1B}[K\(VisibleText.oneLine(text))")
    }

    func endProgress() {
        guard terminal.isErrorTerminal, !json else { return }
        complain("\r\u{1B}[K")
    }

    /// Asks a yes-or-no question on the terminal.
    func confirm(_ question: String) -> Bool {
        complain("\(VisibleText.oneLine(question)) [y/N] ")
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }

    private func complain(_ text: String) { try? errors.write(text) }
}
