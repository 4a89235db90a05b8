import CausewayTestSupport
import Foundation
import Testing

/// The programs in operation: restarts, the log, and the commands' reports about the daemon.
@Suite struct OperationTests {
    private let home: Home

    init() throws { home = try Home() }

    private func daemon(_ arguments: [String] = []) async throws -> RunningProgram {
        let program = try Program.causewayd.start(arguments, environment: home.environment)
        try await program.says("ready")
        return program
    }

    private func login(_ hub: TestHub) async throws {
        let login = try await home.causeway(
            "login", hub.address, "--ca", hub.authority, "--token-file", hub.tokenFile)
        #expect(login.status == 0)
    }

    private func line(of program: RunningProgram, with words: [String]) -> String? {
        program.errors.split(separator: "\n").first { line in words.allSatisfy { line.contains($0) } }.map(String.init)
    }

    @Test func aRestartGoesOnWithTheQueueUnlessSaidOtherwise() async throws {
        let hub = try await TestHub.start(in: home)
        let first = try await daemon()
        try await login(hub)
        await hub.process.stop()
        let id = try #require(try await home.causeway("send", "general", "late").lines.first)
        await first.stop(SIGKILL)
        let second = try await daemon()
        #expect(try await home.causeway("failed", "--json").output.contains(id) == false)
        #expect(try await home.causeway("outbox").output.contains(id))
        await second.stop(SIGKILL)
        // The documented policy is available on request, and drops nothing silently.
        let third = try await daemon(["--restart", "fail"])
        try await third.says("message failed")
        #expect(line(of: third, with: ["warning message failed", id, "reason=sessionEnded", "channel=general"]) != nil)
        #expect(try await home.causeway("failed", "--json").output.contains(id))
        await third.stop()
    }

    @Test func theLogSaysHowItIsAtTheStart() async throws {
        let hub = try await TestHub.start(in: home)
        let first = try await daemon()
        try await first.says("not logged in")
        try await login(hub)
        try await first.says("state=online")
        await first.stop()
        await hub.process.stop()
        let second = try await daemon()
        try await second.says("state=offline")
        #expect(line(of: second, with: ["connection changed", "state=offline", "detail=", hub.address]) != nil)
        await second.stop()
    }

    @Test func aPauseAndItsEndAreLinesOfTheLog() async throws {
        let program = try await daemon()
        #expect(try await home.causeway("pause").status == 0)
        try await program.says("sending paused")
        #expect(try await home.causeway("resume").status == 0)
        try await program.says("sending resumed")
        await program.stop()
    }

    @Test func whatTheHubRefusesIsALineOfTheLog() async throws {
        let hub = try await TestHub.start(in: home)
        let program = try await daemon()
        try await login(hub)
        let sent = try await home.causeway("send", "nosuch", "x", "--wait")
        #expect(sent.status == 1)
        let id = try #require(sent.lines.first)
        try await program.says("message failed")
        #expect(line(of: program, with: ["message failed", id, "channel=nosuch", "reason=refused"]) != nil)
        let wrong = try await Program.causeway.run(
            ["login", hub.address, "--ca", hub.authority, "--token-file", "-"], environment: home.environment,
            input: "wrong-token\n")
        #expect(wrong.status == 77)
        try await program.says("login failed")
        #expect(line(of: program, with: ["login failed", "reason=tokenRefused", hub.address]) != nil)
        #expect(!program.errors.contains("wrong-token"))
        await program.stop()
        await hub.process.stop()
    }

