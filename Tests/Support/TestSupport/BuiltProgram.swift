import Foundation

/// A program of this package as it was built beside the tests, run as a real process.
package struct BuiltProgram: Sendable {
    /// The exit status of a process and its output.
    package struct Result: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String
    }

    package let path: String

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

    /// Runs it to its end, with `input` on its standard input, and only the given environment.
    package func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = ""
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.path + "/causeway-run-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try input.write(toFile: folder + "/in", atomically: false, encoding: .utf8)
        let process = try process(arguments, environment, errors: folder + "/err")
        process.standardInput = FileHandle(forReadingAtPath: folder + "/in")
        process.standardOutput = try Self.file(folder + "/out")
        let status = try await Self.start(process).ended()
        return Result(
            status: status, output: try String(contentsOfFile: folder + "/out", encoding: .utf8),
            errors: try String(contentsOfFile: folder + "/err", encoding: .utf8))
    }

    /// Starts it; its standard error is written to the file `errors`.
    package func start(
        _ arguments: [String], environment: [String: String] = [:], errors: String
    ) throws -> RunningProgram {
        try Self.start(process(arguments, environment, errors: errors))
    }

    /// Starts the process, and closes its files here: Foundation keeps them open for as long as this process lives.
    private static func start(_ process: Process) throws -> RunningProgram {
        let files = [process.standardInput, process.standardOutput, process.standardError]
        defer {
            for case let file as FileHandle in files where file !== FileHandle.nullDevice { try? file.close() }
        }
        return try RunningProgram(process)
    }

    private func process(
        _ arguments: [String], _ environment: [String: String], errors: String
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no", "HOME": "/nonexistent"]
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try Self.file(errors)
        return process
    }

    /// Opens a file for appending.
    private static func file(_ path: String) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: path) {
            try Data().write(to: URL(fileURLWithPath: path))
        }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        return handle
    }
}
