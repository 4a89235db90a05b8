import CausewayControl
import Foundation

/// Standard output and error of a command.
struct Console {
    let json: Bool
    let terminal = Terminal(environment: ProcessInfo.processInfo.environment)

    /// Prints the answer: as JSON when that was asked for, in words otherwise.
    func answer(_ value: some Encodable, words: (Terminal) -> [String]) throws(ControlError) {
        guard json else {
            for line in words(terminal) { line.writeLine() }
            return
        }
        FileHandle.standardOutput.write(try ControlJSON.encode(value) + Data("\n".utf8))
    }

    /// Says something beside the answer.
    func note(_ text: String) {
        FileHandle.standardError.write(Data("causeway: \(VisibleText.oneLine(text))\n".utf8))
    }

    func report(_ error: ControlError) {
        guard json, let line = try? ControlJSON.encode(ProblemAnswer(error)) else { return note(error.detail) }
        FileHandle.standardError.write(line + Data("\n".utf8))
    }

    /// Shows how far a long work has come, on a terminal only; each call replaces the one before.
    func progress(_ text: String) {
        guard terminal.isErrorTerminal, !json else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(VisibleText.oneLine(text))".utf8))
    }

    func endProgress() {
        guard terminal.isErrorTerminal, !json else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }

    /// Asks a yes-or-no question on the terminal.
    func confirm(_ question: String) -> Bool {
        FileHandle.standardError.write(Data("\(VisibleText.oneLine(question)) [y/N] ".utf8))
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }
}

extension String {
    fileprivate func writeLine() { FileHandle.standardOutput.write(Data((self + "\n").utf8)) }
}
