import CausewayFileStorage
import CausewayMaintenance
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import Testing

/// Folders that a store must not open, and that a check must not change.
struct StoreFolderTests {
    private let folders: TemporaryFolder
    private let files = FileManager.default

    init() throws { folders = try TemporaryFolder(.memory) }

    private func names(_ folder: String) throws -> [String] {
        try files.contentsOfDirectory(atPath: folder).filter { $0 != "lock" }.sorted()
    }

    /// Each file by which a folder is known as that of a file store, or of SQLite.
    @Test(arguments: ["journal-0000000000000001", "journal-0000000000000002", "snapshot", "store.sqlite"])
    func theStoreOfTheOtherKindIsRefused(_ name: String) async throws {
        let folder = folders.fresh()
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        let isFile = name != "store.sqlite"
        #expect(FileStore.exists(at: folder) == isFile)
        do throws(StoreError) {
            if isFile {
                try await SQLiteStore.open(at: folder, durability: .full).close()
            } else {
                try await FileStore.open(at: folder, durability: .full).close()
            }
            Issue.record("it was opened")
        } catch {
            guard case .notAccessible(folder, let detail) = error else { throw error }
            #expect(detail.contains("a store of the other kind"))
        }
        #expect(try names(folder) == [name])
    }

    /// An import would put other files in their place.
    @Test(arguments: ["sqlite", "file"]) func filesThatCannotBeLookedAtAreNotMissing(_ kind: String) throws {
        let formats: [any StoreFormat] = [SQLiteFormat(), FileFormat()]
        let format = try #require(formats.first { $0.name == kind })
        let folder = folders.fresh()
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let names = try format.fileNames(in: folder)
        #expect(names == [])
        // The longest path has 4095 bytes: no name in the folder fits behind it, nor, for the other kind, does its own.
        let length = kind == "file" ? 4100 : 4090
        let path = folder + String(repeating: "/.", count: (length - folder.utf8.count) / 2)
        #expect(throws: StoreError.self) { _ = try format.fileNames(in: path) }
    }

    /// A folder in which a migration may have been decided is not opened, also if its mark cannot be read.
    @Test(arguments: ["sqlite", "file"]) func aMarkThatCannotBeReadIsThere(_ kind: String) async throws {
        let folder = folders.fresh()
        try files.createDirectory(atPath: folder + "/migration", withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: folder + "/migration/complete", withDestinationPath: "nowhere")
        do throws(StoreError) {
            if kind == "file" {
                try await FileStore.open(at: folder, durability: .normal).close()
            } else {
                try await SQLiteStore.open(at: folder, durability: .normal).close()
            }
            Issue.record("it was opened")
        } catch {
            guard case .notAccessible(folder, let detail) = error else { throw error }
            #expect(detail.contains("may have been interrupted"))
        }
        #expect(try names(folder) == ["migration"])
    }

    /// The next opening completes it; a check changes nothing.
    @Test(arguments: ["sqlite", "file"]) func aCheckCompletesNoErasure(_ kind: String) async throws {
        let folder = folders.fresh()
        let open = { () async throws(StoreError) -> any Store in
            kind == "file"
                ? try await FileStore.open(at: folder, durability: .normal)
                : try await SQLiteStore.open(at: folder, durability: .normal)
        }
        try await open().close()
        try Data().write(to: URL(fileURLWithPath: folder + "/erasing"))
        let before = try names(folder)
        let tools = try StoreFolderTools(folder, [SQLiteFormat(), FileFormat()])
        do throws(StoreError) {
            _ = try StoreCheck(tools) { _, _, _ in }.run()
            Issue.record("it was checked")
        } catch {
            guard case .notAccessible(folder, let detail) = error else { throw error }
            #expect(detail.contains("erasure"))
        }
        tools.close()
        #expect(try names(folder) == before)
        try await open().close()
        #expect(try !names(folder).contains("erasing"))
    }
}
