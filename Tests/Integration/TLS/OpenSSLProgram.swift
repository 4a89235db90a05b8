import CausewayTestSupport
import Foundation

/// OpenSSL's own server and client.
enum OpenSSLProgram {
    /// A server that prints the data that it receives and sends its input.
    static func server(_ arguments: [String]) async throws -> (program: RunningProgram, port: Int) {
        let program = try Program.openssl.start(["s_server", "-accept", "127.0.0.1:0"] + arguments, input: .pipe)
        var port: Int?
        try await Eventually.holds("the server names its port in: \(program.text)") {
            let isOver = program.isOver
            port = Self.port(in: program.output)
            return isOver || port != nil
        }
        guard let port else { throw Failure(text: program.text) }
        return (program, port)
    }

    /// A client that accepts everything and prints the data that it receives.
    static func client(port: Int, _ arguments: [String]) throws -> RunningProgram {
        try Program.openssl.start(["s_client", "-connect", "127.0.0.1:\(port)"] + arguments, input: .pipe)
    }

    struct Failure: Error {
        var text: String
    }

    private static func port(in text: String) -> Int? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT ") }) else { return nil }
        return line.split(separator: ":").last.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) }
    }
}
