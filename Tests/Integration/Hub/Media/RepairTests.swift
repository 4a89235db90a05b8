import CausewayHub
import CausewayHubBlobs
import CausewayHubRules
import CausewayHubSQLite
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Foundation
import NIOHTTP1
import Testing

/// Rows and bytes of files that a crash or a failure has separated, and files that cannot be removed.
@Suite struct RepairTests {
    private let temporary: TemporaryFolder
    private var folder: DataFolder { DataFolder(temporary.path) }

    init() throws { temporary = try TemporaryFolder() }

    private static let often: @Sendable (inout HubConfiguration) -> Void = { $0.expiry = .milliseconds(20) }

    /// Creates a file without a row.
    private func createOrphan(_ path: String) throws {
        let path = "\(folder.blobs)/\(path)"
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: path, contents: Data("12345".utf8)))
    }

    private static func name(_ byte: String) -> String { "\(byte)/\(String(repeating: byte, count: 32))" }

    // MARK: - At the start

    @Test func whatACrashLeavesIsRepaired() async throws {
        try await HubFixture.prepare(folder)
        let stored = SampleFile(count: 1000)
        let lost = SampleFile(count: 1000, seed: 2)
        let (gone, token, leftPart, lostPart) = try await HubFixture.running(folder) { hub in
            let other = try await hub.client(of: "other")
            try await other.upload(lost)
            let complete = try await hub.client.create(stored, content: stored.bytes)
            let part = try hub.part(of: complete.location)
            _ = try await hub.client.append([], to: complete.location, at: 1000, isRest: true)
            let gone = try await hub.client.create(lost, content: lost.bytes).location
            return (gone, other.token, part, try hub.part(of: gone))
        }
        // The part of one upload was to be removed after its row was stored, that of the other one is lost.
        try FileManager.default.linkItem(
            atPath: "\(folder.blobs)/\(stored.name.prefix(2))/\(stored.name)", toPath: leftPart)
        try FileManager.default.removeItem(atPath: lostPart)
        try createOrphan("parts/\(String(repeating: "cd", count: 16)).5")
        try createOrphan(Self.name("ab"))
        try await HubFixture.running(folder) { hub in
            #expect(try await hub.client.download(stored).body == stored.bytes)
            #expect(try await hub.client.state(gone).status == 404)
            // Another account has sent the same file, which is no reason to give it to this one.
            #expect(try await !hub.client.has(lost))
            #expect(try await HubClient(port: hub.port, token: token).download(lost).body == lost.bytes)
            try await Eventually.holds("orphans are collected") {
                hub.files() == [stored.name, lost.name].sorted()
            }
            #expect(hub.log.contains("uploads repaired completed=1 lost=1 orphans=1"))
            try await Eventually.holds("it is logged") { hub.log.contains("orphaned files removed count=1") }
        }
    }

    /// The bytes became a blob, and then the machine lost its power.
    @Test func anUploadIsCompletedAfterACrashBeforeItsRow() async throws {
        try await HubFixture.prepare(folder)
        let file = SampleFile(count: 1000)
        let (location, part) = try await HubFixture.running(folder) { hub in
            let location = try await hub.client.create(file, content: file.bytes).location
            return (location, try hub.part(of: location))
        }
        let blobs = "\(folder.blobs)/\(file.name.prefix(2))"
        try FileManager.default.createDirectory(atPath: blobs, withIntermediateDirectories: true)
        try FileManager.default.linkItem(atPath: part, toPath: "\(blobs)/\(file.name)")
        try await HubFixture.running(folder) { hub in
            let state = try await hub.client.state(location)
            #expect(state.offset == 1000)
            #expect(state.field("Upload-Complete") == "?0")
            #expect(try await !hub.client.has(file))
            #expect(try await hub.client.append([], to: location, at: 1000, isRest: true).status == 200)
            #expect(try await hub.client.download(file).body == file.bytes)
            #expect(hub.files() == [file.name])
        }
    }

    // MARK: - While the hub serves

    /// An account that knows only the hash and the size of a file does not get it by a failure of the disk.
    @Test func aPartThatIsLostIsNotReplacedByAnothersFile() async throws {
        try await HubFixture.running { hub in
            let other = try await hub.client(of: "other")
            let file = SampleFile(count: 1000)
            try await other.upload(file)
            let location = try await hub.client.create(file, content: [1]).location
            try FileManager.default.removeItem(atPath: try hub.part(of: location))
            let rest = try await hub.client.append([], to: location, at: 1000, isRest: true)
            #expect(rest.errorCode == "uploadNotFound")
            #expect(try await hub.client.state(location).status == 404)
            #expect(try await !hub.client.has(file))
            #expect(try await hub.uploadsLeft() == HubLimits.pendingUploadsMax)
        }
    }

    /// The part stays until the row is on the disk.
    @Test(arguments: [StorageFaults.Step.commit, .sync])
    func anUploadWhoseRowFailsIsCompletedAgain(step: StorageFaults.Step) async throws {
        let faults = StorageFaults()
        try await HubFixture.running(storageFaults: faults) { hub in
            let file = SampleFile(count: 1000)
            let location = try await hub.client.create(file, content: file.bytes).location
            faults.inject(step)
            let failed = try await hub.client.append([], to: location, at: 1000, isRest: true)
            #expect(failed.status == 500)
            try await Eventually.holds("the hub is well again") {
                try await hub.client.get("/healthz").status == 200
            }
            let state = try await hub.client.state(location)
            #expect(state.offset == 1000)
            #expect(state.field("Upload-Complete") == (step == .sync ? "?1" : "?0"))
            if step == .commit {
                #expect(try await hub.client.append([], to: location, at: 1000, isRest: true).status == 200)
                #expect(hub.files() == [file.name])
            }
            #expect(try await hub.client.download(file).body == file.bytes)
        }
    }

    /// The blob of an upload whose row could not be stored goes with it, unless others have sent the same file.
    @Test(arguments: [false, true]) func anUploadThatIsNotCompletedLeavesNothing(isOthers: Bool) async throws {
        let faults = StorageFaults()
        try await HubFixture.running(storageFaults: faults) { hub in
            let file = SampleFile(count: 1000)
            let other = try await hub.client(of: "other")
            if isOthers { try await other.upload(file) }
            let location = try await hub.client.create(file, content: file.bytes).location
            faults.inject(.commit)
            #expect(try await hub.client.append([], to: location, at: 1000, isRest: true).status == 500)
            try await Eventually.holds("the hub is well again") {
                try await hub.client.get("/healthz").status == 200
            }
            #expect(hub.files().contains(file.name))
            #expect(try await hub.client.send(.DELETE, location).status == 204)
            #expect(hub.files() == (isOthers ? [file.name] : []))
            if isOthers { #expect(try await other.download(file).body == file.bytes) }
        }
    }

    /// A blob whose bytes the disk has lost is replaced by those that are sent again.
    @Test func aFileThatLostBytesIsUploadedAgain() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 1000)
            try await hub.client.upload(file)
            let path = "\(hub.folder.blobs)/\(file.name.prefix(2))/\(file.name)"
            try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 40)
            #expect(try await !hub.client.has(file))
            try await hub.client.upload(file)
            #expect(try await hub.client.download(file).body == file.bytes)
        }
    }

    // MARK: - Files that cannot be removed

    @Test func anUploadThatCannotBeRemovedKeepsNoOtherFromExpiring() async throws {
        try await HubFixture.prepare(folder)
        let parts = try await HubFixture.running(folder) { hub in
            var parts: [String] = []
            for number in 1...3 as ClosedRange<UInt64> {
                let file = SampleFile(count: 10, seed: number)
                parts.append(try hub.part(of: try await hub.client.create(file, content: [1, 2]).location))
            }
            return parts
        }
        // A folder is not removed like a file.
        try FileManager.default.removeItem(atPath: parts[0])
        try FileManager.default.createDirectory(atPath: parts[0], withIntermediateDirectories: false)
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.uploadSecondsMax = 0
            $0.expiry = .milliseconds(20)
        }
        try await HubFixture.running(folder, change: change) { hub in
            try await Eventually.holds("the others are removed") { hub.files() == [] }
            try await Eventually.holds("it is logged") { hub.log.contains("files not removed count=1") }
            try await Eventually.holds("they count no longer") {
                try await hub.uploadsLeft() == HubLimits.pendingUploadsMax - 1
            }
        }
    }

    /// Orphans are collected until none is left: the first one fails once.
    @Test func anOrphanThatCannotBeRemovedIsCollectedLater() async throws {
        try await HubFixture.prepare(folder)
        for byte in ["00", "01", "ab"] { try createOrphan(Self.name(byte)) }
        let faults = BlobFaults()
        let blobs = try HubBlobFolder(path: folder.blobs, faults: faults)
        faults.inject(.remove)
        try await HubFixture.running(folder, blobs: blobs, change: Self.often) { hub in
            try await Eventually.holds("orphans are collected") { hub.files() == [] }
            try await Eventually.holds("it is logged") { hub.log.contains("orphaned files removed count=1") }
            #expect(hub.log.contains("orphaned files removed count=2"))
            #expect(hub.log.contains("files not removed count=1"))
        }
    }

    /// The row of an expired file is removed before its bytes.
    @Test func anExpiredFileThatCannotBeRemovedIsCollectedLater() async throws {
        try await HubFixture.prepare(folder)
        let faults = BlobFaults()
        let blobs = try HubBlobFolder(path: folder.blobs, faults: faults)
        try await HubFixture.running(folder, blobs: blobs) { hub in
            for number in 1...2 as ClosedRange<UInt64> {
                try await hub.client.upload(SampleFile(count: 10, seed: number))
            }
        }
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.unattachedSecondsMax = 0
            $0.expiry = .milliseconds(20)
        }
        faults.inject(.remove)
        try await HubFixture.running(folder, blobs: blobs, change: change) { hub in
            try await Eventually.holds("both are removed") { hub.files() == [] }
            try await Eventually.holds("it is logged") { hub.log.contains("orphaned files removed count=1") }
            #expect(hub.log.contains("files not removed count=1"))
        }
    }
}

extension HubFixture {
    /// The path of the part of an upload.
    func part(of location: String) throws -> String {
        let id = try #require(location.split(separator: "/").last)
        let name = try #require(files().first { $0.hasPrefix(id) })
        return "\(folder.blobs)/parts/\(name)"
    }

    /// The uploads that the account `me` can still begin.
    func uploadsLeft() async throws -> Int {
        let limits = try await client.send(.OPTIONS, WireProtocol.uploadsPath)
        let field = try #require(limits.field("Upload-Limit"))
        return try #require(field.firstMatch(of: /uploads-left=([0-9]+)/).flatMap { Int($0.1) })
    }
}
