import CausewayTestSupport
import Foundation
import Testing

/// The tools for the store from the command line: with real programs, with and without a daemon, on both kinds.
@Suite(.timeLimit(.minutes(10))) struct StoreTests {
    private func login(_ home: Home, _ hub: TestHub, store: String? = nil) async throws {
        let arguments = ["login", hub.address, "--ca", hub.authority, "--token-file", hub.tokenFile]
        let login = try await Program.causeway.run(
            arguments + (store.map { ["--store", $0] } ?? []), environment: home.environment)
        #expect(login.status == 0, "\(login.errors)")
    }

    private func daemon(_ home: Home, _ arguments: [String] = []) async throws -> RunningProgram {
        let program = try Program.causewayd.start(arguments, environment: home.environment)
        try await program.says("ready")
        return program
    }

    /// A store with delivered messages, a queue, and a file that waits; the hub is stopped.
    private func filled(_ home: Home) async throws -> TestHub {
        let hub = try await TestHub.start(in: home)
        try await login(home, hub)
        for text in ["one", "two"] {
            #expect(try await home.causeway("send", "general", text, "--wait").status == 0)
        }
        await hub.process.stop()
        for text in ["three", "four"] { #expect(try await home.causeway("send", "general", text).status == 0) }
        let path = try home.write(String(repeating: "0123456789", count: 12_000), to: "notes.txt")
        #expect(try await home.causeway("send", "general", "--file", path).status == 0)
        return hub
    }

    private func texts(_ home: Home, _ store: String? = nil) async throws -> [String] {
        let arguments = ["messages", "general", "--json"] + (store.map { ["--store", $0] } ?? [])
        let page = try await Program.causeway.run(arguments, environment: home.environment).json()
        return (page["messages"] as? [[String: Any]] ?? []).map { $0["text"] as? String ?? "" }
    }

    private func waitUntilDelivered(_ home: Home, _ store: String? = nil) async throws {
        try await waitUntilDelivered(home, with: store.map { ["--store", $0] } ?? [])
    }

    /// A daemon must run.
    private func waitUntilDelivered(_ home: Home, with settings: [String]) async throws {
        try await Eventually.holds("everything is delivered", lookingEvery: .milliseconds(100)) {
            let outbox = try? await Program.causeway.run(
                ["outbox", "--json"] + settings, environment: home.environment
            ).json()
            return (outbox?["messages"] as? [Any])?.isEmpty == true
        }
    }

    /// The state that a killed process leaves, without its write-ahead log. The command has the store itself, so no
    /// other program will ever report it.
    @Test func aCommandReportsWhatHappenedToItsStore() async throws {
        let home = try Home(storage: "sqlite")
        let running = try await daemon(home)
        let copy = home.path + "/copy"
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in ["store.sqlite", "log-end"] {
            try FileManager.default.copyItem(atPath: "\(home.store)/\(name)", toPath: "\(copy)/\(name)")
        }
        #expect(try await home.causeway("outbox").errors.isEmpty)
        #expect(await running.stop() == 0)
        let first = try await home.causeway("outbox", "--store", copy)
        #expect(first.status == 0)
        #expect(first.errors.contains("lost commits"), "\(first.errors)")
        #expect(!first.output.contains("lost commits"))
        let second = try await home.causeway("outbox", "--store", copy)
        #expect(second.errors.isEmpty, "\(second.errors)")
    }

    @Test(arguments: ["sqlite", "file"])
    func aCheckNeedsTheStoreForItselfAndSaysSo(_ storage: String) async throws {
        let home = try Home(storage: storage)
        let hub = try await filled(home)
        let checked = try await home.causeway("store", "check", "--json")
        #expect(checked.status == 0, "\(checked.errors)")
        let report = try checked.json()
        #expect(report["kind"] as? String == storage)
        #expect(report["problemCount"] as? Int == 0)
        #expect(report["blobs"] as? Int == 1)
        #expect((report["entries"] as? [String: Any])?["messages"] as? Int == 5)

        let running = try await daemon(home)
        let refused = try await home.causeway("store", "check")
        #expect(refused.status == 69)
        #expect(refused.errors.contains("process \(running.pid) has the store"))
        #expect(await running.stop() == 0)

        // The file of a waiting message is damaged.
        let blobs = home.store + "/blobs"
        let blob = try #require(
            try FileManager.default.contentsOfDirectory(atPath: blobs).first { $0.utf8.count == 64 })
        try Data("other".utf8).write(to: URL(fileURLWithPath: blobs + "/" + blob))
        let damaged = try await home.causeway("store", "check", "--json")
        #expect(damaged.status == 72)
        let problems = try damaged.json()["problems"] as? [[String: Any]]
        #expect(problems?.contains { $0["rule"] as? String == "blob" } == true)
        await hub.process.stop()
    }

    @Test func aWriteThatACrashCutOffIsCountedAndLogged() async throws {
        let home = try Home(storage: "file")
        let hub = try await filled(home)
        let journal = home.store + "/journal-0000000000000001"
        let handle = try #require(FileHandle(forWritingAtPath: journal))
        let size = try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: 7, count: 100))
        try handle.close()
        let checked = try await home.causeway("store", "check", "--json")
        #expect(checked.status == 0)
        let report = try checked.json()
        #expect(report["tornBytes"] as? Int == 100)
        #expect((report["tornAt"] as? String)?.hasSuffix("journal-0000000000000001 at byte \(size)") == true)
        let running = try await daemon(home)
        try await running.says("unfinished write cut off")
        #expect(await running.stop() == 0)
        #expect(try await home.causeway("store", "check", "--json").json()["tornBytes"] as? Int == 0)
        await hub.process.stop()
    }

    /// Back up, continue, restore: both copies deliver everything, once.
    @Test(arguments: ["sqlite", "file"])
    func aBackupOfARunningStoreIsRestoredAndBothContinue(_ storage: String) async throws {
        let home = try Home(storage: storage)
        let hub = try await filled(home)
        let running = try await daemon(home)
        let copy = home.path + "/copy"
        let backup = try await home.causeway("store", "backup", copy, "--json")
        #expect(backup.status == 0, "\(backup.errors)")
        #expect(try backup.json()["path"] as? String == copy)
        #expect(!FileManager.default.fileExists(atPath: copy + ".incomplete"))
        let names = try FileManager.default.contentsOfDirectory(atPath: copy)
        #expect(names.contains("servers.json"))
        #expect(!names.contains { $0.hasPrefix("token-") })
        let checked = try await home.causeway("store", "check", "--store", copy)
        #expect(checked.status == 0, "\(checked.output)")
        let twice = try await home.causeway("store", "backup", copy)
        #expect(twice.status != 0)
        #expect(twice.errors.contains("exists already"))

        // The original continues, and delivers what was queued.
        #expect(try await home.causeway("send", "general", "five").status == 0)
        let again = try await hub.again()
        try await waitUntilDelivered(home)
        // The copy has the queue of the moment of the backup, and one more message of its own.
        let other = try await daemon(home, ["--store", copy])
        #expect(
            try await Program.causeway.run(
                ["send", "general", "six", "--store", copy], environment: home.environment
            ).status == 0)
        try await login(home, again, store: copy)
        try await waitUntilDelivered(home, copy)
        #expect(await other.stop() == 0)
        #expect(try await home.causeway("send", "general", "seven", "--wait").status == 0)
        let page = try await home.causeway("messages", "general", "--json", "--refresh").json()
        let found = (page["messages"] as? [[String: Any]] ?? []).map { $0["text"] as? String ?? "" }
        #expect(found.filter { !$0.isEmpty }.sorted() == ["five", "four", "one", "seven", "six", "three", "two"])
        #expect(found.count == 8)
        #expect(await running.stop() == 0)
        await again.process.stop()
    }

    @Test(arguments: ["sqlite", "file"])
    func aMigrationKeepsEverythingAndIsReversible(_ storage: String) async throws {
        let other = storage == "file" ? "sqlite" : "file"
        let home = try Home(storage: storage)
        let hub = try await filled(home)
        let texts = try await texts(home)
        let before = try await home.causeway("store", "export")
        let migrated = try await home.causeway("store", "migrate", "--to", other, "--json")
        #expect(migrated.status == 0, "\(migrated.errors)")
        #expect(migrated.errors.contains("set storage = \(other)"))
        // The former kind is refused instead of begun anew.
        let refused = try await home.causeway("status")
        #expect(refused.status != 0)
        #expect(refused.errors.contains("storage = \(other)"))
        let export = try await home.causeway("store", "export")
        #expect(Self.entries(export.output) == Self.entries(before.output))
        let back = try await home.causeway("store", "migrate", "--to", storage, "--discard-former")
        #expect(back.status == 0, "\(back.errors)")
        #expect(try await self.texts(home) == texts)
        // It delivers what was queued, with its file.
        let again = try await hub.again()
        let running = try await daemon(home)
        try await waitUntilDelivered(home)
        #expect(await running.stop() == 0)
        await again.process.stop()
    }

    /// The lines of an export but the first, which counts openings.
    private static func entries(_ export: String) -> [Substring] { Array(export.split(separator: "\n").dropFirst()) }

    /// Killed again and again, a migration ends with the same content; so do the other tools.
    @Test func aKilledToolIsCompletedByTheNextCall() async throws {
        let home = try Home(storage: "sqlite")
        _ = try await filled(home)
        let before = try await home.causeway("store", "export")
        var storage = "sqlite"
        for moment in ["migration/journal-0000000000000001", "migration/complete", "former-sqlite", "migration"] {
            let target = storage == "file" ? "sqlite" : "file"
            let arguments = ["store", "migrate", "--to", target, "--discard-former"]
            let process = try Program.causeway.start(arguments, environment: home.environment)
            // Somewhere around this moment: the migration may have ended before it was seen.
            try await Eventually.holds("the migration comes to \(moment)", lookingEvery: .microseconds(200)) {
                FileManager.default.fileExists(atPath: home.store + "/" + moment) || process.isOver
            }
            await process.stop(SIGKILL)
            let completed = try await Program.causeway.run(arguments, environment: home.environment)
            #expect(completed.status == 0, "\(completed.errors)")
            storage = target
            let export = try await home.causeway("store", "export")
            #expect(Self.entries(export.output) == Self.entries(before.output))
        }
        #expect(try await home.causeway("store", "check").status == 0)
        try await requireThatKilledToolsLeaveNothingHalfMade(home, before.output)
    }

    /// Kills a program about the time at which a file appears; the program may have ended before it was seen.
    private func kill(_ home: Home, _ arguments: [String], at moment: String) async throws {
        let process = try Program.causeway.start(arguments, environment: home.environment)
        try await Eventually.holds("the program comes to \(moment)", lookingEvery: .microseconds(200)) {
            FileManager.default.fileExists(atPath: moment) || process.isOver
        }
        await process.stop(SIGKILL)
    }

    /// Killed in the middle, a tool leaves the store as it was, and nothing half-made that can be opened; called again,
    /// it does its work.
    private func requireThatKilledToolsLeaveNothingHalfMade(_ home: Home, _ before: String) async throws {
        try await kill(home, ["store", "compact"], at: home.store + "/store.sqlite-wal")
        #expect(Self.contents(try await home.causeway("store", "export").output) == Self.contents(before))

        let copy = home.path + "/copy"
        try await kill(home, ["store", "backup", copy], at: copy + ".incomplete")
        if !FileManager.default.fileExists(atPath: copy) {
            // The folder has no store yet, or the whole one.
            let half = try await home.causeway("store", "export", "--store", copy + ".incomplete")
            #expect(half.status != 0 || Self.contents(half.output) == Self.contents(before))
            #expect(try await home.causeway("store", "backup", copy).status == 0)
        }
        let path = home.path + "/export.jsonl"
        try await kill(home, ["store", "export", "--store", copy, "--to", path], at: path + ".incomplete")
        if !FileManager.default.fileExists(atPath: path) {
            #expect(try await home.causeway("store", "export", "--store", copy, "--to", path).status == 0)
        }
        #expect(Self.contents(try String(contentsOfFile: path, encoding: .utf8)) == Self.contents(before))

        let new = home.path + "/new"
        let arguments = ["store", "import", path, "--store", new, "--storage", "file"]
        try await kill(home, arguments, at: new + "/migration")
        let half = try await home.causeway("store", "export", "--store", new)
        #expect(half.status != 0 || Self.contents(half.output) == Self.contents(before))
        let again = try await Program.causeway.run(arguments, environment: home.environment)
        #expect(again.status == 0 || again.errors.contains("contains a store"), "\(again.errors)")
        let imported = try await home.causeway("store", "export", "--store", new)
        #expect(Self.contents(imported.output) == Self.contents(before))
    }

    /// A digest of the lines of an export without those that name openings, which every opening changes.
    private static func contents(_ export: String) -> Int {
        entries(export).filter { !$0.contains(#""type":"account""#) }.hashValue
    }

    @Test(arguments: ["sqlite", "file"])
    func anExportBecomesAStoreElsewhere(_ storage: String) async throws {
        let other = storage == "file" ? "sqlite" : "file"
        let home = try Home(storage: storage)
        let hub = try await filled(home)
        let path = home.path + "/export.jsonl"
        let export = try await home.causeway("store", "export", "--to", path, "--json")
        #expect(export.status == 0, "\(export.errors)")
        #expect(try export.json()["files"] as? Int == 1)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains(try hub.token))

        let new = home.path + "/new"
        // A line that is wrong is named, and nothing remains.
        let broken = try home.write(text.replacingOccurrences(of: "\"three\"", with: "\"three"), to: "broken.jsonl")
        let refused = try await home.causeway("store", "import", broken, "--store", new, "--storage", other)
        #expect(refused.status == 65)
        let line = 1 + (text.split(separator: "\n").firstIndex { $0.contains("\"three\"") } ?? 0)
        #expect(refused.errors.contains("line \(line): "), "\(refused.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: new) == ["lock"])

        let made = try await home.causeway("store", "import", path, "--store", new, "--storage", other)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try await home.causeway("store", "check", "--store", new).status == 0)
        let again = try await Program.causeway.run(
            ["store", "export", "--store", new], environment: home.environment)
        #expect(Self.entries(again.output) == Self.entries(text))
        #expect(
            try await home.causeway("store", "import", path, "--store", new, "--storage", other).errors
                .contains("contains a store"))

        // The imported queue is delivered, with its file.
        let back = try await hub.again()
        let arguments = ["--store", new, "--storage", other]
        let login = try await Program.causeway.run(
            ["login", back.address, "--ca", back.authority, "--token-file", back.tokenFile] + arguments,
            environment: home.environment)
        #expect(login.status == 0, "\(login.errors)")
        let running = try await daemon(home, arguments)
        try await waitUntilDelivered(home, with: arguments)
        #expect(await running.stop() == 0)
        await back.process.stop()
    }

    @Test(arguments: ["sqlite", "file"])
    func aStoreIsCompactedWhileTheDaemonRuns(_ storage: String) async throws {
        let home = try Home(storage: storage)
        let hub = try await filled(home)
        let running = try await daemon(home)
        let compacted = try await home.causeway("store", "compact", "--json")
        #expect(compacted.status == 0, "\(compacted.errors)")
        let report = try compacted.json()
        #expect((report["bytesBefore"] as? Int ?? 0) > 0)
        #expect((report["bytesAfter"] as? Int ?? 0) > 0)
        #expect(await running.stop() == 0)
        #expect(try await home.causeway("store", "check").status == 0)
        await hub.process.stop()
    }
}
