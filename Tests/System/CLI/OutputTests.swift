import CausewayTestSupport
import Foundation
import Testing

/// Output that cannot be written: it ends a command in order, and never a long-running program.
@Suite struct OutputTests {
    private let home: Home

    init() throws { home = try Home() }

    /// A standard output or error that accepts nothing.
    enum Sink: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case fullDisk, closedPipe

        var testDescription: String { rawValue }

        func handle() throws -> FileHandle {
            switch self {
            case .fullDisk: return try #require(FileHandle(forWritingAtPath: "/dev/full"))
            case .closedPipe:
                let pipe = Pipe()
                try pipe.fileHandleForReading.close()
                return pipe.fileHandleForWriting
            }
        }
    }

    private struct End {
        let status: Int32
        let isSignal: Bool
        let errors: String
    }

    /// Runs a program to its end, with a standard output that accepts nothing.
    private func run(_ program: Program, _ arguments: [String], into sink: Sink) async throws -> End {
        let errors = home.path + "/errors-" + UUID().uuidString
        try Data().write(to: URL(fileURLWithPath: errors))
        // As under many parents, which ignore the signal and pass that on.
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "trap '' PIPE; exec \"$0\" \"$@\"", program.path] + arguments
        process.environment = home.environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try sink.handle()
        process.standardError = FileHandle(forWritingAtPath: errors)
        let ended = process.end()
        try process.runAlone()
        for await _ in ended {}
        return End(
            status: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal,
            errors: try String(contentsOfFile: errors, encoding: .utf8))
    }

    private static let commands = [
        ["status"], ["status", "--json"], ["outbox"], ["failed", "--json"], ["config"], ["delete-actions"], ["--help"],
        ["--version"], ["help", "send"],
    ]

    @Test(arguments: commands)
    func aCommandWhoseOutputFindsNoRoomSaysSo(command: [String]) async throws {
        let end = try await run(.causeway, command, into: .fullDisk)
        #expect(end.status == 74)
        #expect(!end.isSignal)
        #expect(end.errors.contains("standard output cannot be written: No space left on device"))
    }

    @Test(arguments: commands)
    func aCommandWhoseReaderWentEndsQuietly(command: [String]) async throws {
        let end = try await run(.causeway, command, into: .closedPipe)
        #expect(end.isSignal)
        #expect(end.status == SIGPIPE)
        #expect(end.errors.isEmpty)
    }

    @Test func theHubsCommandsDoTheSame() async throws {
        let data = home.path + "/hub"
        let commands = [
            ["init", "--data", data], ["account", "add", "ben", "--data", data], ["account", "list", "--data", data],
            ["account", "list", "--json", "--data", data], ["channel", "add", "c", "--data", data],
            ["channel", "list", "--data", data], ["channel", "list", "--json", "--data", data], ["--help"],
        ]
        for command in commands {
            let end = try await run(.hub, command, into: .fullDisk)
            #expect(end.status == 74, "\(command)")
            #expect(end.errors.contains("No space left on device"), "\(command)")
        }
        for command in commands where !command.contains("init") && !command.contains("ben") {
            let end = try await run(.hub, command, into: .closedPipe)
            #expect(end.isSignal && end.status == SIGPIPE, "\(command)")
            #expect(end.errors.isEmpty, "\(command)")
        }
    }

    @Test(arguments: Sink.allCases)
    func whatIsSentIsTakenWhoeverReadsOfIt(sink: Sink) async throws {
        let hub = try await TestHub.start(in: home)
        #expect(
            try await home.causeway("login", hub.address, "--ca", hub.authority, "--token-file", hub.tokenFile)
                .status == 0)
        let end = try await run(.causeway, ["send", "general", "one"], into: sink)
        #expect(end.isSignal == (sink == .closedPipe))
        #expect(end.status == (sink == .closedPipe ? SIGPIPE : 74))
        let page = try await home.causeway("messages", "general", "--json", "--refresh").json()
        #expect((page["messages"] as? [[String: Any]])?.map { $0["text"] as? String } == ["one"])
        await hub.process.stop()
    }

    // MARK: - Long-running programs

    @Test(arguments: Sink.allCases)
    func aDaemonWhoseLogCannotBeWrittenGoesOn(sink: Sink) async throws {
        let process = Program.causewayd.process(["--log-level", "trace"], home.environment)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try sink.handle()
        let ended = process.end()
        try process.runAlone()
        defer { kill(process.processIdentifier, SIGKILL) }
        try await Eventually.holds("the daemon responds") {
            guard process.isRunning else {
                throw Eventually.TookTooLong(what: "it ended: \(process.terminationStatus)")
            }
            let status = try? await home.causeway("status", "--json").json()
            return (status?["process"] as? [String: Any])?["isDaemon"] as? Bool == true
        }
        kill(process.processIdentifier, SIGTERM)
        for await _ in ended {}
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }

    @Test(arguments: [Program.hub, .causewayd, .statusPage])
    func aProgramWhoseLogsReaderGoesGoesOn(program: Program) async throws {
        let data = home.path + "/hub"
        let (arguments, ready) =
            switch program.name {
            case "causeway-hub": (["serve", "--plain", "--data", data, "--listen", "127.0.0.1:0"], "listening")
            case "causeway-status": (["--listen", "127.0.0.1:0"], "listening")
            default: ([], "ready")
            }
        if program.name == "causeway-hub" {
            #expect(try await program.run(["init", "--data", data], home.environment).status == 0)
        }
        let errors = Pipe()
        let process = program.process(arguments, home.environment)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        let ended = process.end()
        try process.runAlone()
        defer { kill(process.processIdentifier, SIGKILL) }
        var said = ""
        while !said.contains(ready) {
            let data = errors.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Eventually.TookTooLong(what: "it ended: \(said)") }
            said += String(decoding: data, as: UTF8.self)
        }
        try errors.fileHandleForReading.close()
        // Each logs that it stops.
        kill(process.processIdentifier, SIGTERM)
        for await _ in ended {}
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }

    @Test func aDescriptorThatWasClosedGoesToNoFile() async throws {
        // Without this precaution the store's lock or the socket would be number 2, and receive the log.
        let command = "exec \"$0\" --log-level trace 2>&-"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command, Program.causewayd.path]
        process.environment = home.environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let ended = process.end()
        try process.runAlone()
        defer { kill(process.processIdentifier, SIGKILL) }
        try await Eventually.holds("the daemon responds") {
            guard process.isRunning else {
                throw Eventually.TookTooLong(what: "it ended: \(process.terminationStatus)")
            }
            let status = try? await home.causeway("status", "--json").json()
            return (status?["process"] as? [String: Any])?["isDaemon"] as? Bool == true
        }
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process.processIdentifier)/fd/2")
                == "/dev/null")
        kill(process.processIdentifier, SIGTERM)
        for await _ in ended {}
        #expect(process.terminationStatus == 0)
    }
}
