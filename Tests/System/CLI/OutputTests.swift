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

        var output: ProgramOutput {
            switch self {
            case .fullDisk: .file("/dev/full")
            case .closedPipe: .brokenPipe
            }
        }
    }

    /// Runs a program to its end, with a standard output that accepts nothing.
    private func run(_ program: Program, _ arguments: [String], into sink: Sink) async throws -> Program.Outcome {
        // As under many parents, which ignore the signal and pass that on.
        try await Program.shell.start(
            ["-c", "trap '' PIPE; exec \"$0\" \"$@\"", program.path] + arguments, environment: home.environment,
            output: sink.output
        ).finished()
    }

    /// Waits until the daemon takes requests.
    private func responds(_ daemon: RunningProgram) async throws {
        try await Eventually.holds("the daemon responds") {
            guard !daemon.isOver else { throw Eventually.TookTooLong(what: "it ended: \(await daemon.ended())") }
            let status = try? await home.causeway("status", "--json").json()
            return (status?["process"] as? [String: Any])?["isDaemon"] as? Bool == true
        }
    }

    private static let commands = [
        ["status"], ["status", "--json"], ["outbox"], ["failed", "--json"], ["config"], ["delete-actions"], ["--help"],
        ["--version"], ["help", "send"],
    ]

    @Test(arguments: commands)
    func aCommandWhoseOutputFindsNoRoomSaysSo(command: [String]) async throws {
        let end = try await run(.causeway, command, into: .fullDisk)
        #expect(end.status == 74)
        #expect(end.errors.contains("standard output cannot be written: No space left on device"))
    }

    @Test(arguments: commands)
    func aCommandWhoseReaderWentEndsQuietly(command: [String]) async throws {
        let end = try await run(.causeway, command, into: .closedPipe)
        #expect(end.status == 128 + SIGPIPE)
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
            #expect(end.status == 128 + SIGPIPE, "\(command)")
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
        #expect(end.status == (sink == .closedPipe ? 128 + SIGPIPE : 74))
        let page = try await home.causeway("messages", "general", "--json", "--refresh").json()
        #expect((page["messages"] as? [[String: Any]])?.map { $0["text"] as? String } == ["one"])
        await hub.process.stop()
    }

    // MARK: - Long-running programs

    @Test(arguments: Sink.allCases)
    func aDaemonWhoseLogCannotBeWrittenGoesOn(sink: Sink) async throws {
        let daemon = try Program.causewayd.start(
            ["--log-level", "trace"], environment: home.environment, errors: sink.output)
        try await responds(daemon)
        #expect(await daemon.stop() == 0)
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
            #expect(try await program.run(["init", "--data", data], environment: home.environment).status == 0)
        }
        let errors = try PipeLines()
        let process = try program.start(
            arguments, environment: home.environment, errors: .descriptor(errors.writingEnd))
        try await Eventually.holds("\(ready) in: \(errors.text)") {
            let isOver = process.isOver
            if errors.text.contains(ready) { return true }
            guard !isOver else { throw Eventually.TookTooLong(what: "it ended: \(errors.text)") }
            return false
        }
        errors.close()
        // Each logs that it stops.
        #expect(await process.stop() == 0)
    }

    @Test func aDescriptorThatWasClosedGoesToNoFile() async throws {
        // Without this precaution the store's lock or the socket would be number 2, and receive the log.
        let command = "exec \"$0\" --log-level trace 2>&-"
        let daemon = try Program.shell.start(
            ["-c", command, Program.causewayd.path], environment: home.environment)
        try await responds(daemon)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(daemon.pid)/fd/2") == "/dev/null")
        #expect(await daemon.stop() == 0)
    }
}
