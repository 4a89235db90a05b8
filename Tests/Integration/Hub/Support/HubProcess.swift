import CausewayHub
import CausewayTestSupport
import Foundation

extension BuiltProgram {
    static var hub: BuiltProgram { BuiltProgram("causeway-hub") }
    static var curl: BuiltProgram { BuiltProgram(path: "/usr/bin/curl") }
    static var openssl: BuiltProgram { BuiltProgram(path: "/usr/bin/openssl") }
}

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
        let log = "\(folder.path)/\(UUID().uuidString).log"
        let process = try BuiltProgram.hub.start(
            ["serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--log-format", "json"] + arguments,
            errors: log)
        var port: Int?
        try await Eventually.holds("the hub listens") {
            let said = try String(contentsOfFile: log, encoding: .utf8)
            if let range = said.range(of: #"127\.0\.0\.1:[0-9]+""#, options: .regularExpression) {
                port = Int(said[range].dropLast().split(separator: ":")[1])
            }
            guard port != nil || !process.isOver else { throw DidNotStart(log: said) }
            return port != nil
        }
        return HubProcess(port: port ?? 0, process: process)
    }

    /// Ends it with a signal and waits for its end; returns its exit status, or 128 and the signal that ended it.
    @discardableResult
    func end(_ signal: Int32) async -> Int32 { await process.end(signal) }
}
