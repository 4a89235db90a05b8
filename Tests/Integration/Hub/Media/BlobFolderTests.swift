import CausewayHubBlobs
import CausewayHubRules
import CausewayTestSupport
import Foundation
import NIOCore
import Testing

/// The folder of a hub's files, on a real disk.
@Suite struct BlobFolderTests {
    private let temporary: TemporaryFolder
    private var path: String { temporary.path + "/blobs" }

    init() throws { temporary = try TemporaryFolder() }

    private static func id(_ number: UInt8) throws -> UploadID {
        try #require(UploadID(bytes: [UInt8](repeating: number, count: UploadID.bytesCount)))
    }

    private static func name(of file: SampleFile) throws -> BlobName { try #require(BlobName(bytes: file.sha256)) }

    /// Creates a part with the bytes of a file, the first of which are synced.
    private static func part(
        _ number: UInt8, _ file: SampleFile, synced: Int = 0, in blobs: HubBlobFolder
    ) async throws -> any BlobPart {
        try await blobs.createPart(try id(number))
        let part = try #require(try await blobs.openPart(try id(number)))
        try await part.append(Array(file.bytes[..<synced]))
        _ = try await part.sync()
        try await part.append(Array(file.bytes[synced...]))
        return part
    }

    /// Uploads a file through a part, which stays.
    private static func finish(_ number: UInt8, _ file: SampleFile, in blobs: HubBlobFolder) async throws {
        let part = try await Self.part(number, file, in: blobs)
        try await part.finish(as: try name(of: file), size: Int64(file.bytes.count))
    }

    /// The bytes of a blob; `nil` if there is none.
    private static func bytes(of file: SampleFile, in blobs: HubBlobFolder) async throws -> [UInt8]? {
        guard let reader = try await blobs.open(try name(of: file)) else { return nil }
        return Array(try await reader.read(at: 0, count: Int(reader.size) + 1).readableBytesView)
    }

    private func blobPath(_ file: SampleFile) -> String { "\(path)/\(file.name.prefix(2))/\(file.name)" }

    /// The number by which the disk knows the file behind a path.
    private static func fileNumber(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    }

    // MARK: - Parts

    /// The file of a part is that of the blob: a write to it would change the blob.
    @Test(arguments: [false, true]) func aFinishedPartStaysAndIsNotWrittenTo(isRestarted: Bool) async throws {
        let file = SampleFile(count: 1000)
        let id = try Self.id(1)
        let blobs = try HubBlobFolder(path: path)
        let part = try await Self.part(1, file, synced: 400, in: blobs)
        try await part.finish(as: try Self.name(of: file), size: 1000)
        // As after a crash before its row.
        let later = try isRestarted ? HubBlobFolder(path: path) : blobs
        #expect(try await later.parts() == [id])
        let opened = try #require(try await later.openPart(id))
        #expect(opened.length == 1000)
        await #expect(throws: BlobStorageError.self) { try await opened.append([1]) }
        await opened.close()
        #expect(try await Self.bytes(of: file, in: later) == file.bytes)
        let number = try Self.fileNumber(blobPath(file))
        let again = try #require(try await later.openPart(id))
        try await again.finish(as: try Self.name(of: file), size: 1000)
        #expect(try Self.fileNumber(blobPath(file)) == number)
        try await later.removePart(id)
        #expect(try await later.parts() == [])
        #expect(try await Self.bytes(of: file, in: later) == file.bytes)
    }

    /// Bytes that were not synced may be anything after a power failure.
    @Test func bytesBeyondTheDurableLengthAreCut() async throws {
        let file = SampleFile(count: 1000)
        _ = try await Self.part(1, file, synced: 400, in: try HubBlobFolder(path: path))
        let blobs = try HubBlobFolder(path: path)
        let part = try #require(try await blobs.openPart(try Self.id(1)))
        #expect(part.length == 400)
        let status = try FileManager.default.attributesOfItem(atPath: "\(path)/parts/\(Self.id(1)).400")
        #expect(status[.size] as? Int == 400)
        try await part.append(Array(file.bytes[400...]))
        try await part.finish(as: try Self.name(of: file), size: 1000)
        #expect(try await Self.bytes(of: file, in: blobs) == file.bytes)
    }

    @Test func aPartThatLostBytesIsNone() async throws {
        let blobs = try HubBlobFolder(path: path)
        let id = try Self.id(1)
        let part = try await Self.part(1, SampleFile(count: 1000), synced: 1000, in: blobs)
        await part.close()
        try FileHandle(forWritingTo: URL(fileURLWithPath: "\(path)/parts/\(id).1000")).truncate(atOffset: 999)
        let isNone = try await blobs.openPart(id) == nil
        #expect(isNone)
    }

    @Test func otherBytesThanAnnouncedAreNoBlob() async throws {
        let file = SampleFile(count: 1000)
        let blobs = try HubBlobFolder(path: path)
        let part = try await Self.part(1, SampleFile(count: 1000, seed: 2), synced: 10, in: blobs)
        await #expect(throws: BlobStorageError.mismatch) {
            try await part.finish(as: try Self.name(of: file), size: 1000)
        }
        let short = try await Self.part(2, file, in: blobs)
        await #expect(throws: BlobStorageError.mismatch) {
            try await short.finish(as: try Self.name(of: file), size: 1001)
        }
        #expect(try await blobs.parts().count == 2)
        #expect(try await Self.bytes(of: file, in: blobs) == nil)
    }

    @Test func afterAFailureNothingIsAppended() async throws {
        let faults = BlobFaults()
        let blobs = try HubBlobFolder(path: path, faults: faults)
        let part = try await Self.part(1, SampleFile(count: 1000), synced: 400, in: blobs)
        faults.inject(.sync)
        await #expect(throws: BlobStorageError.self) { _ = try await part.sync() }
        // Nothing after an error is stored, whatever the disk does then.
        await #expect(throws: BlobStorageError.self) { try await part.append([1]) }
        #expect(part.length == 400)
    }

    // MARK: - Blobs

    /// The folder of a blob may have been created by an upload that failed to make it durable.
    @Test func theFolderOfABlobIsSyncedUntilThatSucceeds() async throws {
        let faults = BlobFaults()
        let blobs = try HubBlobFolder(path: path, faults: faults)
        let file = SampleFile(count: 100)
        let neighbor = try #require(
            (2..<100_000 as Range<UInt64>).lazy.map { SampleFile(count: 10, seed: $0) }
                .first { $0.sha256[0] == file.sha256[0] })
        for number in 1...2 as ClosedRange<UInt8> {
            faults.inject(.folder)
            await #expect(throws: BlobStorageError.self) { try await Self.finish(number, file, in: blobs) }
            #expect(try await Self.bytes(of: file, in: blobs) == nil)
        }
        try await Self.finish(3, file, in: blobs)
        // Once is enough, in this run and, because its start makes all of them durable, in the next one.
        faults.inject(.folder)
        try await Self.finish(4, neighbor, in: blobs)
        let next = try HubBlobFolder(path: path, faults: faults)
        try await next.remove(try Self.name(of: file))
        try await Self.finish(5, file, in: next)
        #expect(try await Self.bytes(of: file, in: next) == file.bytes)
    }

    /// The disk lost bytes of a blob, or changed them.
    @Test(arguments: [true, false]) func aDamagedBlobIsReplaced(isCut: Bool) async throws {
        let blobs = try HubBlobFolder(path: path)
        let file = SampleFile(count: 1000)
        try await Self.finish(1, file, in: blobs)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: blobPath(file)))
        if isCut {
            try handle.truncate(atOffset: 999)
        } else {
            try handle.seek(toOffset: 500)
            try handle.write(contentsOf: [~file.bytes[500]])
        }
        try handle.close()
        #expect(try await Self.bytes(of: file, in: blobs) != file.bytes)
        try await Self.finish(2, file, in: blobs)
        #expect(try await Self.bytes(of: file, in: blobs) == file.bytes)
    }

    @Test func aPartIsFinishedAgain() async throws {
        let blobs = try HubBlobFolder(path: path)
        let file = SampleFile(count: 1000)
        let part = try await Self.part(1, file, synced: 1000, in: blobs)
        for _ in 0..<2 {
            let again = try #require(try await blobs.openPart(Self.id(1)))
            try await again.finish(as: try Self.name(of: file), size: 1000)
        }
        await part.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/parts") == ["\(Self.id(1)).1000"])
        #expect(try await Self.bytes(of: file, in: blobs) == file.bytes)
    }

    /// A blob may belong to others: a failure of the disk does not take it from them.
    @Test func aBlobOfOthersStaysWhenItsNameIsNotDurableAgain() async throws {
        let faults = BlobFaults()
        let blobs = try HubBlobFolder(path: path, faults: faults)
        let file = SampleFile(count: 100)
        try await Self.finish(1, file, in: blobs)
        faults.inject(.name)
        await #expect(throws: BlobStorageError.self) { try await Self.finish(2, file, in: blobs) }
        #expect(try await Self.bytes(of: file, in: blobs) == file.bytes)
        #expect(try await blobs.openPart(Self.id(2)) == nil)
    }

    /// Nor does one that fails to look for the blob first.
    @Test func aBlobOfOthersStaysWhenItCannotBeLookedFor() async throws {
        let faults = BlobFaults()
        let blobs = try HubBlobFolder(path: path, faults: faults)
        let file = SampleFile(count: 100)
        try await Self.finish(1, file, in: blobs)
        faults.inject(.look)
        faults.inject(.name)
        await #expect(throws: BlobStorageError.self) { try await Self.finish(2, file, in: blobs) }
        #expect(try await Self.bytes(of: file, in: blobs) == file.bytes)
    }

    /// A backup without the blobs in it would be none.
    @Test func aCopyLeavesOutNoFolderThatCannotBeRead() async throws {
        let blobs = try HubBlobFolder(path: path)
        try await Self.finish(1, SampleFile(count: 100), in: blobs)
        // The longest path has 4095 bytes: that of the source fits, those of the folders in it do not.
        let source = path + String(repeating: "/.", count: (4094 - path.utf8.count) / 2)
        let copy = temporary.path + "/copy"
        #expect(throws: BlobStorageError.self) { _ = try HubBlobCopy.run(from: source, to: copy) }
        let count = try HubBlobCopy.run(from: path, to: copy)
        #expect(count == 1)
    }

    /// Some file systems have no second names for files.
    @Test func withoutSecondNamesABlobIsACopy() async throws {
        let faults = BlobFaults()
        let blobs = try HubBlobFolder(path: path, faults: faults)
        let file = SampleFile(count: 3_000_000)
        faults.inject(.link)
        let part = try await Self.part(1, file, synced: 1_000_000, in: blobs)
        try await part.finish(as: try Self.name(of: file), size: 3_000_000)
        #expect(try await Self.bytes(of: file, in: blobs) == file.bytes)
        let name = try "\(Self.id(1)).1000000"
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/parts") == [name])
        #expect(try Self.fileNumber(blobPath(file)) != Self.fileNumber("\(path)/parts/\(name)"))
    }

    /// After a power failure the name may be there or not: no later write may reach the file behind it.
    @Test func aBlobWhoseNameIsNotDurableIsNone() async throws {
        let faults = BlobFaults()
        let blobs = try HubBlobFolder(path: path, faults: faults)
        let file = SampleFile(count: 100)
        faults.inject(.name)
        await #expect(throws: BlobStorageError.self) { try await Self.finish(1, file, in: blobs) }
        #expect(try await Self.bytes(of: file, in: blobs) == nil)
        #expect(try await blobs.parts() == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/parts") == [])
        try await Self.finish(1, file, in: blobs)
        #expect(try await Self.bytes(of: file, in: blobs) == file.bytes)
    }

    @Test func namesAreListedByTheirFirstByte() async throws {
        let blobs = try HubBlobFolder(path: path)
        let file = SampleFile(count: 100)
        try await Self.finish(1, file, in: blobs)
        #expect(FileManager.default.createFile(atPath: blobPath(file) + ".new", contents: nil))
        let first = file.sha256[0]
        #expect(try await blobs.names(firstByte: first) == [Self.name(of: file)])
        #expect(try await blobs.names(firstByte: first ^ 1) == [])
    }

    /// The name that a file has on its way to that of a blob.
    @Test func theStartRemovesWhatACrashLeftOnTheWay() async throws {
        let file = SampleFile(count: 100)
        let part = try await Self.part(1, file, synced: 60, in: try HubBlobFolder(path: path))
        await part.close()
        let parts = path + "/parts"
        let id = try Self.id(1)
        try FileManager.default.linkItem(atPath: "\(parts)/\(id).60", toPath: "\(parts)/\(id).blob")
        let blobs = try HubBlobFolder(path: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: parts) == ["\(id).60"])
        let opened = try #require(try await blobs.openPart(id))
        #expect(opened.length == 60)
        try await opened.append(Array(file.bytes[60...]))
        try await opened.finish(as: try Self.name(of: file), size: 100)
    }
}
