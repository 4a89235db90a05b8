package import Foundation

/// A program of this package as it was built beside the tests, or of the system, run as a real process.
package struct Program: Sendable {
    package static let causeway = Program("causeway")
    package static let causewayd = Program("causewayd")
    package static let chat = Program("terminal-chat")
    package static let hub = Program("causeway-hub")
    package static let statusPage = Program("causeway-status")
    package static let storeWriter = Program("store-writer")
    package static let curl = Program(path: "/usr/bin/curl")
    package static let openssl = Program(path: "/usr/bin/openssl")
    package static let shell = Program(path: "/bin/sh")

    /// The result of a process that has ended.
    package struct Outcome: Sendable {
        /// The exit status, or 128 and the signal that ended it.
        package let status: Int32
        package let output: String
        package let errors: String

        /// Both.
        package var text: String { output + errors }
        package var lines: [String] { output.split(separator: "\n").map(String.init) }

        package func json() throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
        }
    }

    package let path: String
    package var name: String { URL(fileURLWithPath: path).lastPathComponent }

    /// A program of the system.
    package init(path: String) { self.path = path }

    /// The program with this name in the folder of the test bundle.
    package init(_ name: String) { path = Self.productFolder + "/" + name }

    private static var productFolder: String {
        let arguments = CommandLine.arguments
        var bundle = arguments[0]
        if let flag = arguments.firstIndex(of: "--test-bundle-path"), flag + 1 < arguments.count {
            bundle = arguments[flag + 1]
        }
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().path
    }

    /// Of the tests' own environment a program gets only the place of the libraries.
    private static let environment: [String: String] = {
        let own = ProcessInfo.processInfo.environment.filter { $0.key == "LD_LIBRARY_PATH" }
        return own.merging(["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no", "HOME": "/nonexistent"]) { $1 }
    }()

    /// Starts it with only the given environment.
    package func start(
        _ arguments: [String], environment: [String: String] = [:], input: ProgramInput = .nothing,
        output: ProgramOutput = .collected, errors: ProgramOutput = .collected
    ) throws -> RunningProgram {
        try RunningProgram(
            path, arguments, environment: Self.environment.merging(environment) { $1 }, input: input, output: output,
            errors: errors)
    }

    /// Runs it to its end, with only the given environment.
    package func run(
        _ arguments: [String], environment: [String: String] = [:], input: Data? = nil
    ) async throws -> Outcome {
        try await start(arguments, environment: environment, input: input.map { .data($0) } ?? .nothing).finished()
    }

    package func run(
        _ arguments: [String], environment: [String: String] = [:], input: String
    ) async throws -> Outcome {
        try await run(arguments, environment: environment, input: Data(input.utf8))
    }
}
