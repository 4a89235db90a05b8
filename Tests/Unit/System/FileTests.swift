import CausewaySystem
import Foundation
import Testing

/// Files, their permissions and locks, on a real disk.
@Suite struct FileTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "system-" + UUID().uuidString
        try FileSystem.makeFolder(folder)
    }

    private func path(_ name: String) -> String { folder + "/" + name }

    @Test func aNewFileIsItsOwnersOnlyUnlessSaidOtherwise() throws {
        try OpenFile(path("secret"), for: .writing, .create).write([1])
        try OpenFile(path("open"), for: .writing, .create, permissions: .everyoneReads).write([1])
        #expect(try FileStatus(of: path("secret")).permissions.isOwnerOnly)
        #expect(try FileStatus(of: path("secret")).permissions == .owner)
        #expect(try FileStatus(of: folder).permissions == .ownerFolder)
        #expect(try !FileStatus(of: path("open")).permissions.isOwnerOnly)
    }

    @Test func anExistingFileIsNotCreatedAgain() throws {
        try OpenFile(path("a"), for: .writing, [.create, .exclusive]).write([1, 2])
        let error = #expect(throws: SystemError.self) {
            try OpenFile(path("a"), for: .writing, [.create, .exclusive])
        }
        #expect(error?.isExisting == true)
        #expect(try FileStatus(of: path("a")).bytesCount == 2)
    }

    @Test func aRenameCanReplaceNothing() throws {
        try OpenFile(path("a"), for: .writing, .create).write([1])
        try OpenFile(path("b"), for: .writing, .create).write([2])
        let error = #expect(throws: SystemError.self) {
            try FileSystem.renameReplacingNothing(path("a"), to: path("b"))
        }
        #expect(error?.isExisting == true)
        #expect(try OpenFile(path("b"), for: .reading).read(upTo: 8) == [2])
        try FileSystem.renameReplacingNothing(path("a"), to: path("c"))
        #expect(!FileSystem.exists(path("a")))
        #expect(try OpenFile(path("c"), for: .reading).read(upTo: 8) == [1])
        // A folder has no second name, like a file on some disks.
        try FileSystem.makeFolder(path("d"))
        try FileSystem.renameReplacingNothing(path("d"), to: path("e"))
        #expect(try FileStatus(of: path("e")).kind == .folder)
        try FileSystem.makeFolder(path("d"))
        #expect(throws: SystemError.self) { try FileSystem.renameReplacingNothing(path("d"), to: path("e")) }
        #expect(FileSystem.exists(path("d")))
    }

    @Test func aLinkIsFollowedOnlyWhereItMayBe() throws {
        try OpenFile(path("a"), for: .writing, .create).write([7])
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("a"))
        #expect(try OpenFile(path("link"), for: .reading).read(upTo: 8) == [7])
        #expect(throws: SystemError.self) { try OpenFile(path("link"), for: .reading, .noLink) }
        #expect(try FileStatus(of: path("link"), followsLink: false).kind == .link)
    }

    @Test func bytesAreReadAndWrittenWhereAsked() throws {
        let file = try OpenFile(path("a"), for: .readingAndWriting, .create)
        try file.write([1, 2, 3])
        #expect(try file.write([9], at: 1) == 1)
        #expect(try file.bytes(at: 0, count: 8) == [1, 9, 3])
        #expect(try file.bytes(at: 3, count: 8).isEmpty)
        try file.truncate(to: 1)
        #expect(try file.status().bytesCount == 1)
        let log = try OpenFile(path("a"), for: .writing, .append)
        try log.writeAtOnce([5, 5])
        try log.close()
        try log.close()
        #expect(try file.bytes(at: 0, count: 8) == [1, 5, 5])
        #expect(throws: SystemError.self) { try log.write([1]) }
    }

    @Test func foldersAreMadeWithTheirParents() throws {
        var parents: [String] = []
        try FileSystem.makeFolders(path("b/c")) { (parent) throws(SystemError) in
            parents.append(parent)
        } failed: {
            $1
        }
        #expect(parents == [folder, path("b")])
        #expect(try FileStatus(of: path("b/c")).kind == .folder)
        try OpenFile(path("file"), for: .writing, .create).close()
        #expect(throws: SystemError.self) { try FileSystem.makeFolders(path("file/d")) { $1 } }
    }

    @Test func aLockIsHeldByOne() throws {
        var first: FileLock? = try FileLock(path("lock"))
        #expect(try FileStatus(of: path("lock")).permissions == .owner)
        #expect(throws: FileLock.Problem.held(by: ProcessInfo.processInfo.processIdentifier)) {
            try FileLock(path("lock"))
        }
        first = nil
        let second = try FileLock(path("lock"))
        second.unlock()
        first = try FileLock(path("lock"))
        withExtendedLifetime(first) {}
    }

    @Test func aPrivateFileIsReplacedAndNeverShared() throws {
        let file = PrivateFile(path: path("token"))
        #expect(try file.read(bytesMax: 8) == nil)
        try file.write([1])
        try file.write([2, 3])
        #expect(try file.read(bytesMax: 8) == [2, 3])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["token"])
        #expect(throws: PrivateFile.Problem.self) { try file.read(bytesMax: 1) }
        try FileSystem.setPermissions(.everyoneReads, of: path("token"))
        #expect(throws: PrivateFile.Problem.self) { try file.read(bytesMax: 8) }
        try file.remove()
        try file.remove()
        #expect(!FileSystem.exists(path("token")))
    }

    @Test func mappedWordsAreInTheFile() throws {
        let page = try MappedPage(path("page"), wordsCount: 2)
        page.words = [1, 2]
        page.sync()
        #expect(try MappedPage(path("page"), wordsCount: 2).words == [1, 2])
        #expect(try FileStatus(of: path("page")).bytesCount == 4096)
    }

    @Test func nothingListensWhereThereIsNoSocket() throws {
        try OpenFile(path("plain"), for: .writing, .create).close()
        #expect(!UnixSocket.isListening(at: path("plain")))
        #expect(!UnixSocket.isListening(at: path(String(repeating: "x", count: UnixSocket.pathBytesMax))))
        UnixSocket.send("READY=1", to: path("nobody"))
        UnixSocket.send("READY=1", to: "")
    }
}
