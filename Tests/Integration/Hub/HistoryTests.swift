import CausewayHub
import CausewayHubSQLite
import CausewayHubStorage
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import Foundation
import NIOHTTP1
import Testing

/// The history named by the hub, and the detection of a database that is older than confirmed data.
@Suite struct HistoryTests {
    /// The history that a response names.
    private static func history(_ answer: HubClient.Answer) throws -> WireHistory {
        let text = try #require(answer.headers.first(name: WireProtocol.historyHeader))
        return try #require(WireHistory(text))
    }

    private static func deliver(
        _ operations: [WireOperation], knowing history: WireHistory?, to client: HubClient
    ) async throws -> HubClient.Answer {
        try await client.send(
            .POST, WireProtocol.deliveriesPath, HubClient.coded(delivery(operations)),
            headers: history.map { [WireProtocol.historyHeader: $0.text] } ?? [:])
    }

    private static func session(
        knowing history: WireHistory?, of client: HubClient, outbox number: UInt64 = 1
    ) async throws -> HubClient.Answer {
        try await client.send(
            .GET, WireProtocol.sessionPath + "?outbox=\(outbox(number))",
            headers: history.map { [WireProtocol.historyHeader: $0.text] } ?? [:])
    }

    private static func made(in temporary: TemporaryFolder) async throws -> DataFolder {
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        return folder
    }

    private static func copy(_ folder: DataFolder, to path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in ["hub.sqlite", "hub.sqlite-wal"] {
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
            let source = "\(folder.path)/\(name)"
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try FileManager.default.copyItem(atPath: source, toPath: "\(path)/\(name)")
        }
    }

    private static func putBack(_ path: String, to folder: DataFolder) throws {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
        try copy(DataFolder(path), to: folder.path)
    }

    @Test func everyAnswerNamesTheHistoryAndHowFarItIs() async throws {
        try await HubFixture.running { hub in
            let first = try Self.history(try await hub.client.get(WireProtocol.sessionPath))
            let answer = try await Self.deliver([send(1)], knowing: first, to: hub.client)
            #expect(answer.status == 200)
            let second = try Self.history(answer)
            #expect(second.history == first.history)
            #expect(second.commit == first.commit + 1)
            let page = try await hub.client.get(WireProtocol.messagesPath("general"))
            #expect(try Self.history(page) == second)
            // A repeat changes nothing, and a refusal names the history, too.
            #expect(try Self.history(try await Self.deliver([send(1)], knowing: second, to: hub.client)) == second)
            let refused = try await hub.client.get(WireProtocol.messagesPath("nowhere"))
            #expect(refused.status == 404)
            #expect(try Self.history(refused) == second)
        }
    }

    /// A delivery that was sent before the hub was started may be one that the network repeats. It is not applied; a
    /// client that still knows the earlier opening learns the present one from the session, and delivers again.
    @Test func aRestartChangesNoHistoryAndAppliesNothingThatWasSentBeforeIt() async throws {
        let temporary = try TemporaryFolder()
        let folder = try await Self.made(in: temporary)
        let before = try await HubFixture.running(folder) { hub in
            try Self.history(try await Self.deliver([send(1)], knowing: nil, to: hub.client))
        }
        try await HubFixture.running(folder) { hub in
            let early = try await Self.deliver([send(2)], knowing: before, to: hub.client)
            #expect(early.status == 409 && early.errorCode == "historyChanged")
            #expect(try await hub.client.messages().map(\.position) == [1])
            let session = try await Self.session(knowing: before, of: hub.client)
            #expect(try session.decoded(WireSession.self).marks == nil, "nothing was lost")
            let present = try Self.history(session)
            #expect(try Self.history(early) == present)
            #expect(present.history == before.history && present.commit == before.commit)
            #expect(present.opening != before.opening)
            let answer = try await Self.deliver([send(2)], knowing: present, to: hub.client)
            #expect(answer.status == 200)
            #expect(try Self.history(answer).commit == before.commit + 1)
        }
    }

