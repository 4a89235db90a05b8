import Causeway
import CausewayControlAPI
import CausewayControlClient
import CausewayControlServer
import CausewayTestSupport
import Foundation
import Synchronization
import Testing

/// The socket is accessible to its owner only, and serves one daemon.
@Suite struct ControlSocketPathTests {
    @Test func folderAndSocketAreTheOwnersAlone() async throws {
        try await ControlWorld.run { world in
            #expect(try TemporaryFolder.mode(of: world.socketPath) == 0o600)
            #expect(try TemporaryFolder.mode(of: world.folder.path + "/run") == 0o700)
            let names = try FileManager.default.contentsOfDirectory(atPath: world.folder.path + "/run").sorted()
            #expect(names == ["s", "s.lock"])
        }
    }

    /// Checks the socket without a pause while servers start and stop: a socket that was bound at its path first and
    /// narrowed afterwards would be seen with the mode that the umask leaves.
    @Test func theSocketIsNeverWiderForAMoment() async throws {
        let folder = try TemporaryFolder(.short)
        let path = folder.path + "/run/s"
        let seen = Mutex<(modes: Set<Int>, isOver: Bool)>(([], false))
        let watcher = Thread.detached {
            while !seen.withLock(\.isOver) {
                if let mode = try? TemporaryFolder.mode(of: path) {
                    seen.withLock { _ = $0.modes.insert(mode) }
                }
            }
        }
        for _ in 0..<30 {
            try await ControlWorld.serving(DeafService(), at: path) {
                try await Eventually.holds("the watcher saw it") { !seen.withLock(\.modes).isEmpty }
            }
        }
        seen.withLock { $0.isOver = true }
        await watcher.ended()
        #expect(seen.withLock(\.modes) == [0o600])
    }

    @Test func whatADeadProcessLeftIsReplaced() async throws {
        let folder = try TemporaryFolder(.short)
        let path = folder.path + "/s"
        try StaleSocket.leave(at: path)
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(!ControlSocketPath(path: path).isListening)
        try await ControlWorld.serving(DeafService(), at: path) {
            #expect(ControlSocketPath(path: path).isListening)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aLiveOneIsRefusedAndGoesOn() async throws {
        try await ControlWorld.run { world in
            do {
                try await ControlWorld.serving(DeafService(), at: world.socketPath) {
                    Issue.record("two daemons serve one socket")
                }
                Issue.record("the second one was not refused")
            } catch let error as ControlError {
                #expect(error.code == .socketInUse)
                #expect(error.detail.contains(world.socketPath))
            }
            #expect(try await world.client.status().process.pid == 4711)
        }
    }

    @Test func aSocketOfAnotherProgramIsNotTaken() async throws {
        let folder = try TemporaryFolder(.short)
        let path = folder.path + "/s"
        let other = try StaleSocket.listen(at: path)
        await expectRefused(at: path, .socketInUse)
        #expect(ControlSocketPath(path: path).isListening)
        other.close()
    }

    @Test func aFileInItsPlaceIsNotRemoved() async throws {
        let folder = try TemporaryFolder(.short)
        let path = try folder.write("precious", to: "s")
        await expectRefused(at: path, .socketNotAccessible)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }

    @Test(arguments: [0o755, 0o770, 0o701, 0o1777])
    func aFolderThatOthersCanEnterIsRefused(mode: Int) async throws {
        let folder = try TemporaryFolder(.short)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        await expectRefused(at: folder.path + "/s", .socketNotAccessible)
    }

    @Test func pathsThatCannotBeAreRefused() async throws {
        let folder = try TemporaryFolder(.short)
        await expectRefused(at: folder.path + "/" + String(repeating: "x", count: 120), .configuration)
        await expectRefused(at: "relative/s", .configuration)
        let file = try folder.write("", to: "file")
        await expectRefused(at: file + "/s", .socketNotAccessible)
    }

    private func expectRefused(at path: String, _ code: ControlError.Code) async {
        do {
            try await ControlWorld.serving(DeafService(), at: path) { Issue.record("it was served") }
            Issue.record("it was not refused")
        } catch let error as ControlError {
            #expect(error.code == code)
        } catch {
            Issue.record("\(error)")
        }
    }
}
