import CausewayHub
import CausewayHubSQLite
import CausewayHubStorage
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Foundation
import NIOHTTP1
import Testing

/// Backups contain the files, and a restore puts them back.
@Suite struct BackupTests {
    @Test func filesAreBackedUpWithTheDatabase() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path + "/data")
        let backup = DataFolder(temporary.path + "/backup")
        try await HubFixture.prepare(folder)
        let file = SampleFile.png
        let later = SampleFile(count: 100)
        try await HubFixture.running(folder) { hub in
            try await hub.client.upload(file)
            _ = try await hub.client.report(delivery([send(1, content: file.image())], lane: .media))
            // While the hub serves, and its newest commits are in the write-ahead log.
            let report = try HubBackup(folder: folder, to: backup.path).run(SQLiteHubBackup.run)
            #expect(report.blobs == 1)
            #expect(report.copied == CopiedStorage(messages: 1, accounts: 1))
            #expect(throws: HubError.alreadySetUp(path: backup.database)) {
                try HubBackup(folder: folder, to: backup.path).run(SQLiteHubBackup.run)
            }
            try await hub.client.upload(later)
            _ = try await hub.client.report(
                delivery([delete(2, after: 1, 1), send(3, content: later.image())], lane: .media))
        }
        // The disk is lost.
        try FileManager.default.removeItem(atPath: folder.blobs)
        let restored = try HubRestore(folder: folder, from: backup.path).run(SQLiteHubRestore.run)
        #expect(restored.blobs == 1)
        #expect(restored.restored.messages == 1)
        try await HubFixture.running(folder) { hub in
            #expect(try await hub.client.download(file, through: 1).body == file.bytes)
            // The file of a lost message is uploaded again.
            #expect(try await !hub.client.has(later))
            try await hub.client.upload(later)
        }
        #expect(try HubRestore(folder: folder, from: backup.path).run(SQLiteHubRestore.run).blobs == 0)
    }

    /// A row whose bytes are gone is like no file, until they are uploaded again.
    @Test func aFileThatIsMissingIsUploadedAgain() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile.png
            try await hub.client.upload(file)
            _ = try await hub.client.report(delivery([send(1, content: file.image())], lane: .media))
            try FileManager.default.removeItem(atPath: "\(hub.folder.blobs)/\(file.name.prefix(2))/\(file.name)")
            #expect(try await hub.client.download(file, through: 1).errorCode == "blobNotFound")
            #expect(try await !hub.client.has(file))
            #expect(hub.log.contains("file missing"))
            try await hub.client.upload(file)
            #expect(try await hub.client.download(file, through: 1).body == file.bytes)
        }
    }

    /// The memory of the hub does not depend on the size of a file.
    @Test(.timeLimit(.minutes(10))) func memoryIsFlat() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let process = try await HubProcess.start(folder)
        let client = HubClient(port: process.port, token: try HubFixture.token(in: folder))
        let block = SampleFile(count: 1 << 20).bytes
        let file = SampleFile((0..<200).flatMap { _ in block })
        try await client.upload(SampleFile(count: 1_000_000))
        let before = try Self.peakKibibytes(of: process.pid)
        try await client.upload(file)
        #expect(try await client.download(file, headers: ["Range": "bytes=0-104857599"]).body.count == 104_857_600)
        let after = try Self.peakKibibytes(of: process.pid)
        #expect(after - before <= 16 * 1024, "\(before) KiB, then \(after) KiB")
        await process.end(SIGTERM)
    }

    private static func peakKibibytes(of pid: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }
}
