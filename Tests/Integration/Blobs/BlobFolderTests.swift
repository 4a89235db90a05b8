import CausewayBlobs
import CausewayModels
import CausewayStorage
import CausewayStorageConformance
import CausewaySystem
import CausewayTLS
import CausewayTestSupport
import Foundation
import Synchronization
import Testing

/// A folder of blobs on a real disk, and files to add to it.
struct BlobFixture: Sendable {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.path + "/store/blobs" }

    func open(_ options: BlobOptions = BlobOptions()) throws -> BlobFolder {
        try? FileSystem.makeFolder(folder.path + "/store")
        return try BlobFolder(at: path, options: options)
    }

    func reference(_ number: UInt64) throws -> BlobReference {
        let account = Account(server: "https://hub.example", user: try #require(UserID("ann")))
        return BlobReference(
            account: account, message: MessageID(UUIDv7(high: 0x0190_0000_0000_7000, low: 1 << 63 | number)))
    }

    /// The names in the folder; empty if there is none.
    func names() throws -> [String] {
        FileSystem.exists(path) ? try FileManager.default.contentsOfDirectory(atPath: path).sorted() : []
    }

    static func hash(_ bytes: [UInt8]) -> String {
        Digest.sha256(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

@Suite struct BlobFolderTests {
    private let fixture: BlobFixture

    init() throws { fixture = try BlobFixture() }

    @Test(arguments: BlobStoreConformance.rules)
    func keeps(_ rule: BlobStoreConformance.Rule) async throws {
        let fixture = fixture
        try await rule.run(
            BlobStoreConformance.Factory(
                make: { bounds in try BlobFolder(at: fixture.folder.fresh(), options: BlobOptions(bounds: bounds)) },
                reopen: { store in
                    let folder = try #require(store as? BlobFolder)
                    await folder.close()
                    return try BlobFolder(at: folder.path)
                },
                write: { bytes, name in
                    let folder = fixture.folder.fresh()
                    try FileSystem.makeFolder(folder)
                    try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
                    return folder + "/" + name
                }, remove: { path in try FileSystem.remove(path) }))
    }

    @Test func theNamesAreTheState() async throws {
        let blobs = try fixture.open()
        #expect(try fixture.names() == [])
        let bytes = Array("hello".utf8)
        let found = try await blobs.add(
            fileAt: fixture.folder.write(bytes, to: "a.txt"), for: fixture.reference(1), bytesMax: .max)
        #expect(
            found == Attachment(name: "a.txt", contentType: "text/plain", size: 5, sha256: BlobFixture.hash(bytes)))
        let account = BlobFixture.hash(Array("https://hub.example\nann".utf8)).prefix(16)
        let message = try fixture.reference(1).message
        #expect(try fixture.names() == [found.sha256, "\(found.sha256).\(message).\(account)"])
        #expect(try TemporaryFolder.mode(of: fixture.path) == 0o700)
        #expect(try TemporaryFolder.mode(of: fixture.path + "/" + found.sha256) == 0o600)
        #expect(try await blobs.open(found.sha256).path == fixture.path + "/" + found.sha256)
        try await blobs.release([fixture.reference(1)])
        #expect(try fixture.names() == [])
    }

    @Test func aPictureIsDescribed() async throws {
        let gif = Array("GIF89a".utf8) + [37, 0, 21, 0, 0, 0, 0]
        let found = try await fixture.open().add(
            fileAt: fixture.folder.write(gif, to: "a.mp4"), for: fixture.reference(1), bytesMax: .max)
        #expect(found.contentType == "image/gif" && found.width == 37 && found.height == 21)
        #expect(found.name == "a.mp4")
    }

    /// Remains of crashes at each step, and files of others.
    @Test func remainsAreRemovedAtTheNextOpening() async throws {
        let first = try fixture.open()
        let kept = try await first.add(
            fileAt: fixture.folder.write("kept", to: "a"), for: fixture.reference(1), bytesMax: .max)
        await first.close()
        let names = try fixture.names()
        let unheld = String(repeating: "1", count: 64)
        let missing = String(repeating: "2", count: 64) + names[1].dropFirst(64)
        for name in [unheld, missing, "new-7", "readme.txt", String(repeating: "A", count: 64)] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: fixture.path + "/" + name))
        }
        let second = try fixture.open()
        #expect(try fixture.names() == (names + ["readme.txt", String(repeating: "A", count: 64)]).sorted())
        #expect(try await second.usage() == BlobUsage(blobs: 1, bytes: 4))
        #expect(try await second.open(kept.sha256).read(at: 0, count: 9) == Array("kept".utf8))
        #expect(second.violations.isEmpty)
    }

    /// The disk fails to describe it: the folder is not opened, and nothing in it is removed.
    @Test func aBlobWhoseSizeCannotBeReadIsNotMissing() async throws {
        let first = try fixture.open()
        let kept = try await first.add(
            fileAt: fixture.folder.write("kept", to: "a"), for: fixture.reference(1), bytesMax: .max)
        await first.close()
        let names = try fixture.names()
        // The longest path has 4095 bytes: that of the folder fits, those of its files do not.
        let path = fixture.path + String(repeating: "/.", count: (4090 - fixture.path.utf8.count) / 2)
        #expect(throws: BlobError.self) { _ = try BlobFolder(at: path) }
        #expect(try fixture.names() == names)
        let second = try fixture.open()
        #expect(try await second.open(kept.sha256).read(at: 0, count: 9) == Array("kept".utf8))
    }

    @Test func aDamagedBlobIsReportedAndHealed() async throws {
        let blobs = try fixture.open()
        let source = try fixture.folder.write("whole", to: "a")
        let found = try await blobs.add(fileAt: source, for: fixture.reference(1), bytesMax: .max)
        let file = fixture.path + "/" + found.sha256
        try OpenFile(file, for: .writing).truncate(to: 2)
        await #expect(throws: BlobError.damaged(path: file, detail: "it has 2 bytes instead of 5")) {
            _ = try await blobs.open(found.sha256)
        }
        _ = try await blobs.add(fileAt: source, for: fixture.reference(2), bytesMax: .max)
        #expect(try await blobs.open(found.sha256).read(at: 0, count: 9) == Array("whole".utf8))
        let open = try await blobs.open(found.sha256)
        try OpenFile(file, for: .writing).truncate(to: 2)
        await #expect(throws: BlobError.damaged(path: file, detail: "it ends before its size")) {
            _ = try await open.read(at: 0, count: 5)
        }
        try FileSystem.remove(file)
        await #expect(throws: BlobError.self) { _ = try await blobs.open(found.sha256) }
    }

    /// The message of a damaged file fails for good.
    @Test func aWantOfResourcesIsNoDamage() {
        // Too many open files in the process, and in the system; too little memory.
        for code: Int32 in [24, 23, 12] {
            let error = BlobError(reading: "a", SystemError(code: code))
            guard case .notAccessible("a", _) = error else {
                Issue.record("\(code): \(error)")
                continue
            }
        }
        // No such file; a disk that fails.
        for code: Int32 in [2, 5] {
            let error = BlobError(reading: "a", SystemError(code: code))
            guard case .damaged("a", _) = error else {
                Issue.record("\(code): \(error)")
                continue
            }
        }
    }

    /// One part at a time: a file of many parts costs the memory of one.
    @Test func aLargeFileIsCopiedInParts() async throws {
        let count = 40 << 20
        let path = fixture.folder.fresh()
        let file = try OpenFile(path, for: .writing, .create)
        var random = SplitMix64(seed: 1)
        let block = (0..<(1 << 16)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        for _ in 0..<(count / block.count) { try file.write(block) }
        let blobs = try fixture.open()
        let found = try await blobs.add(fileAt: path, for: fixture.reference(1), bytesMax: .max)
        #expect(found.size == Int64(count))
        var hash = SHA256Stream()
        for _ in 0..<(count / block.count) { hash.update(block) }
        #expect(found.sha256 == hash.digest().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }
}
