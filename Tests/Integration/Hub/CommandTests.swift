import CausewayHub
import CausewayHubStorage
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import Foundation
import GRDB
import Testing

/// The program `causeway-hub` from a user's point of view.
@Suite struct CommandTests {
    private static func hub(_ arguments: [String], environment: [String: String] = [:]) async throws
        -> Program.Outcome
    {
        try await Program.hub.run(arguments, environment: environment)
    }

    @Test func initMakesAHubAndSaysWhatComesNext() async throws {
        let temporary = try TemporaryFolder()
        let data = temporary.path + "/a hub"
        let made = try await Self.hub(["init", "--data", data, "--account", "alice", "--channel", "lobby"])
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("causeway-hub serve --data '\(data)'"))
        #expect(made.output.contains("causeway login https://localhost:8443 --ca '\(data)/tls/ca.pem'"))
        let token = try String(contentsOfFile: data + "/tokens/alice.token", encoding: .utf8)
        #expect(token.hasPrefix("cwt_"))
        #expect(token.count == 4 + 64 + 1)
        #expect(!made.output.contains(token.trimmingCharacters(in: .newlines)))
        let secrets = ["/tokens/alice.token", "/tls/ca.key", "/tls/server.key", "/hub.sqlite"]
        for secret in secrets {
            let mode = try FileManager.default.attributesOfItem(atPath: data + secret)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(secret)")
        }
        let again = try await Self.hub(["init", "--data", data])
        #expect(again.status == 73)
        #expect(again.errors.contains("exists already; nothing was changed"))
        #expect(try String(contentsOfFile: data + "/tokens/alice.token", encoding: .utf8) == token)
    }

    @Test(arguments: [("127.0.0.1:9443", "9443"), ("[::1]:80", "80"), ("127.0.0.1:0", "PORT"), ("nothing", "PORT")])
    func initNamesThePortOfTheSettings(listen: String, port: String) async throws {
        let temporary = try TemporaryFolder()
        let made = try await Self.hub(
            ["init", "--data", temporary.path], environment: ["CAUSEWAY_HUB_LISTEN": listen])
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("causeway login https://localhost:\(port) --ca"))
    }

    @Test func aFailedInitLeavesNothingBehind() async throws {
        let temporary = try TemporaryFolder()
        let made = try await Self.hub(["init", "--data", temporary.path, "--name", "not a name"])
        #expect(made.status == 78)
        let files = FileManager.default.enumerator(atPath: temporary.path)?.compactMap { $0 as? String } ?? []
        #expect(files.allSatisfy { ["tls", "hub.lock"].contains($0) }, "\(files)")
        #expect(try await Self.hub(["init", "--data", temporary.path]).status == 0)
    }

    @Test func commandsThatChangeSomethingAreRecorded() async throws {
        let temporary = try TemporaryFolder()
        let data = ["--data", temporary.path]
        let shell = ["SSH_CONNECTION": "192.0.2.7 1 2 3"]
        #expect(try await Self.hub(["init", "--account", "me"] + data, environment: shell).status == 0)
        for command in [
            ["account", "add", "bob"], ["account", "renew", "bob"], ["account", "remove", "bob"],
            ["channel", "add", "lobby"], ["channel", "member", "add", "lobby", "me"],
            ["channel", "member", "remove", "lobby", "me"], ["channel", "remove", "lobby"],
            ["backup", temporary.path + "/copy"],
        ] {
            #expect(try await Self.hub(command + data, environment: shell).status == 0)
        }
        #expect(try await Self.hub(["channel", "remove", "lobby"] + data).status == 66)
        let path = temporary.path + "/audit.log"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let events = [
            "account added", "channel created", "account added", "account renewed", "account removed",
            "channel created", "member added", "member removed", "channel removed", "hub backed up",
        ]
        #expect(lines.count == events.count)
        for (line, event) in zip(lines, events) {
            #expect(line.contains(#""event":"\#(event)""#))
            #expect(line.contains(#""from":"192.0.2.7""#))
            #expect(line.contains(#""user":"\#(NSUserName())""#))
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func accountsWhileItServes() async throws {
        let temporary = try TemporaryFolder()
        let data = ["--data", temporary.path]
        #expect(try await Self.hub(["init", "--account", "me"] + data).status == 0)
        let process = try await HubProcess.start(DataFolder(temporary.path))

        let added = try await Self.hub(["account", "add", "bob"] + data)
        #expect(added.status == 0, "\(added.errors)")
        let path = temporary.path + "/tokens/bob.token"
        func bob() throws -> HubClient {
            let token = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
            return HubClient(port: process.port, token: token)
        }
        let first = try bob()
        #expect(try await first.get("/v1/session").status == 200)
        #expect(try await Self.hub(["account", "add", "bob"] + data).status == 73)

        #expect(try await Self.hub(["account", "renew", "bob"] + data).status == 0)
        #expect(try await first.get("/v1/session").status == 401)
        #expect(try await bob().get("/v1/session").status == 200)

        #expect(try await Self.hub(["channel", "add", "lobby"] + data).output == "Added lobby\n")
        #expect(try await Self.hub(["channel", "add", "lobby"] + data).output == "lobby exists already\n")
        #expect(try await bob().report(delivery([send(1, channel: "lobby")])).codes == ["notMember"])
        let member = ["channel", "member"]
        #expect(
            try await Self.hub(member + ["add", "lobby", "bob", "--role", "owner"] + data).output
                == "bob is an owner of lobby\n")
        #expect(try await bob().report(delivery([send(2, channel: "lobby")])).positions == [1])
        #expect(
            try await Self.hub(["channel", "list"] + data).output
                == "general\t0\t1 member\tpublic\nlobby\t1\t1 member\tpublic\n")
        #expect(try await Self.hub(member + ["list", "lobby"] + data).output.hasPrefix("bob\towner\tsince 20"))
        let members = try await Self.hub(member + ["list", "lobby", "--json"] + data).output
        let decoded = try JSONDecoder().decode([ChannelMember].self, from: Data(members.utf8))
        #expect(decoded.map(\.id.description) == ["lobby/bob"] && decoded.map(\.role) == [.owner])
        #expect(try await Self.hub(member + ["remove", "lobby", "bob"] + data).output == "Removed bob from lobby\n")
        #expect(try await bob().report(delivery([send(3, channel: "lobby")])).codes == ["notMember"])
        for arguments in [
            ["remove", "lobby", "bob"], ["add", "lobby", "nobody"], ["add", "nowhere", "bob"], ["list", "nowhere"],
        ] {
            #expect(try await Self.hub(member + arguments + data).status == 66)
        }
        #expect(try await Self.hub(member + ["add", "lobby", "bob", "--role", "king"] + data).status == 64)

        #expect(try await Self.hub(["account", "remove", "bob"] + data).status == 0)
        #expect(try await bob().get("/v1/session").status == 401)
        #expect(try await Self.hub(["account", "remove", "bob"] + data).status == 66)
        let list = try await Self.hub(["account", "list", "--json"] + data)
        let accounts = try JSONDecoder().decode([[String: JSONValue]].self, from: Data(list.output.utf8))
        #expect(accounts.map { $0["name"] } == [.string("bob"), .string("me")])
        #expect(accounts[0]["removedAt"] != nil)
        #expect(accounts[1]["removedAt"] == nil)
        #expect(await process.end(SIGTERM) == 0)
    }

    /// A script that reads JSON gets JSON for every outcome.
    @Test func errorsOfListsAreJSONWithThem() async throws {
        let temporary = try TemporaryFolder()
        let empty = ["--data", temporary.path]
        let made = ["--data", temporary.path + "/hub"]
        #expect(try await Self.hub(["init", "--account", "me"] + made).status == 0)
        let cases: [(arguments: [String], status: Int32, code: String)] = [
            (["account", "list"] + empty, 66, "hubNotFound"),
            (["channel", "list"] + empty, 66, "hubNotFound"),
            (["channel", "member", "list", "nowhere"] + made, 66, "channelNotFound"),
            (["channel", "member", "list", "a b"] + made, 65, "badName"),
            (made + ["channel", "member", "list", "nowhere"], 66, "channelNotFound"),
            (["account", "list", "--nonsense"] + made, 64, "usage"),
        ]
        for (arguments, status, code) in cases {
            let outcome = try await Self.hub(arguments + ["--json"])
            #expect(outcome.status == status && outcome.output.isEmpty, "\(arguments)")
            let errors = try JSONDecoder().decode([String: [String: String]].self, from: Data(outcome.errors.utf8))
            #expect(errors["error"]?["code"] == code && errors["error"]?["detail"]?.isEmpty == false)
            #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "one line")
        }
        // The option belongs to lists alone.
        #expect(try await Self.hub(["account", "remove", "me", "--json"] + made).status == 64)
    }

    @Test func errorsHaveTheirCodes() async throws {
        let temporary = try TemporaryFolder()
        let data = ["--data", temporary.path]
        let cases: [(arguments: [String], status: Int32, says: String)] = [
            (["serve"] + data, 66, "causeway-hub init --data \(temporary.path)"),
            (["account", "list"] + data, 66, "no hub in"),
            (["nonsense"], 64, "nonsense"),
            (["init", "--account", "a b"] + data, 65, "a b"),
            (["init", "--data", "/proc/nowhere"], 74, "/proc/nowhere"),
            (["--help"], 0, ""),
        ]
        for (arguments, status, says) in cases {
            let result = try await Self.hub(arguments)
            #expect(result.status == status, "\(arguments): \(result.errors)")
            #expect(result.errors.contains(says) || says.isEmpty, "\(result.errors)")
        }
        #expect(try await Self.hub(["init"] + data).status == 0)
        let later: [(arguments: [String], status: Int32, says: String)] = [
            (["account", "renew", "nobody"] + data, 66, "nobody"),
            (["account", "add", "../x"] + data, 65, "../x"),
            (["channel", "add", "a b"] + data, 65, "a b"),
            (["channel", "add", "lobby", "--owner", "a b"] + data, 65, "a b"),
            (["serve", "--listen", "nonsense"] + data, 78, "HOST:PORT"),
            (["serve", "--listen", "0.0.0.0:0", "--plain"] + data, 78, "without TLS"),
            (["serve", "--log-level", "loud"] + data, 78, "loud"),
            (["serve", "--listen", "192.0.2.1:1"] + data, 69, "192.0.2.1:1"),
        ]
        for (arguments, status, says) in later {
            let result = try await Self.hub(arguments)
            #expect(result.status == status, "\(arguments): \(result.errors)")
            #expect(result.errors.contains(says), "\(result.errors)")
        }
    }

    /// Creates a hub and changes its database.
    private static func prepare(
        _ folder: DataFolder, _ change: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        try await HubFixture.prepare(folder)
        let database = try folder.openDatabase()
        try await database.write(change)
        try database.close()
    }

    /// Nothing failed, so that a script does not look for a broken disk.
    @Test func aLimitThatIsReachedIsNoFailureOfTheDisk() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await Self.prepare(folder) { db in
            try db.execute(
                sql: "INSERT INTO account (number, name, created_at, removed_at) VALUES (?, 'last', 0, 0)",
                arguments: [HubStorageLimits.accountsMax])
        }
        let refused = try await Self.hub(["account", "add", "bob", "--data", temporary.path])
        #expect(refused.status == 73, "\(refused.errors)")
        #expect(refused.errors.contains("the limit of \(HubStorageLimits.accountsMax) accounts of the hub is reached"))
    }

    @Test func aPortThatIsTakenIsSaid() async throws {
        let temporary = try TemporaryFolder()
        let other = try TemporaryFolder()
        for folder in [temporary, other] { try await HubFixture.prepare(DataFolder(folder.path)) }
        let process = try await HubProcess.start(DataFolder(temporary.path))
        let second = try await Self.hub(["serve", "--data", other.path, "--listen", "127.0.0.1:\(process.port)"])
        #expect(second.status == 69)
        #expect(second.errors.contains("127.0.0.1:\(process.port)"))
        #expect(await process.end(SIGTERM) == 0)
    }

    @Test func flagsThenEnvironmentThenFileThenDefaults() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        try #"{"listen": "from-the-file:x", "logFormat": "json"}"#.write(
            toFile: folder.settings, atomically: true, encoding: .utf8)
        // Each source is identified by its invalid address in the hub's error.
        let file = try await Self.hub(["serve"], environment: ["CAUSEWAY_HUB_DATA": temporary.path])
        #expect(file.errors.contains("from-the-file:x"))
        let environment = ["CAUSEWAY_HUB_DATA": temporary.path, "CAUSEWAY_HUB_LISTEN": "from-the-environment:x"]
        let variable = try await Self.hub(["serve"], environment: environment)
        #expect(variable.errors.contains("from-the-environment:x"))
        let flag = try await Self.hub(["serve", "--listen", "from-the-flag:x"], environment: environment)
        #expect(flag.errors.contains("from-the-flag:x"))

        try #"{"listne": "x"}"#.write(toFile: folder.settings, atomically: true, encoding: .utf8)
        let unknown = try await Self.hub(["serve", "--data", temporary.path])
        #expect(unknown.status == 78)
        #expect(unknown.errors.contains("listne"))
    }

    /// It must not become the folder in which the command was called.
    @Test func anEmptyNameOfTheDataFolderNamesNone() async throws {
        let temporary = try TemporaryFolder()
        #expect(try await Self.hub(["init", "--data", temporary.path + "/causeway-hub"]).status == 0)
        let environment = ["CAUSEWAY_HUB_DATA": "", "XDG_DATA_HOME": temporary.path]
        let found = try await Self.hub(["account", "list"], environment: environment)
        #expect(found.status == 0, "\(found.errors)")
        #expect(found.output.hasPrefix("me\t"))
        let refused = try await Self.hub(["account", "list", "--data", ""], environment: environment)
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--data is empty."))
    }

    @Test func restoreSaysWhatItDidAndRefusesARunningHub() async throws {
        let temporary = try TemporaryFolder()
        let data = ["--data", temporary.path + "/hub"]
        let backup = temporary.path + "/backup"
        #expect(try await Self.hub(["init"] + data).status == 0)
        try FileManager.default.copyItem(atPath: temporary.path + "/hub", toPath: backup)
        #expect(try await Self.hub(["account", "add", "bob"] + data).status == 0)
        let running = try await HubProcess.start(DataFolder(temporary.path + "/hub"))
        let refused = try await Self.hub(["restore", backup] + data)
        #expect(refused.status == 75)
        #expect(refused.errors.contains("is in use by process \(running.pid)"))
        #expect(await running.end(SIGTERM) == 0)
        let restored = try await Self.hub(["restore", backup] + data)
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(restored.output.contains("0 messages, 1 accounts"))
        #expect(restored.output.contains("hub.sqlite.replaced"))
        let accounts = try await Self.hub(["account", "list"] + data)
        #expect(!accounts.output.contains("bob"))
        #expect(try await Self.hub(["restore", backup + "/nothing"] + data).status == 74)
    }

    @Test func aDatabaseThatIsNoneOrNewerIsRefusedAndLeftAlone() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await Self.prepare(folder) { db in
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999: from the future')")
        }
        let future = try await Self.hub(["serve", "--data", temporary.path, "--listen", "127.0.0.1:0"])
        #expect(future.status == 74)
        #expect(future.errors.contains("newer causeway-hub"))

        let garbage = Data(repeating: 0x41, count: 8192)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
        try garbage.write(to: URL(fileURLWithPath: folder.database))
        let damaged = try await Self.hub(["serve", "--data", temporary.path, "--listen", "127.0.0.1:0"])
        #expect(damaged.status == 74)
        #expect(damaged.errors.contains("cannot be read as the hub's database"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == garbage)
    }
}
