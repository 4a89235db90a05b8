import CausewayTestSupport
import Foundation

/// One of the package's programs as it is installed: run as a process of its own.
struct Program: Sendable {
    let name: String

    static let causeway = Program(name: "causeway")
    static let causewayd = Program(name: "causewayd")
    static let chat = Program(name: "terminal-chat")
    static let hub = Program(name: "causeway-hub")
    static let statusPage = Program(name: "causeway-status")

    /// The result of a finished process.
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }

        func json() throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
        }
    }

    var path: String { BuiltProgram(name).path }

    /// Returns a process that has not been started.
    func process(_ arguments: [String], _ environment: [String: String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        return process
    }

    /// Runs the program to its end.
    func run(_ arguments: [String], _ environment: [String: String], input: Data? = nil) async throws -> Outcome {
        let process = process(arguments, environment)
        let (output, errors, source) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = input == nil ? FileHandle.nullDevice : source
        let ended = process.end()
        try process.runAlone()
        async let said = output.readAll()
        async let complained = errors.readAll()
        if let input {
            Thread.detachNewThread {
                try? source.fileHandleForWriting.write(contentsOf: input)
                try? source.fileHandleForWriting.close()
            }
        }
        let (outputText, errorText) = await (said, complained)
        for await _ in ended {}
        return Outcome(status: process.terminationStatus, output: outputText, errors: errorText)
    }
}

extension Process {
    /// Returns a stream that ends with the process. Must be called before it is started.
    func end() -> AsyncStream<Void> {
        let (stream, ending) = AsyncStream.makeStream(of: Void.self)
        terminationHandler = { _ in ending.finish() }
        return stream
    }
}

extension Pipe {
    /// Reads everything on a thread of its own.
    fileprivate func readAll() async -> String {
        let handle = fileHandleForReading
        return await withCheckedContinuation { answer in
            Thread.detachNewThread {
                let data = (try? handle.readToEnd()) ?? Data()
                answer.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
