import CausewayTestSupport
import Foundation
import Testing

/// Files from the command line, with and without a daemon.
@Suite(.timeLimit(.minutes(10))) struct FileTests {
    private func login(_ home: Home) async throws -> TestHub {
        let hub = try await TestHub.start(in: home)
        let login = try await home.causeway("login", hub.address, "--ca", hub.authority, "--token-file", hub.tokenFile)
        #expect(login.status == 0)
        return hub
    }

    /// Runs `causeway` and returns the first line of its output.
    private func line(_ home: Home, _ arguments: String...) async throws -> String {
        let outcome = try await Program.causeway.run(arguments, environment: home.environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").first.map(String.init) ?? ""
    }

    @Test(arguments: [false, true], ["sqlite", "file"])
    func aFileIsSentAndSaved(withDaemon: Bool, storage: String) async throws {
        let home = try Home(storage: storage)
        let hub = try await login(home)
        let daemon = withDaemon ? try Program.causewayd.start([], environment: home.environment) : nil
        try await daemon?.says("ready")
        let text = String(repeating: "0123456789abcdef", count: 60_000)
        let path = try home.write(text, to: "notes.txt")
        let preview = try home.write("a blurred page", to: "preview")
        let id = try await line(
            home, "send", "general", "--file", path, "--caption", "my notes", "--preview", preview, "--wait")

        let shown = try await home.causeway("message", id, "--json").json()
        let attachment = try #require(shown["attachment"] as? [String: Any])
        #expect(attachment["name"] as? String == "notes.txt")
        #expect(attachment["size"] as? Int == text.utf8.count)
        #expect(shown["text"] as? String == "my notes")
        #expect(attachment["preview"] as? String == Data("a blurred page".utf8).base64EncodedString())
        #expect(shown["state"] as? String == "synced")

        let folder = home.path + "/saved"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(try await line(home, "download", id, "--to", folder) == folder + "/notes.txt")
        #expect(try String(contentsOfFile: folder + "/notes.txt", encoding: .utf8) == text)
        // An existing file stays as it is.
        let again = try await home.causeway("download", id, "--to", folder)
        #expect(again.status != 0)
        #expect(again.errors.contains("exists"))

        // A device that has only seen the message: it continues a part of the file.
        let other = ["CAUSEWAY_STORE": home.path + "/other"].merging(home.environment) { first, _ in first }
        let joined = try await Program.causeway.run(
            ["login", hub.address, "--ca", hub.authority, "--token-file", hub.tokenFile], environment: other)
        #expect(joined.status == 0)
        _ = try await Program.causeway.run(["messages", "general", "--refresh"], environment: other)
        let sha256 = try #require(attachment["sha256"] as? String)
        let target = home.path + "/copy.txt"
        try text.prefix(100_000).write(
            toFile: target + ".\(sha256.prefix(8)).part", atomically: false, encoding: .utf8)
        let copied = try await Program.causeway.run(["download", id, "--to", target], environment: other)
        #expect(copied.status == 0, "\(copied.errors)")
        #expect(try String(contentsOfFile: target, encoding: .utf8) == text)

        // A damaged part is noticed, removed, and not called the file.
        let damaged = home.path + "/damaged.txt"
        try "not the beginning".write(
            toFile: damaged + ".\(sha256.prefix(8)).part", atomically: false, encoding: .utf8)
        let refused = try await Program.causeway.run(["download", id, "--to", damaged], environment: other)
        #expect(refused.status != 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).filter { $0.contains("damaged") } == [])
        if let daemon { #expect(await daemon.stop() == 0) }
        await hub.process.stop()
    }

    @Test func theOutboxShowsTheBytesOfAnUpload() async throws {
        let home = try Home()
        let hub = try await TestHub.start(in: home)
        let target = try #require(URL(string: hub.address)?.port)
        try await FaultProxy.run(to: target) { _ in
            .slow(bytes: 8_000, pause: .milliseconds(5))
        } body: { _, port in
            let login = try await home.causeway(
                "login", "https://127.0.0.1:\(port)", "--ca", hub.authority, "--token-file", hub.tokenFile)
            #expect(login.status == 0, "\(login.errors)")
            let daemon = try Program.causewayd.start([], environment: home.environment)
            try await daemon.says("ready")
            let path = try home.write(String(repeating: "0123456789abcdef", count: 1_000_000), to: "large")
            let id = try await line(home, "send", "general", "--file", path)
            try await Eventually.holds("the bytes are shown") {
                let outbox = try await home.causeway("outbox", "--json").json()
                let message = (outbox["messages"] as? [[String: Any]])?.first { $0["id"] as? String == id }
                let wait = message?["wait"] as? [String: Any]
                guard wait?["kind"] as? String == "uploading" else { return false }
                #expect(wait?["total"] as? Int == 16_000_000)
                return (wait?["sent"] as? Int ?? 0) > 0
            }
            let words = try await home.causeway("outbox").output
            #expect(words.contains(/uploading, [1-9][0-9]* of 16000000 bytes/), "\(words)")
            #expect(await daemon.stop() == 0)
        }
        await hub.process.stop()
    }

    @Test(arguments: [false, true])
    func aFileThatCannotBeSentIsNamed(withDaemon: Bool) async throws {
        let home = try Home()
        let hub = try await login(home)
        let daemon = withDaemon ? try Program.causewayd.start([], environment: home.environment) : nil
        try await daemon?.says("ready")
        let text = try home.write("words", to: "words.png")
        let large = try home.write(String(repeating: "x", count: 2049), to: "large")
        let empty = try home.write("", to: "empty")
        let cases: [([String], String)] = [
            (["--file", home.path + "/none"], "there is no file"),
            (["--file", home.path], "is a folder"),
            (["--file", "/dev/null"], "is a device"),
            (["--image", text], "text/plain"),
            (["--audio", text], "text/plain"),
            (["--file", text, "--preview", home.path + "/none"], "there is no file"),
            (["--file", text, "--preview", large], "the preview has 2049 bytes; at most 2048 may be sent"),
            (["--file", text, "--preview", empty], "the preview is empty"),
        ]
        for (arguments, words) in cases {
            let end = try await Program.causeway.run(["send", "general"] + arguments, environment: home.environment)
            #expect(end.status != 0)
            #expect(end.errors.contains(words), "\(arguments): \(end.errors)")
        }
        let usages = [
            ["--caption", "a", "text"], ["--preview", text, "text"], ["--file", text, "--lines"],
            ["--file", text, "--image", text],
        ]
        for usage in usages {
            #expect(
                try await Program.causeway.run(["send", "general"] + usage, environment: home.environment).status == 64)
        }
        let outbox = try await home.causeway("outbox", "--json").json()
        #expect((outbox["messages"] as? [Any])?.isEmpty == true)
        let blobs = home.store + "/blobs"
        #expect(((try? FileManager.default.contentsOfDirectory(atPath: blobs)) ?? []).isEmpty)
        if let daemon { #expect(await daemon.stop() == 0) }
        await hub.process.stop()
    }

    @Test func anErrorIsNotAppendedToTheProgress() async throws {
        let home = try Home()
        let hub = try await login(home)
        let daemon = try Program.causewayd.start([], environment: home.environment)
        try await daemon.says("ready")
        let text = try home.write("words", to: "words.png")
        let terminal = try Terminal(
            .causeway, ["send", "general", "--image", text], environment: home.environment, columns: 300)
        try await terminal.shows("causeway: ", "text/plain")
        #expect(try await terminal.ended() == 65)
        // It was shown while the file was copied.
        #expect(!terminal.screen.text.contains("copying"))
        #expect(await daemon.stop() == 0)
        await hub.process.stop()
    }
}