    @Test func aDatabaseThatWasPutBackBeginsAnotherHistory() async throws {
        let temporary = try TemporaryFolder()
        let folder = try await Self.made(in: temporary)
        let backup = folder.path + "/backup"
        let first = try await HubFixture.running(folder) { hub in
            try Self.history(try await Self.deliver([send(1)], knowing: nil, to: hub.client))
        }
        try Self.copy(folder, to: backup)
        let second = try await HubFixture.running(folder) { hub in
            let present = try Self.history(try await Self.session(knowing: first, of: hub.client))
            return try Self.history(try await Self.deliver([send(2), send(3)], knowing: present, to: hub.client))
        }
        try Self.putBack(backup, to: folder)
        try await HubFixture.running(folder) { hub in
            // A client that knows no more than the backup contains cannot detect the loss.
            #expect(try await Self.session(knowing: first, of: hub.client).status == 200)
            let refused = try await Self.deliver([send(4, after: 3)], knowing: second, to: hub.client)
            #expect(refused.status == 409)
            #expect(refused.errorCode == "historyChanged")
            let third = try Self.history(refused)
            #expect(third.hub == first.hub)
            #expect(third.history != first.history)
            #expect(third.floor > 1 << 32)
            // A second client that proves the same loss starts no further history, and neither does one that lost
            // nothing.
            let session = try await Self.session(knowing: second, of: hub.client)
            #expect(try Self.history(session).history == third.history)
            #expect(try session.decoded(WireSession.self).marks == ["text": 1])
            #expect(try Self.history(try await Self.session(knowing: first, of: hub.client)).history == third.history)
            #expect(try await Self.session(knowing: third, of: hub.client).decoded(WireSession.self).marks == nil)
            // Nothing of the former history is applied, and no position is used twice.
            #expect(try await hub.client.messages().map(\.position) == [1])
            let report = try await Self.deliver([send(2), send(3)], knowing: third, to: hub.client)
            #expect(try report.decoded(WireReport.self).positions == [third.floor + 1, third.floor + 2])
            let page = try await hub.client.get(WireProtocol.messagesPath("general")).decoded(WirePage.self)
            #expect(page.range == 1..<third.floor + 3)
            #expect(hub.log.contains("data lost"))
            // Versions of records, too.
            let (channel, _) = try await hub.hub.administration.addChannel(try #require(ChannelID("later")))
            #expect(channel.version == third.floor + 1)
            #expect(try await hub.hub.administration.channel(channel.id) == channel)
            try await hub.hub.administration.removeChannel(channel.id)
        }
    }

    /// The storage fails, and is back as an older copy while the hub runs.
    @Test func aStorageThatIsBackWithoutConfirmedDataBeginsAnotherHistory() async throws {
        let temporary = try TemporaryFolder()
        let folder = try await Self.made(in: temporary)
        let backup = folder.path + "/backup"
        let first = try await HubFixture.running(folder) { hub in
            try Self.history(try await Self.deliver([send(1)], knowing: nil, to: hub.client))
        }
        try Self.copy(folder, to: backup)
        let faults = StorageFaults()
        try await HubFixture.running(folder, storageFaults: faults) { hub in
            let opened = try Self.history(try await Self.session(knowing: first, of: hub.client))
            let known = try Self.history(try await Self.deliver([send(2)], knowing: opened, to: hub.client))
            faults.inject(.reopen, times: 1000)
            faults.inject(.write)
            #expect(try await Self.deliver([send(3)], knowing: known, to: hub.client).status == 503)
            try await Eventually.holds("the failed file was closed") { hub.log.contains("storage not recovered") }
            try Self.putBack(backup, to: folder)
            faults.clear()
            try await Eventually.holds("the hub is well again") {
                try await hub.client.get("/healthz").status == 200
            }
            let refused = try await Self.deliver([send(3)], knowing: known, to: hub.client)
            #expect(refused.errorCode == "historyChanged")
            let present = try Self.history(refused)
            #expect(present.history != known.history && present.floor > 1 << 32)
            let session = try await Self.session(knowing: known, of: hub.client)
            #expect(try session.decoded(WireSession.self).marks == ["text": 1])
            #expect(hub.log.contains("data lost"))
        }
    }

    @Test func nobodyElseCanClaimThatDataWasLost() async throws {
        try await HubFixture.running { hub in
            let known = try Self.history(try await Self.deliver([send(1)], knowing: nil, to: hub.client))
            var forged = known
            forged.commit += 1
            var other = known
            other.opening = String(repeating: "0", count: 32)
            for claim in [forged.text, other.text, "nonsense", ""] {
                let answer = try await hub.client.send(
                    .GET, WireProtocol.sessionPath, headers: [WireProtocol.historyHeader: claim])
                #expect(answer.status == 200)
                #expect(try Self.history(answer) == known)
            }
            #expect(try await Self.deliver([send(2)], knowing: forged, to: hub.client).status == 200)
            let nonsense = try await hub.client.send(
                .POST, WireProtocol.deliveriesPath, HubClient.coded(delivery([send(3)])),
                headers: [WireProtocol.historyHeader: "nonsense"])
            #expect(nonsense.errorCode == "historyChanged")
        }
    }

    @Test func aHubThatWasMadeAnewIsAnotherOne() async throws {
        let first = try await HubFixture.running { hub in
            try Self.history(try await Self.deliver([send(1)], knowing: nil, to: hub.client))
        }
        try await HubFixture.running { hub in
            let refused = try await Self.deliver([send(2)], knowing: first, to: hub.client)
            #expect(refused.errorCode == "historyChanged")
            let own = try Self.history(refused)
            #expect(own.hub != first.hub)
            #expect(own.floor == 0)
        }
    }

    @Test func aRestoreBeginsAnotherHistoryAtOnce() async throws {
        let temporary = try TemporaryFolder()
        let folder = try await Self.made(in: temporary)
        let backup = folder.path + "/backup"
        let first = try await HubFixture.running(folder) { hub in
            let known = try Self.history(try await Self.deliver([send(1)], knowing: nil, to: hub.client))
            // Copied while the hub runs: the log is part of the copy.
            try Self.copy(folder, to: backup)
            return known
        }
        try await HubFixture.running(folder) { hub in
            _ = try await Self.deliver([send(2), send(3)], knowing: first, to: hub.client)
            #expect(throws: HubError.self) { try HubRestore(folder: folder, from: backup).run(SQLiteHubRestore.run) }
        }
        let report = try HubRestore(folder: folder, from: backup).run(SQLiteHubRestore.run)
        #expect(report.restored.messages == 1)
        #expect(report.restored.accounts == 1)
        #expect(FileManager.default.fileExists(atPath: try #require(report.restored.replaced)))
        try await HubFixture.running(folder) { hub in
            let now = try Self.history(try await Self.session(knowing: first, of: hub.client))
            #expect(now.hub == first.hub)
            #expect(now.history != first.history)
            #expect(try await hub.client.messages().map(\.id) == [id(1)])
        }
        // Once more: positions assigned by the replaced database are not assigned again.
        let again = try HubRestore(folder: folder, from: backup).run(SQLiteHubRestore.run)
        #expect(again.restored.messages == 1)
        try await HubFixture.running(folder) { hub in
            let now = try Self.history(try await hub.client.get(WireProtocol.sessionPath))
            #expect(now.floor > 3 << 32)
        }
    }

    /// A repair of the replaced database needs its log.
    @Test func anUnreadableDatabaseIsReplacedAndKeptWithItsLog() async throws {
        let temporary = try TemporaryFolder()
        let folder = try await Self.made(in: temporary)
        let backup = folder.path + "/backup"
        try await HubFixture.running(folder) { hub in _ = try await hub.client.report(delivery([send(1)])) }
        try Self.copy(folder, to: backup)
        let (damaged, log) = (Data(repeating: 7, count: 8192), Data("a log".utf8))
        try damaged.write(to: URL(fileURLWithPath: folder.database))
        try log.write(to: URL(fileURLWithPath: folder.database + "-wal"))
        let report = try HubRestore(folder: folder, from: backup).run(SQLiteHubRestore.run)
        #expect(!report.restored.knowsReplaced)
        let replaced = try #require(report.restored.replaced)
        #expect(try Data(contentsOf: URL(fileURLWithPath: replaced)) == damaged)
        #expect(try Data(contentsOf: URL(fileURLWithPath: replaced + "-wal")) == log)
        try await HubFixture.running(folder) { hub async throws in
            #expect(try await hub.client.messages().map(\.id) == [id(1)])
        }
    }

    @Test func whatIsNoBackupIsRefusedAndChangesNothing() async throws {
        let temporary = try TemporaryFolder()
        let folder = try await Self.made(in: temporary)
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let path = folder.path + "/no-backup"
        #expect(throws: HubError.self) { try HubRestore(folder: folder, from: path).run(SQLiteHubRestore.run) }
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: path))
        #expect(throws: HubError.self) { try HubRestore(folder: folder, from: path).run(SQLiteHubRestore.run) }
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(throws: HubError.self) { try HubRestore(folder: folder, from: path).run(SQLiteHubRestore.run) }
        #expect(throws: HubError.self) { try HubRestore(folder: folder, from: folder.path).run(SQLiteHubRestore.run) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!left.contains { $0.contains("restoring") })
    }
}
