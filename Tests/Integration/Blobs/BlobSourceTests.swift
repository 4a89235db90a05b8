import CausewayBlobs
import CausewayModels
import CausewayStorage
import CausewaySystem
import CausewayTestSupport
import Foundation
import Synchronization
import Testing

/// Sources that cannot be copied, and copies that fail. None of them leaves anything behind.
@Suite struct BlobSourceTests {
    private let fixture: BlobFixture

    init() throws { fixture = try BlobFixture() }

    private func error(
        of path: String, _ options: BlobOptions = BlobOptions(), bytesMax: Int64 = .max
    ) async throws -> BlobError? {
        let blobs = try fixture.open(options)
        let reference = try fixture.reference(1)
        do throws(BlobError) {
            _ = try await blobs.add(fileAt: path, for: reference, bytesMax: bytesMax)
            return nil
        } catch {
            #expect(try fixture.names() == [])
            #expect(try await blobs.usage() == BlobUsage(blobs: 0, bytes: 0))
            #expect(try await blobs.references(of: reference.account) == [])
            #expect(blobs.violations.isEmpty)
            return error
        }
    }

    @Test func aMissingFile() async throws {
        let path = fixture.folder.fresh()
        #expect(try await error(of: path) == .sourceMissing(path: path))
        #expect(try await error(of: "") == .sourceMissing(path: ""))
        let present = try fixture.folder.write("x", to: "a")
        #expect(try await error(of: present + "\0.png") == .sourceMissing(path: present + "\0.png"))
        let below = present + "/b"
        #expect(try await error(of: below) == .sourceUnreadable(path: below, detail: "Not a directory"))
    }

    @Test func somethingOtherThanAFile() async throws {
        let folder = fixture.folder.path
        #expect(try await error(of: folder) == .sourceNotAFile(path: folder, kind: "a folder"))
        #expect(try await error(of: "/dev/zero") == .sourceNotAFile(path: "/dev/zero", kind: "a device"))
        // Nobody writes to it: opening it the usual way would wait for ever.
        let pipe = fixture.folder.fresh()
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(try await error(of: pipe) == .sourceNotAFile(path: pipe, kind: "a pipe"))
        let link = fixture.folder.fresh()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pipe)
        #expect(try await error(of: link) == .sourceNotAFile(path: link, kind: "a pipe"))
    }

    /// The system opens it, and fails to read its first bytes.
    @Test func aFileThatCannotBeRead() async throws {
        let path = "/proc/self/mem"
        #expect(try await error(of: path) == .sourceUnreadable(path: path, detail: "Input/output error"))
    }

    @Test func aLinkToAFileIsThatFile() async throws {
        let link = fixture.folder.fresh()
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: fixture.folder.write("x", to: "a"))
        #expect(try await error(of: link) == nil)
    }

    /// Its size is given as 0, and it has bytes nevertheless.
    @Test func aFileOfTheSystemWhoseSizeLies() async throws {
        #expect(try await error(of: "/proc/self/status") == .sourceChanged(path: "/proc/self/status"))
    }

    @Test func aFileBeyondALimit() async throws {
        let path = try fixture.folder.write("four", to: "a")
        #expect(try await error(of: path, bytesMax: 3) == .fileTooLarge(path: path, bytes: 4, limit: 3))
        let options = BlobOptions(bounds: BlobBounds(fileBytesMax: 2))
        #expect(try await error(of: path, options) == .fileTooLarge(path: path, bytes: 4, limit: 2))
    }

    /// The file grows, shrinks, or is written to.
    @Test(arguments: [[UInt8](repeating: 1, count: 900_000), [UInt8](repeating: 1, count: 10), [2]])
    func aFileThatChanges(bytes: [UInt8]) async throws {
        let path = fixture.folder.fresh()
        let file = try OpenFile(path, for: .readingAndWriting, .create)
        try file.write([UInt8](repeating: 0, count: 600_000))
        let isFirst = Mutex(true)
        var options = BlobOptions()
        // The source has been opened, and not been read.
        options.intercept = { _ in
            let isDue = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isDue else { return nil }
            if bytes.count < 100, bytes.count > 1 { try? file.truncate(to: Int64(bytes.count)) }
            _ = try? file.write(bytes, at: 0)
            // The clock of the file system may not have moved on since the file was written.
            let modified = Date(timeIntervalSince1970: 1)
            try? FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: path)
            return nil
        }
        #expect(try await error(of: path, options) == .sourceChanged(path: path))
    }

    @Test(arguments: BlobStep.allCases, [SystemError.full, .broken])
    func aStepThatFails(step: BlobStep, fault: SystemError) async throws {
        var options = BlobOptions()
        options.intercept = { $0 == step ? fault : nil }
        let error = try #require(try await error(of: fixture.folder.write("x", to: "a"), options))
        switch error {
        case .syncFailed: #expect(step == .syncCopy || step == .syncFolder)
        case .full: #expect(fault == .full)
        case .notAccessible: #expect(fault == .broken)
        default: Issue.record("\(error)")
        }
    }

    /// The same steps, with the bytes there already for another message.
    @Test(arguments: BlobStep.allCases) func aStepThatFailsLeavesWhatWasThere(step: BlobStep) async throws {
        let isFailing = Mutex(false)
        var options = BlobOptions()
        options.intercept = { $0 == step && isFailing.withLock { $0 } ? .broken : nil }
        let blobs = try fixture.open(options)
        let path = try fixture.folder.write("x", to: "a")
        let found = try await blobs.add(fileAt: path, for: fixture.reference(1), bytesMax: .max)
        let names = try fixture.names()
        isFailing.withLock { $0 = true }
        for number in 1...2 as ClosedRange<UInt64> {
            let reference = try fixture.reference(number)
            await #expect(throws: BlobError.self) {
                _ = try await blobs.add(fileAt: path, for: reference, bytesMax: .max)
            }
        }
        #expect(try fixture.names() == names)
        #expect(try await blobs.open(found.sha256).read(at: 0, count: 9) == Array("x".utf8))
        #expect(blobs.violations.isEmpty)
    }

    @Test func aCancelledCopyLeavesNothing() async throws {
        let path = fixture.folder.fresh()
        try OpenFile(path, for: .writing, .create).truncate(to: 1 << 35)
        let task = Mutex<Task<BlobError?, any Error>?>(nil)
        var options = BlobOptions()
        options.intercept = { step in
            if step == .write { task.withLock { $0?.cancel() } }
            return nil
        }
        let run = Task { [options] in try await error(of: path, options) }
        task.withLock { $0 = run }
        #expect(try await run.value == .cancelled)
    }

    @Test func onlySoManyFilesAreCopiedAtOnce() async throws {
        var options = BlobOptions()
        options.addsMax = 0
        let path = try fixture.folder.write("x", to: "a")
        #expect(try await error(of: path, options) == .busy(limit: 0))
    }
}
