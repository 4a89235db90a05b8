import CausewaySystem
import Foundation
import Testing

/// Folders, keys and sockets that other users could read, replace or listen at.
@Suite struct FileAccessTests {
    private final class Folder: Sendable {
        let path: String

        init(in parent: String = FileManager.default.temporaryDirectory.path) throws {
            path = parent + "/cw-access-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            guard unsafe chmod(path, 0o700) == 0 else { throw CocoaError(.fileWriteUnknown) }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func file(_ name: String, _ mode: mode_t) throws -> String {
            let file = path + "/" + name
            try Data("x".utf8).write(to: URL(fileURLWithPath: file))
            guard unsafe chmod(file, mode) == 0 else { throw CocoaError(.fileWriteUnknown) }
            return file
        }
    }

    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test(arguments: [0o700, 0o755, 0o750, 0o1755] as [mode_t])
    func aFolderThatOnlyItsUserCanChangeIsTaken(mode: mode_t) {
        _ = unsafe chmod(folder.path, mode)
        #expect(FileAccess.problem(ofFolder: folder.path) == nil)
    }

    @Test(arguments: [0o720, 0o702, 0o777, 0o1777] as [mode_t])
    func aFolderThatOthersCanChangeIsNot(mode: mode_t) {
        _ = unsafe chmod(folder.path, mode)
        #expect(FileAccess.problem(ofFolder: folder.path)?.contains("chmod go-w") == true)
    }

    @Test(arguments: [0o600, 0o400, 0o640] as [mode_t])
    func aKeyThatItsUserAndAGroupCanReadIsTaken(mode: mode_t) throws {
        #expect(FileAccess.problem(ofSecretFile: try folder.file("key", mode)) == nil)
    }

    @Test(arguments: [0o644, 0o604, 0o602, 0o660, 0o666] as [mode_t])
    func aKeyThatOthersCanReadOrWriteIsNot(mode: mode_t) throws {
        #expect(FileAccess.problem(ofSecretFile: try folder.file("key", mode))?.contains("chmod 600") == true)
    }

    @Test func whatIsNotThereIsNoProblemHere() {
        let path = folder.path + "/none"
        #expect(FileAccess.problem(ofFolder: path) == nil)
        #expect(FileAccess.problem(ofSecretFile: path) == nil)
        #expect(FileAccess.problem(ofSocket: path) == nil)
    }

    @Test func whatLiesWhereOthersCanReplaceItIsNotTrusted() throws {
        let socket = try folder.file("s", 0o600)
        #expect(FileAccess.problem(ofSocket: socket) == nil)
        _ = unsafe chmod(folder.path, 0o777)
        #expect(FileAccess.problem(ofSocket: socket)?.contains("chmod go-w") == true)
        _ = unsafe chmod(folder.path, 0o1777)
        #expect(FileAccess.problem(ofSocket: socket) == nil)
    }

    private func give(_ path: String, to user: uid_t) throws {
        guard unsafe chown(path, user, user) == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    /// Without root privileges ownership cannot be changed, but a whole system of another user's folders is available.
    @Test func whatBelongsToAnotherUserIsRefused() throws {
        guard geteuid() == 0 else {
            #expect(FileAccess.problem(ofFolder: "/")?.contains("belongs to another user (0)") == true)
            return
        }
        // Regardless of the location of temporary folders: below one that others can write to, nothing counts as handed
        // out by root.
        _ = unsafe chmod(self.folder.path, 0o1777)
        let folder = try Folder(in: self.folder.path)
        let key = try folder.file("key", 0o600)
        let socket = try folder.file("s", 0o600)
        for path in [key, socket] { try give(path, to: 65534) }
        #expect(FileAccess.problem(ofSecretFile: key)?.contains("belongs to another user (65534)") == true)
        #expect(FileAccess.problem(ofSocket: socket)?.contains("belongs to another user (65534)") == true)
        try give(socket, to: 0)
        #expect(FileAccess.problem(ofSocket: socket) == nil)
        try give(folder.path, to: 65534)
        #expect(FileAccess.problem(ofFolder: folder.path)?.contains("belongs to another user (65534)") == true)
        #expect(FileAccess.problem(ofSocket: socket)?.contains("folder of another user (65534)") == true)
    }
}
