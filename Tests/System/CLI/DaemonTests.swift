import CausewayTestSupport
import Foundation
import Testing

/// The daemon as a process, and the commands that use it.
@Suite struct DaemonTests {
    private let home: Home

    init() throws { home = try Home() }

    private func daemon(
        _ arguments: [String] = [], _ environment: [String: String] = [:]
    ) async throws -> RunningProgram {
        let program = try Program.causewayd.start(arguments, environment: home.environment.merging(environment) { $1 })
        try await program.says("ready")
        return program
    }

    private func login(_ hub: TestHub) async throws {
        let login = try await home.causeway(
            "login", hub.address, "--ca", hub.authority, "--token-file", hub.tokenFile)
        #expect(login.status == 0)
    }

    @Test(arguments: ["sqlite", "file"])
    func aMessageGoesThroughTheDaemonAndSurvivesItsEnd(_ storage: String) async throws {
        let hub = try await TestHub.start(in: home)
        let first = try await daemon(["--restart", "resume", "--storage", storage])
        try await login(hub)
        #expect(try await home.causeway("send", "general", "one", "--wait").status == 0)
        let status = try await home.causeway("status", "--json").json()
        let process = try #require(status["process"] as? [String: Any])
        #expect(process["pid"] as? Int == Int(first.pid))
        #expect(process["isDaemon"] as? Bool == true)

        await hub.process.stop()
        #expect(try await home.causeway("send", "general", "two").status == 0)
        await first.stop(SIGKILL)
        // The other kind of store refuses the folder, instead of beginning an empty one.
        let other = storage == "file" ? "sqlite" : "file"
        let refused = try await Program.causewayd.run(["--storage", other], environment: home.environment)
        #expect(refused.status != 0)
        #expect(refused.errors.contains("set storage = \(storage)"))
        let second = try await daemon(["--restart", "resume", "--storage", storage])
        let again = try await hub.again()
        #expect(try await home.causeway("send", "general", "three", "--wait").status == 0)
        let page = try await home.causeway("messages", "general", "--json", "--refresh").json()
        let texts = (page["messages"] as? [[String: Any]])?.compactMap { $0["text"] as? String }
        #expect(texts == ["three", "two", "one"])
        #expect(await second.stop() == 0)
        #expect(second.errors.contains("stopped"))
        #expect(!FileManager.default.fileExists(atPath: home.socket))
        await again.process.stop()
    }

    @Test func underThePolicyFailWhatWasUndeliveredIsFailed() async throws {
        let hub = try await TestHub.start(in: home)
        let first = try await daemon(["--restart", "fail"])
        try await login(hub)
        await hub.process.stop()
        #expect(try await home.causeway("send", "general", "late").status == 0)
        await first.stop(SIGKILL)
        let second = try await daemon(["--restart", "fail"])
        let failed = try await home.causeway("failed")
        #expect(failed.output.contains("the session ended before it was delivered"))
        #expect(try await home.causeway("outbox", "--json").output.contains("\"state\":\"error\""))
        await second.stop()
    }

    @Test func aStoreOfAnotherProcessIsRefusedWithItsNumber() async throws {
        let owner = try await daemon()
        // Another socket, at which nothing listens.
        let other = home.path + "/other/s"
        for program in [Program.causeway, .causewayd] {
            let arguments = (program.name == "causeway" ? ["status"] : []) + ["--socket", other]
            let outcome = try await program.run(arguments, environment: home.environment)
            #expect(outcome.status == 69)
            #expect(outcome.errors.contains("in use by process \(owner.pid)"))
        }
        // The same socket, another store: the owner of the socket keeps running.
        let outcome = try await Program.causewayd.run(
            ["--store", home.path + "/second", "--socket", home.socket], environment: home.environment)
        #expect(outcome.status == 73)
        #expect(outcome.errors.contains("another daemon serves \(home.socket)"))
        #expect(try await home.causeway("status").status == 0)
        await owner.stop()
    }

    @Test func aDaemonWaitsForACommandThatHasTheStore() async throws {
        let command = try Program.causeway.start(["status", "--json"], environment: home.environment)
        let program = try await daemon()
        #expect(await command.ended() == 0)
        await program.stop()
    }

    @Test func theSupervisorIsToldOfStartAndEnd() async throws {
        let supervisor = try NotifySocket(at: home.path + "/n")
        let program = try await daemon(
            [], ["NOTIFY_SOCKET": supervisor.path, "WATCHDOG_USEC": "200000"])
        try await Eventually.holds("READY and WATCHDOG") {
            let told = supervisor.messages()
            return told.contains { $0.hasPrefix("READY=1") } && told.contains("WATCHDOG=1")
        }
        kill(program.pid, SIGHUP)
        try await program.says("SIGHUP")
        #expect(await program.stop(SIGINT) == 0)
        try await Eventually.holds("STOPPING") { supervisor.messages().contains("STOPPING=1") }
    }

    @Test func theTokenIsInNoLogAndNoCommandLine() async throws {
        let hub = try await TestHub.start(in: home)
        let token = try hub.token
        let program = try await daemon(["--log-level", "trace", "--log-format", "json"])
        try await login(hub)
        #expect(try await home.causeway("send", "general", "x", "--wait").status == 0)
        let commandLine = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(program.pid)/cmdline"))
        #expect(commandLine.range(of: Data(token.utf8)) == nil)
        await program.stop()
        #expect(!program.errors.contains(token))
        for line in program.errors.split(separator: "\n") {
            let entry = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
            #expect(entry?["level"] != nil && entry?["time"] != nil && entry?["message"] != nil)
        }
        await hub.process.stop()
    }

    @Test func eightCommandsAtOnceAreAllTaken() async throws {
        let hub = try await TestHub.start(in: home)
        let program = try await daemon(["--durability", "normal"])
        try await login(hub)
        await hub.process.stop()
        let (commands, each) = (8, 100)
        let environment = home.environment
        try await withThrowingTaskGroup(of: Int.self) { group in
            for command in 0..<commands {
                group.addTask {
                    let input = (0..<each).map { "\(command) \($0)\n" }.joined()
                    let outcome = try await Program.causeway.run(
                        ["send", "general", "--lines"], environment: environment, input: input)
                    #expect(outcome.status == 0)
                    return outcome.lines.count
                }
            }
            for try await count in group { #expect(count == each) }
        }
        let outbox = try await home.causeway("outbox", "--json", "--limit", "100000").json()
        let texts = (outbox["messages"] as? [[String: Any]])?.compactMap { $0["text"] as? String } ?? []
        #expect(texts.count == commands * each)
        for command in 0..<commands {
            #expect(texts.filter { $0.hasPrefix("\(command) ") } == (0..<each).map { "\(command) \($0)" })
        }
        await program.stop()
    }
}
