import CausewayTestSupport
import Foundation
import Synchronization

/// A program that runs until it is stopped: a daemon, a hub.
final class RunningProgram: Sendable {
    private let process: Process
    private let ended: AsyncStream<Void>
    private let log = Mutex(Data())

    var pid: Int32 { process.processIdentifier }
    /// Its output on standard error so far.
    var logText: String { log.withLock { String(decoding: $0, as: UTF8.self) } }

    init(_ program: Program, _ arguments: [String], _ environment: [String: String]) throws {
        process = program.process(arguments, environment)
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        ended = process.end()
        try process.runAlone()
        let reading = errors.fileHandleForReading
        Thread.detachNewThread { [self] in
            while case let data = reading.availableData, !data.isEmpty {
                log.withLock { $0.append(data) }
            }
        }
    }

    /// Waits until its log contains `text`, or it has ended.
    func says(_ text: String) async throws {
        try await Eventually.holds("\(text) in: \(logText)") { logText.contains(text) || !process.isRunning }
        guard logText.contains(text) else { throw Eventually.TookTooLong(what: "it ended: \(logText)") }
    }

    /// Sends a signal and waits for the end.
    ///
    /// - Returns: the exit status; the signal's number when a signal ended the process.
    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        kill(pid, signal)
        for await _ in ended {}
        return process.terminationStatus
    }

    deinit { if process.isRunning { kill(pid, SIGKILL) } }
}
