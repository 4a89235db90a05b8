import CausewayBlobs
import CausewayModels
import CausewayStorage
import CausewaySystem
import CausewayTestSupport
import Dispatch
import Foundation
import Testing

/// The cache of downloads, on a real disk.
@Suite struct ReceivedFolderTests {
    private let temporary: TemporaryFolder
    private var path: String { temporary.path + "/received" }

    init() throws { temporary = try TemporaryFolder() }

    private func attachment(_ bytes: [UInt8]) -> CausewayModels.Attachment {
        CausewayModels.Attachment(
            name: "a", contentType: "application/octet-stream", size: Int64(bytes.count),
            sha256: BlobFixture.hash(bytes))
    }

    private func file(_ number: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: number, count: count) }

    /// Downloads a whole file.
    private func fetch(_ bytes: [UInt8], _ folder: ReceivedFolder, bytesMax: Int64 = 100) async throws -> String {
        let part = try await folder.begin(attachment(bytes), bytesMax: bytesMax)
        try await part.append(Array(bytes[Int(part.length)...]))
        let path = try await part.finish()
        await part.end()
        return path
    }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: path))
    }

    @Test func theFileUsedLeastRecentlyGoesFirst() async throws {
        let folder = ReceivedFolder(at: path)
        let (one, two, three) = (file(1, 40), file(2, 40), file(3, 40))
        _ = try await fetch(one, folder)
        _ = try await fetch(two, folder)
        #expect(try await folder.path(of: attachment(one).sha256) != nil)
        _ = try await fetch(three, folder)
        #expect(try names() == [attachment(one).sha256, attachment(three).sha256])
        #expect(try await folder.path(of: attachment(two).sha256) == nil)
        await folder.close()

        // The next run knows what is there.
        let again = ReceivedFolder(at: path)
        #expect(try await again.path(of: attachment(one).sha256) == path + "/" + attachment(one).sha256)
        _ = try await fetch(file(4, 90), again)
        #expect(try names() == [attachment(file(4, 90)).sha256])
        await again.close()
        await #expect(throws: BlobError.closed) { try await again.path(of: attachment(one).sha256) }
    }

    @Test func filesOfRemovedMessagesGoUnlessTheyAreUnderWay() async throws {
        let folder = ReceivedFolder(at: path)
        let (one, two, three) = (file(1, 10), file(2, 20), file(3, 30))
        _ = try await fetch(one, folder)
        _ = try await fetch(two, folder)
        let part = try await folder.begin(attachment(three), bytesMax: 100)
        try await part.append(Array(three.prefix(7)))
        try await folder.remove([attachment(one).sha256, attachment(three).sha256, "no hash", "../" + path])
        #expect(try names() == [attachment(two).sha256, attachment(three).sha256 + ".part"])
        #expect(try await folder.path(of: attachment(one).sha256) == nil)
        #expect(part.length == 7)
        await part.end()
        // Its room is free again.
        _ = try await fetch(file(4, 40), folder, bytesMax: 90)
        #expect(try names().count == 3)
        await folder.close()
    }

    enum Removal: CaseIterable { case one, all, leastRecentlyUsed }

    private func remove(_ bytes: [UInt8], _ removal: Removal, _ folder: ReceivedFolder) async throws {
        switch removal {
        case .one: try await folder.remove([attachment(bytes).sha256])
        case .all: try await folder.removeAll()
        case .leastRecentlyUsed:
            let part = try await folder.begin(attachment(file(2, 90)), bytesMax: 100)
            await part.end()
        }
    }

    /// The bytes of a large file take a while to free, and its message may be shown again meanwhile.
    @Test(arguments: Removal.allCases)
    func aFileIsDownloadedAgainWhileItIsBeingRemoved(_ removal: Removal) async throws {
        let bytes = file(1, 40)
        let (removals, removing) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let folder = ReceivedFolder(at: path) {
            removing.yield()
            gate.wait()
            // Open from now on.
            gate.signal()
        }
        _ = try await fetch(bytes, folder)
        async let removed: Void = remove(bytes, removal, folder)
        // Also after a failure the removal has to end.
        defer { gate.signal() }
        for await _ in removals { break }
        let part = try await folder.begin(attachment(bytes), bytesMax: 1000)
        #expect(part.length == 0)
        try await part.append(bytes)
        gate.signal()
        try await removed
        let found = try await part.finish()
        await part.end()
        #expect(try await folder.path(of: attachment(bytes).sha256) == found)
        #expect(FileManager.default.contents(atPath: found) == Data(bytes))
        #expect(try names().filter { $0.hasPrefix("removed-") }.isEmpty)
        await folder.close()
    }

    /// A process was killed before it had removed them.
    @Test func filesThatHaveLostTheirNamesAreRemovedByTheNextRun() async throws {
        let first = ReceivedFolder(at: path)
        let kept = try await fetch(file(1, 10), first)
        await first.close()
        try Data(file(2, 20)).write(to: URL(fileURLWithPath: path + "/removed-1"))
        let second = ReceivedFolder(at: path)
        #expect(try await second.path(of: attachment(file(1, 10)).sha256) == kept)
        #expect(try names() == [attachment(file(1, 10)).sha256])
        await second.close()
    }

    /// After a loss of power a file may have its name and not its content.
    @Test(arguments: ["shorter", "other bytes", "replaced by a link"])
    func aDamagedFileOfAnEarlierRunIsDownloadedAgain(damage: String) async throws {
        let (whole, damaged) = (file(1, 30), file(2, 50))
        let first = ReceivedFolder(at: path)
        _ = try await fetch(whole, first)
        let place = URL(fileURLWithPath: try await fetch(damaged, first))
        await first.close()
        switch damage {
        case "shorter": try Data(damaged.prefix(20)).write(to: place)
        case "other bytes": try Data(repeating: 0, count: damaged.count).write(to: place)
        default:
            try FileManager.default.removeItem(at: place)
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: URL(fileURLWithPath: "/dev/null"))
        }

        let second = ReceivedFolder(at: path)
        #expect(try await second.path(of: attachment(whole).sha256) != nil)
        #expect(try await second.open(attachment(damaged)) == nil)
        #expect(try await second.path(of: attachment(damaged).sha256) == nil)
        // Its room is free again.
        let part = try await second.begin(attachment(damaged), bytesMax: 80)
        #expect(part.length == 0)
        try await part.append(damaged)
        #expect(try await part.finish() == place.path)
        await part.end()
        #expect(try await second.path(of: attachment(damaged).sha256) == place.path)
        #expect(try await second.path(of: attachment(whole).sha256) != nil)
        await second.close()
    }

    /// A download verifies it, too: it does not take the file for complete.
    @Test func aDownloadOfADamagedFileBeginsAnew() async throws {
        let bytes = file(1, 30)
        let first = ReceivedFolder(at: path)
        let place = URL(fileURLWithPath: try await fetch(bytes, first))
        await first.close()
        try Data(repeating: 0, count: 30).write(to: place)
        let second = ReceivedFolder(at: path)
        #expect(try await fetch(bytes, second) == place.path)
        #expect(try Data(contentsOf: place) == Data(bytes))
        await second.close()
    }

    @Test func aPartIsContinued() async throws {
        let bytes = file(1, 50)
        let first = ReceivedFolder(at: path)
        let part = try await first.begin(attachment(bytes), bytesMax: 100)
        try await part.append(Array(bytes[..<20]))
        await part.end()
        #expect(try await first.path(of: attachment(bytes).sha256) == nil)
        await first.close()
        let second = ReceivedFolder(at: path)
        let rest = try await second.begin(attachment(bytes), bytesMax: 100)
        #expect(rest.length == 20)
        try await rest.append(Array(bytes[20...]))
        let found = try await rest.finish()
        await rest.end()
        #expect(try Data(contentsOf: URL(fileURLWithPath: found)) == Data(bytes))
        // It is there now: nothing to add.
        let third = try await second.begin(attachment(bytes), bytesMax: 100)
        #expect(third.length == 50)
        #expect(try await third.finish() == found)
        await third.end()
        await second.close()
    }

    /// A change of threads for each part takes longer than to write it.
    @Test func aTaskWithTheExecutorOfTheFolderKeepsItsThread() async throws {
        let folder = ReceivedFolder(at: path)
        let bytes = file(1, 40)
        let executor = try #require(folder.makeExecutor())
        try await withTaskExecutorPreference(executor) {
            // Runs as soon as the thread is free.
            let found = Task(executorPreference: executor) { try names() }
            let part = try await folder.begin(attachment(bytes), bytesMax: 100)
            try await part.append(bytes)
            let complete = try await part.finish()
            await part.end()
            #expect(try await folder.path(of: attachment(bytes).sha256) == complete)
            #expect(try await found.value == [attachment(bytes).sha256], "nothing else ran on the thread")
            #expect(FileManager.default.contents(atPath: complete) == Data(bytes))
        }
        await folder.close()
    }

    /// A caller uses the memory of the bytes again: nothing may hold them when the call returns.
    @Test func bytesAreReleasedBeforeACallReturns() async throws {
        let folder = ReceivedFolder(at: path)
        let part = try await folder.begin(attachment(file(1, 400)), bytesMax: 400)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1000)
        let memory = unsafe bytes.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
        for _ in 0..<400 {
            bytes.append(1)
            try await part.append(bytes)
            bytes.removeAll(keepingCapacity: true)
            // Memory that something else holds cannot be used again.
            let next = unsafe bytes.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
            try #require(next == memory)
        }
        await part.end()
        await folder.close()
    }

    @Test func anEmptyFileIsKept() async throws {
        let folder = ReceivedFolder(at: path)
        let found = try await fetch([], folder)
        #expect(try await folder.path(of: attachment([]).sha256) == found)
        #expect(try await folder.open(attachment([]))?.size == 0)
        // It is removed like any other one.
        try await folder.removeAll()
        #expect(try names().isEmpty)
        await folder.close()
    }

    @Test func aCompleteFileIsRead() async throws {
        let folder = ReceivedFolder(at: path)
        let bytes = file(1, 50)
        #expect(try await folder.open(attachment(bytes)) == nil)
        let part = try await folder.begin(attachment(bytes), bytesMax: 100)
        try await part.append(Array(bytes[..<20]))
        await part.end()
        #expect(try await folder.open(attachment(bytes)) == nil, "a part is not the file")
        _ = try await fetch(bytes, folder)
        let blob = try #require(try await folder.open(attachment(bytes)))
        try await folder.removeAll()
        #expect(try await blob.read(at: 10, count: 100) == Array(bytes[10...]))
        await folder.close()
    }

    @Test func otherBytesAreRemoved() async throws {
        let folder = ReceivedFolder(at: path)
        let part = try await folder.begin(attachment(file(1, 10)), bytesMax: 100)
        try await part.append(file(2, 10))
        await #expect(throws: BlobError.self) { try await part.finish() }
        await part.end()
        #expect(try names().isEmpty)
        _ = try await fetch(file(1, 10), folder)
        await folder.close()
    }

    /// The beginning was not hashed when it came, or was changed since.
    @Test func aPartWithOtherBytesIsRemoved() async throws {
        let bytes = file(1, 50)
        for beginning in [file(1, 20), file(2, 20), file(1, 19) + file(3, 1)] {
            let folder = ReceivedFolder(at: path)
            let part = try await folder.begin(attachment(bytes), bytesMax: 100)
            try await part.append(beginning)
            await part.end()
            let rest = try await folder.begin(attachment(bytes), bytesMax: 100)
            try await rest.append(Array(bytes[20...]))
            let found = try? await rest.finish()
            await rest.end()
            #expect((found != nil) == (beginning == file(1, 20)))
            #expect(try names().isEmpty == (found == nil))
            try await folder.removeAll()
            await folder.close()
        }
    }

    @Test func whatDoesNotFitIsRefused() async throws {
        let folder = ReceivedFolder(at: path)
        await #expect(throws: BlobError.storageFull(bytes: 101, limit: 100)) {
            try await folder.begin(attachment(file(1, 101)), bytesMax: 100)
        }
        // A download under way is not removed for another one.
        let part = try await folder.begin(attachment(file(1, 60)), bytesMax: 100)
        await #expect(throws: BlobError.storageFull(bytes: 50, limit: 100)) {
            try await folder.begin(attachment(file(2, 50)), bytesMax: 100)
        }
        await part.end()
        _ = try await fetch(file(2, 50), folder)
        await folder.close()
    }

    @Test func aSecondDownloadOfAFileWaitsForTheFirst() async throws {
        let folder = ReceivedFolder(at: path)
        let bytes = file(1, 30)
        let part = try await folder.begin(attachment(bytes), bytesMax: 100)
        async let second = folder.begin(attachment(bytes), bytesMax: 100)
        try await part.append(bytes)
        _ = try await part.finish()
        await part.end()
        let after = try await second
        #expect(after.length == 30)
        await after.end()
        await folder.close()
    }
}
