import CausewayHub
import CausewayTestSupport
import Foundation
import Synchronization

/// A program that runs as a real process: `causeway-hub` as it was built beside these tests, or a tool of the system.
struct Program: Sendable {
    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    let path: String

    /// The built program, in the folder of the test bundle.
    static var hub: Program { Program(path: productFolder + "/causeway-hub") }
    static var curl: Program { Program(path: "/usr/bin/curl") }
    static var openssl: Program { Program(path: "/usr/bin/openssl") }

    private static var productFolder: String {
        let arguments = CommandLine.arguments
        if let flag = arguments.firstIndex(of: "--test-bundle-path"), flag + 1 < arguments.count {
            return folder(of: arguments[flag + 1])
        }
        return folder(of: arguments[0])
    }

    private static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    /// Runs it to its end.
    func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Result {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let output = folder.path + "/out"
        let errors = folder.path + "/err"
        let process = try process(arguments, environment, output: output, errors: errors)
        let status = try await Self.ended(process) { try process.runAlone() }
        return Result(
            status: status, output: try String(contentsOfFile: output, encoding: .utf8),
            errors: try String(contentsOfFile: errors, encoding: .utf8))
    }

    func process(
        _ arguments: [String], _ environment: [String: String], output: String, errors: String
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no", "HOME": "/nonexistent"]
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        for path in [output, errors] where path != "/dev/null" {
            guard FileManager.default.createFile(atPath: path, contents: nil) else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        return process
    }

    /// Starts it with `start` and waits for its end without holding a thread.
    static func ended(_ process: Process, _ start: () throws -> Void) async throws -> Int32 {
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        try start()
        for await status in ends { return status }
        return -1
    }
}

/// A hub that serves in a process of its own.
final class HubProcess: Sendable {
    let port: Int
    let pid: Int32
    private let ends: AsyncStream<Int32>

    private init(port: Int, pid: Int32, ends: AsyncStream<Int32>) {
        self.port = port
        self.pid = pid
        self.ends = ends
    }

    struct DidNotStart: Error { let log: String }

    /// Starts it and waits until it says that it listens.
    static func start(_ folder: DataFolder, _ arguments: [String] = ["--plain"]) async throws -> HubProcess {
        let process = try Program.hub.process(
            ["serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--log-format", "json"] + arguments, [:],
            output: "/dev/null", errors: "/dev/null")
        let pipe = Pipe()
        process.standardError = pipe
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                line.finish()
            } else {
                line.yield(String(decoding: data, as: UTF8.self))
            }
        }
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        try process.runAlone()
        var all = ""
        for await part in lines {
            all += part
            guard let range = all.range(of: #"127\.0\.0\.1:[0-9]+""#, options: .regularExpression) else { continue }
            guard let port = Int(all[range].dropLast().split(separator: ":")[1]) else { break }
            return HubProcess(port: port, pid: process.processIdentifier, ends: ends)
        }
        throw DidNotStart(log: all)
    }

    /// Ends it with a signal and waits for its end; returns its exit status.
    @discardableResult
    func end(_ signal: Int32) async -> Int32 {
        kill(pid, signal)
        for await status in ends { return status }
        return -1
    }
}
