import CausewaySystem
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A small file with mode 0600 from its creation, replaced atomically.
struct PrivateFile: Sendable {
    let path: String

    /// The system's description of an error; contains the path and never the content.
    struct Problem: Error, Sendable, CustomStringConvertible {
        let description: String
        let code: Int32
    }

    /// Returns the content; `nil` when there is no file.
    ///
    /// Throws when other users may read the file, because the secret is then exposed; when the file exceeds `bytesMax`;
    /// and when it cannot be read.
    func read(bytesMax: Int) throws(Problem) -> Data? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw problem("cannot be read")
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw problem("cannot be read") }
        guard status.st_mode & 0o077 == 0 else {
            throw Problem(description: "\(path) can be read by others; run chmod 600 on it", code: EPERM)
        }
        guard Int(status.st_size) <= bytesMax else {
            throw Problem(description: "\(path) is larger than \(bytesMax) bytes", code: EFBIG)
        }
        var content = Data(count: Int(status.st_size))
        let size = unsafe content.withUnsafeMutableBytes { buffer in
            unsafe Self.readAll(descriptor, buffer)
        }
        guard size >= 0 else { throw problem("cannot be read") }
        return content.prefix(size)
    }

    private static func readAll(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        var done = 0
        while done < buffer.count, let base = buffer.baseAddress {
            let size = unsafe systemRead(descriptor, base + done, buffer.count - done)
            if size < 0 { return -1 }
            if size == 0 { break }
            done += size
        }
        return done
    }

    /// Replaces the content durably and atomically, also across a power failure.
    func write(_ content: Data) throws(Problem) {
        let temporary = path + ".new"
        _ = unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw problem("cannot be written") }
        let isWritten = Self.writeAll(content, to: descriptor) && fsync(descriptor) == 0
        let code = errno
        _ = close(descriptor)
        guard isWritten, unsafe rename(temporary, path) == 0 else {
            let found = problem("cannot be written", isWritten ? errno : code)
            _ = unsafe unlink(temporary)
            throw found
        }
        try syncFolder()
    }

    /// Removes the file durably; does nothing when there is none.
    func remove() throws(Problem) {
        guard unsafe unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw problem("cannot be removed")
        }
        try syncFolder()
    }

    private static func writeAll(_ content: Data, to descriptor: Int32) -> Bool {
        unsafe content.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count, let base = buffer.baseAddress {
                let size = unsafe systemWrite(descriptor, base + done, buffer.count - done)
                if size < 0 {
                    if errno == EINTR { continue }
                    return false
                }
                done += size
            }
            return true
        }
    }

    private func syncFolder() throws(Problem) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw problem("cannot be made durable") }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw problem("cannot be made durable") }
    }

    private func problem(_ what: String, _ code: Int32 = errno) -> Problem {
        Problem(description: "\(path) \(what): \(SystemWords.words(for: code))", code: code)
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
