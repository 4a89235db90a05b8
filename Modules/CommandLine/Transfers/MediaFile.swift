package import CausewayControlAPI
import CausewaySystem
import Synchronization

/// A file that is sent, read by this process in parts. One reader.
package final class MediaFile: Sendable {
    private let path: String
    private let file: OpenFile
    private let position = Mutex(Int64(0))
    package let size: Int64
    /// The content when it was opened.
    private let version: FileStatus.Version

    /// Opens the file.
    ///
    /// Throws ``ControlError/Code/notFound`` and ``ControlError/Code/badRequest`` if there is none, it cannot be read,
    /// or it is a folder, a device, a pipe or a socket.
    package init(_ path: String) throws(ControlError) {
        self.path = path
        let status: FileStatus
        do throws(SystemError) {
            // Opening a pipe or a device may wait or change it.
            status = try FileStatus(of: path)
        } catch {
            throw Self.unreadable(path, error)
        }
        guard status.kind == .file else {
            throw ControlError(.badRequest, "\(path) is \(Self.name(of: status.kind)); only a file can be attached")
        }
        do throws(SystemError) {
            file = try OpenFile(path, for: .reading, .noWait)
            let opened = try file.status()
            size = opened.bytesCount
            version = opened.version
        } catch {
            throw Self.unreadable(path, error)
        }
    }

    private static func unreadable(_ path: String, _ error: SystemError) -> ControlError {
        error.isNotFound
            ? ControlError(.notFound, "there is no file \(path)")
            : ControlError(.badRequest, "cannot read \(path): \(error); check its permissions")
    }

    /// Bytes that were read.
    package var offset: Int64 { position.withLock { $0 } }

    /// The next bytes; `nil` at the end of the file.
    ///
    /// Throws ``ControlError/Code/badRequest`` at the end if the file was written to since it was opened: it may have
    /// more bytes, or a mixture of old and new ones.
    package func next() throws(ControlError) -> [UInt8]? {
        let start = offset
        let count = Int(min(Int64(ControlLimits.filePartBytes), size - start))
        guard count > 0 || size == 0 else { return nil }
        let bytes: [UInt8]
        var isUnchanged = true
        do throws(SystemError) {
            bytes = try file.bytes(at: start, count: count)
            if start + Int64(count) == size { isUnchanged = try file.status().version == version }
        } catch {
            throw ControlError(.badRequest, "cannot read \(path): \(error)")
        }
        guard bytes.count == count, isUnchanged else {
            throw ControlError(.badRequest, "\(path) changed while it was copied; try again when it is complete")
        }
        position.withLock { $0 += Int64(count) }
        return count > 0 ? bytes : nil
    }

    /// The last component of a path.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? "file"
    }

    private static func name(of kind: FileStatus.Kind) -> String {
        switch kind {
        case .folder: "a folder"
        case .pipe: "a pipe"
        case .device: "a device"
        case .socket: "a socket"
        case .file, .link, .other: "no file"
        }
    }
}
