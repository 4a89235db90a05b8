import CausewayConfiguration
package import CausewayControlAPI
package import CausewayModels
import CausewaySystem
import CausewayTerminal
import Foundation

/// The source of a user's token. Never the command line, which every process on the machine can read.
package struct TokenInput: Sendable {
    private let file: String?
    private let environment: [String: String]

    /// - Parameters:
    ///   - file: the value of `--token-file`; `-` is standard input.
    ///   - environment: the environment of the process; `CAUSEWAY_TOKEN` is used when no file is named.
    package init(file: String?, environment: [String: String]) {
        self.file = file
        self.environment = environment
    }

    /// Reads the token from the file, the environment, or a prompt that does not echo it.
    ///
    /// Throws ``ControlError`` that never repeats the input.
    package func token(terminal: Terminal) async throws(ControlError) -> AccessToken {
        let text: String
        let origin: String
        if file == "-" {
            origin = "standard input"
            text = String(decoding: try await StandardInput.all(bytesMax: Self.bytesMax), as: UTF8.self)
        } else if let file {
            origin = file
            let data = try TextFile.readSecret(
                file, bytesMax: Self.bytesMax, as: .notFound, exposedAs: .badRequest)
            text = String(decoding: data, as: UTF8.self)
        } else if let value = environment["CAUSEWAY_TOKEN"], !value.isEmpty {
            origin = "CAUSEWAY_TOKEN"
            text = value
        } else if terminal.isInputTerminal {
            origin = "the prompt"
            text = Self.prompt()
        } else {
            throw ControlError(
                .badRequest,
                "no token was given; use --token-file (- for standard input), set CAUSEWAY_TOKEN, or run"
                    + " the command in a terminal")
        }
        guard let token = AccessToken(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw ControlError(
                .badRequest,
                "invalid token from \(origin); a token has 1 to 4,096 visible ASCII characters without spaces")
        }
        return token
    }

    private static let bytesMax = 16 * 1024

    private static func prompt() -> String {
        try? OutputHandle.standardError.write("Token: ")
        defer { try? OutputHandle.standardError.write("\n") }
        return HiddenInput.line() ?? ""
    }
}
