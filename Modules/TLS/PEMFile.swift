#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// PEM files on disk.
enum PEMFile {
    static let secretMode: mode_t = 0o600
    static let publicMode: mode_t = 0o644
    static let bytesMax = 1024 * 1024

    /// Creates a new file with these bytes and syncs it to disk. An existing file is refused: its permissions may be
    /// wider than `mode`, and its content may be the only copy.
    static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(TLSError) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard file >= 0 else { throw problem("written", path, errno) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in unsafe Self.write(file, bytes) }
            guard count > 0 else {
                let code = errno
                close(file)
                unsafe unlink(path)
                throw problem("written", path, code)
            }
            rest = rest.dropFirst(count)
        }
        let synced = fsync(file)
        let code = errno
        guard close(file) == 0, synced == 0 else {
            unsafe unlink(path)
            throw problem("written", path, code)
        }
    }

    static func read(_ path: String) throws(TLSError) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw problem("read", path, errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Self.read(file, $0) }
            guard count >= 0 else { throw problem("read", path, errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= bytesMax else {
                throw .configuration("\(path) is larger than \(bytesMax) bytes; a PEM file is smaller")
            }
        }
    }

    private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            #if canImport(Glibc)
                let count = unsafe Glibc.write(file, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
                let count = unsafe Musl.write(file, bytes.baseAddress, bytes.count)
            #else
                let count = unsafe Darwin.write(file, bytes.baseAddress, bytes.count)
            #endif
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private static func read(_ file: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            #if canImport(Glibc)
                let count = unsafe Glibc.read(file, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
                let count = unsafe Musl.read(file, bytes.baseAddress, bytes.count)
            #else
                let count = unsafe Darwin.read(file, bytes.baseAddress, bytes.count)
            #endif
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private static func problem(_ what: String, _ path: String, _ code: Int32) -> TLSError {
        .configuration("\(path) cannot be \(what): \(unsafe String(cString: strerror(code)))")
    }
}
