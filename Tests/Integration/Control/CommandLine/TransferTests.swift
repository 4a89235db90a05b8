import CausewayCommandLine
import CausewayControlAPI
import CausewayModels
import CausewaySystem
import CausewayTestSupport
import Foundation
import Testing

/// The files that a command reads and writes, on a real disk.
@Suite struct TransferTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: - Sending

    @Test func aFileThatIsWrittenToWhileItIsReadIsRefused() throws {
        for (before, after) in [("words", "words and more"), ("words", "lies."), ("", "more")] {
            let path = try folder.write(before, to: "file")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
            let file = try MediaFile(path)
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.write(contentsOf: Data(after.utf8))
            try handle.close()
            let error = #expect(throws: ControlError.self) {
                while try file.next() != nil {}
            }
            #expect(error?.detail.contains("changed while it was copied") == true, "\(before), \(after)")
        }
    }

    @Test func aFileIsReadToItsEnd() throws {
        for text in ["", "words", String(repeating: "x", count: 1_000_000)] {
            let file = try MediaFile(try folder.write(text, to: "file"))
            var bytes: [UInt8] = []
            while let part = try file.next() { bytes += part }
            #expect(bytes == Array(text.utf8))
            #expect(try file.next() == nil)
        }
    }

    // MARK: - Saving

    private static func attachment(_ name: String) -> CausewayModels.Attachment {
        // The SHA-256 of no bytes.
        CausewayModels.Attachment(
            name: name, contentType: "text/plain", size: 0,
            sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    /// A new name is on the disk when its folder is.
    @Test func theFolderIsSyncedAfterTheFileHasItsName() throws {
        let target = try DownloadTarget(Self.attachment("a"), to: folder.path)
        var synced: [(folder: String, hasName: Bool)] = []
        try target.finish { path throws(SystemError) in
            synced.append((path, FileSystem.exists(target.path)))
            try FileSystem.syncFolder(path)
        }
        #expect(synced.map(\.folder) == [folder.path])
        #expect(synced.map(\.hasName) == [true])

        let other = try DownloadTarget(Self.attachment("b"), to: folder.path)
        let error = #expect(throws: ControlError.self) {
            try other.finish { _ throws(SystemError) in try FileSystem.syncFolder(folder.path + "/none") }
        }
        #expect(error?.code == .outputFailed)
        #expect(error?.detail.hasPrefix("\(other.path) is complete") == true)
        #expect(FileSystem.exists(other.path))
    }

    /// A download that could not have its name would be complete before that is known.
    @Test func aLinkWithoutATargetIsAnExistingFile() throws {
        let path = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path + "/none")
        let error = #expect(throws: ControlError.self) { try DownloadTarget(Self.attachment("a"), to: path) }
        #expect(error?.code == .wrongState)
    }

    /// The part beside the file has a longer name.
    @Test func aFileWithALongNameIsSaved() throws {
        let names = [
            String(repeating: "a", count: 241), String(repeating: "b", count: 242), String(repeating: "c", count: 255),
            String(repeating: "ä", count: 120) + "." + String(repeating: "x", count: 14),
            String(repeating: "👩‍👩‍👧", count: 14) + ".txt", "." + String(repeating: "x", count: 254),
        ]
        for name in names {
            let attachment = Self.attachment(name)
            let saved = DownloadTarget.fileName(attachment)
            #expect(saved.utf8.count <= 241)
            #expect(saved == name || name.utf8.count > 241)
            let target = try DownloadTarget(attachment, to: folder.path)
            try target.finish()
            #expect(target.path == folder.path + "/" + saved)
            #expect(FileSystem.exists(target.path))
        }
        #expect(
            DownloadTarget.fileName(Self.attachment(String(repeating: "ä", count: 120) + ".pages"))
                == String(repeating: "ä", count: 117) + ".pages")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".part") })
    }

    /// A sender must not choose `.bashrc`: not as a name, not by a mark on its dot, and not by a stem that has no room
    /// because it is a single character.
    @Test func noNameHidesTheFile() throws {
        let marks = String(repeating: "\u{301}", count: 118)
        let names = [
            (".bashrc", "_bashrc"), (".\u{301}bashrc", "_\u{301}bashrc"), ("a" + marks + ".bashrc", "file.bashrc"),
            ("a" + marks + marks, "file"),
        ]
        for (name, expected) in names {
            let attachment = Self.attachment(name)
            let saved = DownloadTarget.fileName(attachment)
            #expect(Array(saved.utf8) == Array(expected.utf8))
            let target = try DownloadTarget(attachment, to: folder.path)
            try target.finish()
            #expect(FileSystem.exists(folder.path + "/" + expected))
        }
    }
}
