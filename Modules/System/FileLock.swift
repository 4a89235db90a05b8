import CausewayStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The advisory lock of a store's folder. The kernel releases it when the process ends, in whatever way.
///
/// The file contains the owner's process id and is never removed: otherwise two processes could hold locks of the same
/// name.
final class StoreLock: Sendable {
    private let descriptor: Int32

    init(_ folder: StoreFolder) throws(StoreError) {
        let descriptor = unsafe open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreFolder.failure(errno, at: folder.lock) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let owner = Self.owner(descriptor)
            _ = close(descriptor)
            if code == EWOULDBLOCK { throw .locked(by: owner, path: folder.path) }
            throw StoreFolder.failure(code, at: folder.lock)
        }
        self.descriptor = descriptor
        // For diagnostics only: a full disk must not keep a store from being opened.
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 {
            _ = unsafe text.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        }
    }

    deinit { _ = close(descriptor) }

    private static func owner(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let size = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard size > 0 else { return nil }
        let digits = bytes.prefix(size).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int32(String(decoding: digits, as: UTF8.self))
    }
}
