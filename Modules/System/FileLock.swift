#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An advisory lock that one process holds until it releases this object or ends, in whatever way.
///
/// The lock's file contains the owner's process id, for the operator, and is never removed: otherwise two processes
/// could hold locks of the same name.
package final class FileLock: Sendable {
    package enum Problem: Error, Sendable, Hashable {
        /// Another process holds it; its process id, if the file contains one.
        case held(by: Int32?)
        /// The file cannot be opened.
        case notOpened(SystemError)
        /// The lock cannot be taken.
        case notTaken(SystemError)
    }

    private let file: OpenFile

    /// Takes the lock without waiting. Creates the file, for its owner only, if it is missing.
    ///
    /// - Parameter followsLink: whether the file may be a link.
    package init(_ path: String, followsLink: Bool = false) throws(Problem) {
        do throws(SystemError) {
            file = try OpenFile(path, for: .readingAndWriting, followsLink ? .create : [.create, .noLink])
        } catch {
            throw .notOpened(error)
        }
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = SystemError.last
            throw error.code == EWOULDBLOCK ? .held(by: Self.owner(file)) : .notTaken(error)
        }
        // For diagnostics only: a full disk must not prevent the lock.
        try? file.truncate(to: 0)
        _ = try? file.write(Array("\(getpid())\n".utf8), at: 0)
    }

    deinit { unlock() }

    /// Releases the lock; does nothing if it is released.
    ///
    /// Unlocked explicitly: a child that is just being started may hold a copy of the descriptor for a moment, and
    /// closing ours would not unlock it.
    package func unlock() {
        guard file.descriptor >= 0 else { return }
        _ = flock(file.descriptor, LOCK_UN)
        try? file.close()
    }

    private static func owner(_ file: OpenFile) -> Int32? {
        guard let bytes = try? file.bytes(at: 0, count: 32) else { return nil }
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int32(String(decoding: digits, as: UTF8.self))
    }
}
