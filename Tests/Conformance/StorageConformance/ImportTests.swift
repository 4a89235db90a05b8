import CausewayBlobs
import CausewayFileStorage
import CausewayMaintenance
import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import Testing

/// Imports into folders that are not empty, and imports that fail at their end.
struct ImportTests {
    private static let formats: [any StoreFormat] = [SQLiteFormat(), FileFormat()]
    private let folders: TemporaryFolder

    init() throws { folders = try TemporaryFolder(.memory) }

    /// A store with nothing in it but an account's outbox.
    private static let content: [StoreEntry] = [
        .header(StoreHeader(epoch: 1, nextSequence: 5, sharedBelow: 0, session: nil, current: nil)),
        .account(AccountEntry(account: nil, outboxID: OutboxID(UUIDv7(high: 7, low: 7)))),
    ]

    private func lines() throws -> [UInt8] {
        var bytes: [UInt8] = []
        for line in Self.content.map(EntryLine.entry) + [EntryLine.end(lines: Self.content.count)] {
            bytes += try line.encoded()
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    private func makeFolder() throws -> String {
        let folder = folders.fresh()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    private func put(_ name: String, in folder: String) throws {
        let file = URL(fileURLWithPath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("x".utf8).write(to: file)
    }

    private func entries(_ format: any StoreFormat, _ folder: String) throws -> [StoreEntry] {
        let reader = try format.reader(of: folder)
        defer { reader.close() }
        var found: [StoreEntry] = []
        try reader.readAll { entry throws(StoreError) in found.append(entry) }
        return found
    }

    /// A store that is gone may leave its log, its note, and the files of its messages behind.
    @Test(
        arguments: ["sqlite", "file"],
        ["store.sqlite-wal", "log-end", "journal.end", "blobs/" + String(repeating: "a", count: 64)])
    func remainsOfAStoreAreRefused(_ kind: String, _ name: String) throws {
        let folder = try makeFolder()
        try put(name, in: folder)
        let tools = try StoreFolderTools(folder, Self.formats)
        do throws(StoreError) {
            _ = try StoreImport(tools, kind: kind) { _, _, _ in }
            Issue.record("it began")
        } catch {
            guard case .notAccessible(_, let detail) = error else { throw error }
            #expect(detail.contains(name))
        }
        tools.close()
        #expect(!FileManager.default.fileExists(atPath: folder + "/migration"))
        #expect(FileManager.default.fileExists(atPath: "\(folder)/\(name)"))
    }

    /// The store is whole and verified then: a migration to its kind puts it in its place.
    @Test func anImportThatFailsInItsLastStepIsKept() async throws {
        let folder = try makeFolder()
        let tools = try StoreFolderTools(folder, Self.formats)
        let new = try StoreImport(tools, kind: "sqlite") { _, _, _ in }
        try await new.add(part: try lines())
        // The place of the database is taken.
        try put("store.sqlite/x", in: folder)
        do throws(StoreImport.Problem) {
            _ = try await new.finish()
            Issue.record("it took its place")
        } catch {
            guard case .store = error else { throw error }
        }
        new.cancel()
        #expect(UnfinishedWork.migration(in: folder) == "sqlite")
        try FileManager.default.removeItem(atPath: folder + "/store.sqlite")
        _ = try StoreMigration(tools) { _, _, _ in }.run(to: "sqlite", discardsFormer: false)
        tools.close()
        try UnfinishedWork.require(none: folder)
        #expect(try entries(SQLiteFormat(), folder) == Self.content)
    }
}
