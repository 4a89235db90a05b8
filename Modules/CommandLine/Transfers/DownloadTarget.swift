package import CausewayControlAPI
package import CausewayModels
import CausewaySystem
import CausewayTLS
import Synchronization

/// The file that a download is written to: first under a name of its own beside it, so that nobody takes a part for the
/// whole. A part that is there is continued.
package final class DownloadTarget: Sendable {
    private struct State: ~Copyable {
        var hash = SHA256Stream()
        var offset: Int64 = 0
    }

    package let path: String
    private let partPath: String
    private let attachment: Attachment
    private let file: OpenFile
    private let state = Mutex(State())

    /// Opens the part, and hashes what is there. Blocks the thread.
    ///
    /// - Parameter path: a file, which must not exist; or a folder, in which the file gets the attachment's name.
    ///
    /// Throws ``ControlError/Code/wrongState`` if the file exists, and ``ControlError/Code/outputFailed`` if it cannot
    /// be written.
    package init(_ attachment: Attachment, to path: String) throws(ControlError) {
        var path = path
        if (try? FileStatus(of: path))?.kind == .folder {
            // The name comes from another device; it is the last component of a path, without control characters.
            path += (path.hasSuffix("/") ? "" : "/") + Self.fileName(attachment)
        }
        // A link without a target has the name as well.
        guard (try? FileStatus(of: path, followsLink: false)) == nil else {
            throw ControlError(.wrongState, "\(path) exists; choose another name with --to, or remove it")
        }
        self.path = path
        self.attachment = attachment
        partPath = path + Self.suffix(attachment)
        do throws(SystemError) {
            file = try OpenFile(partPath, for: .readingAndWriting, [.create, .noLink])
            if try file.status().bytesCount > attachment.size { try file.truncate(to: 0) }
            while true {
                let bytes = try file.bytes(at: offset, count: ControlLimits.filePartBytes)
                if bytes.isEmpty { break }
                add(bytes)
            }
        } catch {
            throw ControlError(.outputFailed, "cannot write \(partPath): \(error)")
        }
    }

    /// The bytes that are there.
    package var offset: Int64 { state.withLock { $0.offset } }

    package func append(_ bytes: [UInt8]) throws(ControlError) {
        do throws(SystemError) {
            try file.writeAll(bytes, at: offset)
        } catch {
            throw ControlError(
                .outputFailed, "cannot write \(partPath): \(error); the same command continues the download")
        }
        add(bytes)
    }

    /// Verifies the file and gives it its name; returns when it is on the disk.
    ///
    /// Throws ``ControlError/Code/refused`` if the bytes are not those that the message names: they are removed then.
    ///
    /// - Parameter syncFolder: returns when the names in a folder are on the disk.
    package func finish(
        syncFolder: (_ path: String) throws -> Void = { path in try FileSystem.syncFolder(path) }
    ) throws(ControlError) {
        let digest = state.withLock { Hexadecimal.text(of: $0.hash.digest()) }
        guard digest == attachment.sha256, offset == attachment.size else {
            try? FileSystem.removeIfPresent(partPath)
            throw ControlError(
                .refused, "the downloaded file is not the one that the message names; it was removed: try again")
        }
        do throws(SystemError) {
            try file.sync()
            try FileSystem.renameReplacingNothing(partPath, to: path)
        } catch {
            throw ControlError(.outputFailed, "cannot write \(path): \(error)")
        }
        let folder = FileSystem.parent(of: path)
        do {
            // The new name would not outlast a power failure.
            try syncFolder(folder.isEmpty ? "." : folder)
        } catch {
            throw ControlError(
                .outputFailed,
                "\(path) is complete, but a power failure may take it away: its folder cannot be synced: \(error)")
        }
    }

    /// The name of a file from another device, safe as the last component of a path, and short enough that its part
    /// has a name as well; it hides no file. A name that is too long loses the end of its stem; a short extension is
    /// kept.
    package static func fileName(_ attachment: Attachment) -> String {
        let name = Attachment.name(ofPath: attachment.name)
        // Scalars: a dot with a mark on it is another character, and hides a file all the same.
        var scalars = name.unicodeScalars
        if scalars.first == "." { scalars.replaceSubrange(..<scalars.index(after: scalars.startIndex), with: ["_"]) }
        let safe = String(scalars)
        var bytesLeft = FileSystem.nameBytesMax - suffix(attachment).utf8.count
        guard safe.utf8.count > bytesLeft else { return safe }
        var end = safe.lastIndex(of: ".").map { safe[$0...] } ?? ""
        if end.utf8.count > CommandLineLimits.extensionBytesMax { end = "" }
        bytesLeft -= end.utf8.count
        var stem = safe.dropLast(end.count)
        while stem.utf8.count > bytesLeft { stem.removeLast() }
        // One letter with many marks is a single character: without it the extension alone would be a hidden file.
        if stem.isEmpty { stem = "file" }
        return String(stem + end)
    }

    /// The end of the name of a part.
    private static func suffix(_ attachment: Attachment) -> String { ".\(attachment.sha256.prefix(8)).part" }

    private func add(_ bytes: [UInt8]) {
        state.withLock { state in
            state.hash.update(bytes)
            state.offset += Int64(bytes.count)
        }
    }
}