    @Test func optionsMayStandBeforeTheCommand() async throws {
        let program = try await daemon(["--socket", home.path + "/run/s"])
        for arguments in [
            ["--socket", home.path + "/run/s", "--json", "status"],
            ["--json", "status", "--socket=\(home.path)/run/s"],
        ] {
            let outcome = try await Program.causeway.run(arguments, environment: home.environment)
            #expect(outcome.status == 0)
            let process = try outcome.json()["process"] as? [String: Any]
            #expect(process?["pid"] as? Int == Int(program.pid))
        }
        await program.stop()
        let hub = home.path + "/hub"
        #expect(try await Program.hub.run(["--data", hub, "init"], environment: home.environment).status == 0)
        #expect(
            try await Program.hub.run(["--data", hub, "account", "list"], environment: home.environment).lines.count
                == 1)
    }

    @Test func theNextStepsOfAHubNameAnAddress() async throws {
        for (name, host) in [("::1", "[::1]"), ("127.0.0.1", "127.0.0.1")] {
            let made = try await Program.hub.run(
                ["init", "--data", home.path + "/hub-\(name.count)", "--name", name], environment: home.environment)
            #expect(made.status == 0)
            #expect(made.output.contains("causeway login https://\(host):8443 --ca "))
        }
    }

    @Test func configShowsTheDaemonsSettingsBesideOnesOwn() async throws {
        let program = try await daemon(["--retry-count", "7"])
        let settings = try await home.causeway("config", "--json").json()
        let entry = try #require(settings["retryCount"] as? [String: Any])
        #expect(entry["value"] as? String == "3")
        #expect(entry["daemon"] as? [String: String] == ["value": "7", "source": "flag --retry-count"])
        let words = try await home.causeway("config")
        #expect(words.lines.first?.contains("DAEMON") == true)
        #expect(words.lines.contains { $0.contains("retryCount") && $0.contains("flag --retry-count") })
        await program.stop()
        #expect(try await home.causeway("config").lines.first?.contains("DAEMON") == false)
    }

    @Test func aStoreInUseIsSaidBeforeItIsWaitedFor() async throws {
        let owner = try await daemon()
        let second = try Program.causewayd.start(["--socket", home.path + "/other/s"], environment: home.environment)
        try await second.says("waiting for the store")
        #expect(second.errors.contains("in use by process \(owner.pid)"))
        // It was only waiting: it continues as soon as the store is free.
        await owner.stop()
        try await second.says("ready")
        await second.stop()
    }

    @Test func whoWaitsHasTheIdAndLearnsThatTheDaemonDied() async throws {
        let hub = try await TestHub.start(in: home)
        let program = try await daemon()
        try await login(hub)
        await hub.process.stop()
        for json in [false, true] {
            let running = json ? try await daemon() : program
            let process = try Program.causeway.start(
                ["send", "general", "x", "--wait"] + (json ? ["--json"] : []), environment: home.environment)
            var id = ""
            if json {
                try await Eventually.holds("it is in the outbox") {
                    let outbox = try await home.causeway("outbox", "--json").json()
                    return (outbox["messages"] as? [Any])?.count == 2
                }
            } else {
                try await process.says("\n")
                id = process.output.trimmingCharacters(in: .newlines)
                #expect(!process.isOver)
                #expect(id.count == 36)
            }
            await running.stop(SIGKILL)
            let outcome = await process.finished()
            #expect(outcome.status == 69)
            #expect(outcome.errors.contains("the message was accepted"))
            guard json else {
                #expect(outcome.errors.contains(id))
                continue
            }
            let answer = try outcome.json()
            #expect((answer["ids"] as? [String])?.count == 1)
            #expect((answer["problem"] as? [String: String])?["code"] == "daemonUnreachable")
        }
    }

    @Test(
        arguments: [
            (["frobnicate", "--json"], "usage", 64), (["--json", "outbox", "--limit", "0"], "usage", 64),
            (["send", "--json"], "usage", 64), (["status", "--json", "--retry-count", "x"], "configuration", 78),
            (["messages", "a b", "--json"], "badRequest", 65), (["pause", "--json"], "daemonUnreachable", 69),
        ])
    func withJSONEveryProblemIsJSON(arguments: [String], code: String, status: Int32) async throws {
        let outcome = try await Program.causeway.run(arguments, environment: home.environment)
        #expect(outcome.status == status)
        #expect(outcome.output.isEmpty)
        let answer = try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8)) as? [String: [String: String]]
        #expect(answer?["error"]?["code"] == code)
        #expect(answer?["error"]?["detail"]?.isEmpty == false)
    }

    @Test func aFolderThatOthersCanChangeIsRefusedInWords() async throws {
        try FileManager.default.createDirectory(atPath: home.store, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: home.store)
        for program in [Program.causeway, .causewayd] {
            let outcome = try await program.run(
                program.name == "causeway" ? ["status"] : [], environment: home.environment)
            #expect(outcome.status == 73)
            #expect(outcome.errors.contains("\(home.store) of the store can be written by others; run chmod go-w"))
        }
        let hub = home.path + "/hub"
        #expect(try await Program.hub.run(["init", "--data", hub], environment: home.environment).status == 0)
        for (path, mode, fault) in [(hub, 0o722, "chmod go-w"), (hub + "/tls/server.key", 0o644, "chmod 600")] {
            let before = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let outcome = try await Program.hub.run(
                ["serve", "--data", hub, "--listen", "127.0.0.1:0"], environment: home.environment)
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains(path) && outcome.errors.contains(fault))
            try FileManager.default.setAttributes([.posixPermissions: before ?? 0o700], ofItemAtPath: path)
        }
    }

    @Test func aTokenIsSentToNobodyElsesSocket() async throws {
        let program = try await daemon()
        let folder = home.store + "/run"
        // Other users could create a socket of their own there.
        _ = unsafe chmod(folder, 0o777)
        let outcome = try await Program.causeway.run(
            ["login", "https://127.0.0.1:1", "--token-file", "-"], environment: home.environment, input: "t0ken\n")
        #expect(outcome.status == 73)
        #expect(outcome.errors.contains("\(home.socket) is in a folder that others can write to"))
        #expect(outcome.errors.contains("no token was sent"))
        // Commands that send no token still work.
        #expect(try await home.causeway("status").status == 0)
        if geteuid() == 0 {
            _ = unsafe chmod(folder, 0o700)
            let given = unsafe chown(home.socket, 65534, 65534)
            #expect(given == 0)
            let other = try await Program.causeway.run(
                ["login", "https://127.0.0.1:1", "--token-file", "-"], environment: home.environment, input: "t0ken\n")
            #expect(other.status == 73)
            #expect(other.errors.contains("belongs to another user (65534)"))
        }
        await program.stop()
    }

    @Test func aNameThatIsNowhereIsSaidInWords() async throws {
        let outcome = try await Program.causeway.run(
            ["login", "https://nothing.invalid", "--token-file", "-"], environment: home.environment, input: "t\n")
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("cannot resolve nothing.invalid: "))
        #expect(!outcome.errors.contains("Error"))
    }
}
