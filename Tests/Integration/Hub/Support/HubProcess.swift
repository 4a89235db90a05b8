import CausewayHub
import CausewayTestSupport
import Foundation

/// A hub that serves in a process of its own.
final class HubProcess: Sendable {
    let port: Int
    var pid: Int32 { process.pid }
    private let process: RunningProgram

    private init(port: Int, process: RunningProgram) {
        self.port = port
        self.process = process
    }

    struct DidNotStart: Error { let log: String }

    /// Starts it and waits until it reports that it listens.
    static func start(_ folder: DataFolder, _ arguments: [String] = ["--plain"]) async throws -> HubProcess {
        let process = try Program.hub.start(
            ["serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--log-format", "json"] + arguments)
        var port: Int?
        try await Eventually.holds("the hub listens") {
            let isOver = process.isOver
            let said = process.errors
            if let range = said.range(of: #"127\.0\.0\.1:[0-9]+""#, options: .regularExpression) {
                port = Int(said[range].dropLast().split(separator: ":")[1])
            }
            guard port != nil || !isOver else { throw DidNotStart(log: said) }
            return port != nil
        }
        return HubProcess(port: port ?? 0, process: process)
    }

    /// Ends it with a signal and waits for its end; returns its exit status, or 128 and the signal that ended it.
    @discardableResult
    func end(_ signal: Int32) async -> Int32 { await process.stop(signal) }
}
