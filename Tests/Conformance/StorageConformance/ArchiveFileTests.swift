import CausewayBlobs
import CausewayFileStorage
import CausewayMaintenance
import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import Testing

/// The files of messages that are not delivered, in exports and imports.
struct ArchiveFileTests {
    private static let formats: [any StoreFormat] = [SQLiteFormat(), FileFormat()]

    private let folders: TemporaryFolder
    private let account: Account
    /// A file of three lines.
    private let bytes = [UInt8](repeating: 7, count: 100_000)
    private let sha256: String

    init() throws {
        folders = try TemporaryFolder(.memory)
        account = Account(server: "https://hub.example", user: try #require(UserID("ann")))
        var digest = BlobDigest()
        digest.update(bytes)
        sha256 = digest.sha256
    }

    private func message(_ number: Int64) throws -> EntryLine {
        let attachment = CausewayModels.Attachment(
            name: "a", contentType: "application/octet-stream", size: Int64(bytes.count), sha256: sha256)
        let content = MessageContent.file(attachment, caption: nil)
        return .entry(
            .item(
                .message(
                    Message(
                        id: MessageID(UUIDv7(high: 0x7000, low: 1 << 63 | UInt64(number))),
                        channel: try #require(ChannelID("general")), sender: account.user,
                        displayed: MessageBody(content: content), createdAt: Timestamp(milliseconds: 1),
                        ordinal: number, lane: .media, laneSequence: number,
                        upload: AttachmentUpload(total: Int64(bytes.count))))))
    }

    private func beginning() -> [EntryLine] {
        let outbox = OutboxID(UUIDv7(high: 7, low: 7))
        return [
            .entry(.header(StoreHeader(epoch: 1, nextSequence: 9, sharedBelow: 0, session: nil, current: account))),
            .entry(.account(AccountEntry(account: account, outboxID: outbox))),
        ]
    }

    private func file() -> [EntryLine] {
        stride(from: 0, to: bytes.count, by: 40_000).map { start in
            let part = bytes[start..<min(start + 40_000, bytes.count)]
            return .file(
                .init(sha256: sha256, offset: Int64(start), size: Int64(bytes.count), bytes: Data(part)))
        }
    }

    /// Imports lines, to which the end is added, into a new folder.
    private func makeStore(_ kind: String, _ lines: [EntryLine]) async throws -> String {
        let folder = folders.fresh()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let tools = try StoreFolderTools(folder, Self.formats)
        defer { tools.close() }
        let new = try StoreImport(tools, kind: kind) { _, _, _ in }
        do throws(StoreImport.Problem) {
            for line in lines + [.end(lines: lines.count)] {
                let bytes: Data
                do throws(StoreError) { bytes = try line.encoded() } catch {
                    throw StoreImport.Problem.store(error)
                }
                try await new.add(part: Array(bytes) + [UInt8(ascii: "\n")])
            }
            _ = try await new.finish()
        } catch {
            new.cancel()
            throw error
        }
        return folder
    }

    private func export(_ folder: String) throws -> [EntryLine] {
        let tools = try StoreFolderTools(folder, Self.formats)
        defer { tools.close() }
        var found: [UInt8] = []
        let export = StoreExport(tools) { _, _, _ in }
        _ = try export.run(
            failure: { $0 },
            { part throws(StoreError) in found += part })
        return try found.split(separator: UInt8(ascii: "\n")).map { try EntryLine(Array($0)) }
    }

    @Test(arguments: ["sqlite", "file"])
    func aFileBelongsToEachOfItsMessages(_ kind: String) async throws {
        let folder = try await makeStore(kind, beginning() + [message(1), message(2)] + file())
        let tools = try StoreFolderTools(folder, Self.formats)
        let report = try StoreCheck(tools) { _, _, _ in }.run()
        tools.close()
        #expect(report.problems == [])
        #expect(report.blobs == 1)
        let parts = try export(folder).compactMap { line -> Data? in
            if case .file(let part) = line { part.bytes } else { nil }
        }
        #expect(Array(parts.joined()) == bytes)
    }

    /// Nothing would keep it for the later message.
    @Test(arguments: ["sqlite", "file"])
    func aFileBeforeOneOfItsMessagesIsRefused(_ kind: String) async throws {
        let lines = try beginning() + [message(1)] + file() + [message(2)]
        await #expect(throws: StoreImport.Problem.self) { _ = try await makeStore(kind, lines) }
    }

    @Test(arguments: ["sqlite", "file"])
    func aDamagedFileIsNotExported(_ kind: String) async throws {
        let folder = try await makeStore(kind, beginning() + [message(1)] + file())
        let path = "\(folder)/blobs/\(sha256)"
        var damaged = bytes
        damaged[70_000] ^= 1
        try Data(damaged).write(to: URL(fileURLWithPath: path))
        do {
            _ = try export(folder)
            Issue.record("it was exported")
        } catch let error as StoreError {
            guard case .damaged(path, _) = error else { throw error }
        }
    }
}
