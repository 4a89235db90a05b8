import CausewayTestSupport
import Foundation
import Testing

/// A process of the `store-writer` fixture, built beside these tests.
final class StoreProcess {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()
    private var rest = Data()

    var pid: Int32 { process.processIdentifier }

    /// - Parameter wrapper: a program and its arguments that run the fixture.
    init(_ arguments: [String], wrapper: [String] = []) throws {
        let command = wrapper + [BuiltProgram("store-writer").path] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ["SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
            .merging(ProcessInfo.processInfo.environment.filter { $0.key == "LD_LIBRARY_PATH" }) { $1 }
        process.standardOutput = output
        process.standardInput = input
        try process.runAlone()
    }

    /// The next line that it prints; `nil` if it has ended. Blocks.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }

    /// All further lines that it prints, until it ends.
    func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        process.waitUntilExit()
        return lines
    }

    func kill() { _ = Foundation.kill(process.processIdentifier, SIGKILL) }

    func endInput() { try? input.fileHandleForWriting.close() }
}
