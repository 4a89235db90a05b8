package import CausewayControlAPI
import CausewaySystem
import Synchronization

/// A file that is sent, read by this process in parts. One reader.
package final class MediaFile: Sendable {
    private let path: String
    private let file: OpenFile
    private let position = Mutex(Int64(0))
    package let size: Int64

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
            size = try file.status().bytesCount
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

    /// The next bytes; `nil` at the end of the file, or after the size that it had when it was opened.
    package func next() throws(ControlError) -> [UInt8]? {
        let start = offset
        let count = Int(min(Int64(ControlLimits.filePartBytes), size - start))
        guard count > 0 else { return nil }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try file.bytes(at: start, count: count)
        } catch {
            throw ControlError(.badRequest, "cannot read \(path): \(error)")
        }
        guard bytes.count == count else {
            throw ControlError(.badRequest, "\(path) changed while it was copied; try again when it is complete")
        }
        position.withLock { $0 += Int64(count) }
        return bytes
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
