import CausewayBlobs
import CausewayFileStorage
import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewaySystem
import CausewayTestSupport
import Foundation
import Testing

/// The removal of a whole store, of either kind.
struct ErasureTests {
    enum Kind: CaseIterable { case sqlite, file }

    private let temporary: TemporaryFolder
    private let path: String

    init() throws {
        temporary = try TemporaryFolder(.memory)
        path = temporary.fresh()
    }

    private func open(_ kind: Kind, at path: String) async throws -> any Store {
        switch kind {
        case .sqlite: try await SQLiteStore.open(at: path, durability: .normal)
        case .file: try await FileStore.open(at: path, durability: .normal)
        }
    }

    private func erase(_ kind: Kind, at path: String) async throws {
        switch kind {
        case .sqlite: try await SQLiteStore.erase(storeAt: path)
        case .file: try await FileStore.erase(storeAt: path)
        }
    }

    private func names(_ path: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: path))
    }

    /// Makes a store with a message, a file of a message, a downloaded file, and remains of a tool.
    private func makeStore(_ kind: Kind, at path: String) async throws {
        let store = try await open(kind, at: path)
        _ = try await store.start(Sample.opening())
        _ = try await store.enqueue(Sample.draft(1))
        let source = try temporary.write("bytes", to: UUID().uuidString)
        let account = Account(server: "https://chat.example", user: try #require(UserID("ada")))
        _ = try await #require(store.blobs).add(
            fileAt: source, for: BlobReference(account: account, message: Sample.id(1)), bytesMax: 100)
        let bytes = [UInt8]("received".utf8)
        // SHA-256 of the bytes.
        let hash = "318c5ad51e9b36ff5924ae323dd59031245413a3e0f2aa3e03cc42902e9e7acc"
        let part = try await #require(store.received).begin(
            Attachment(name: "a", contentType: "text/plain", size: Int64(bytes.count), sha256: hash), bytesMax: 100)
        try await part.append(bytes)
        _ = try await part.finish()
        await part.end()
        await store.close()
        for folder in ["former-other", "migration/blobs"] {
            try FileManager.default.createDirectory(atPath: path + "/" + folder, withIntermediateDirectories: true)
            try Data("old".utf8).write(to: URL(fileURLWithPath: path + "/" + folder + "/old"))
        }
        try Data("secret".utf8).write(to: URL(fileURLWithPath: path + "/token-1"))
    }

    /// The messages of the store in the folder, which may be new.
    private func messages(_ kind: Kind, at path: String) async throws -> [Message] {
        let store = try await open(kind, at: path)
        _ = try await store.start(Sample.opening())
        let messages = try await store.messages([Sample.id(1)])
        let usage = try await #require(store.blobs).usage()
        #expect(usage.blobs == messages.count)
        await store.close()
        return messages
    }

    @Test(arguments: Kind.allCases) func nothingOfTheStoreIsLeft(_ kind: Kind) async throws {
        try await makeStore(kind, at: path)
        #expect(try await messages(kind, at: path).count == 1)
        try await erase(kind, at: path)
        #expect(try names(path) == ["lock", "token-1"])
        try await erase(kind, at: path)
        #expect(try await messages(kind, at: path).isEmpty)
    }

    @Test(arguments: Kind.allCases) func aFolderWithoutAStoreIsLeftAlone(_ kind: Kind) async throws {
        try await erase(kind, at: path)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: Kind.allCases) func aStoreInUseIsRefused(_ kind: Kind) async throws {
        let store = try await open(kind, at: path)
        let before = try names(path)
        await #expect(throws: StoreError.locked(by: getpid(), path: path)) { try await erase(kind, at: path) }
        #expect(try names(path) == before)
        await store.close()
        try await erase(kind, at: path)
        #expect(try names(path) == ["lock"])
    }

    /// Ends after every number of steps, as a process that is killed does: the whole store is there, or none.
    @Test(arguments: Kind.allCases) func anInterruptedErasureLeavesTheStoreOrNone(_ kind: Kind) async throws {
        let template = temporary.fresh()
        try await makeStore(kind, at: template)
        var steps = 0
        var results: [Int] = []
        while true {
            let path = temporary.fresh()
            try FileManager.default.copyItem(atPath: template, toPath: path)
            var left = steps
            do throws(StoreError) {
                try StoreErasure.run(in: path) {
                    left -= 1
                    return left < 0 ? SystemError.broken : nil
                }
                break
            } catch {}
            results.append(try await messages(kind, at: path).count)
            #expect(!FileManager.default.fileExists(atPath: path + "/" + StoreErasure.mark))
            steps += 1
        }
        // Before the mark, and from the mark on, which includes the step at which it may or may not be on the disk.
        #expect(results.first == 1 && results.dropFirst().allSatisfy { $0 == 0 })
        #expect(results.count > 8)
    }
}
