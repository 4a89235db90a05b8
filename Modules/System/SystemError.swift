#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The reason why a call of the operating system failed.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    package let code: Int32

    package init(code: Int32) { self.code = code }

    /// The error of the call that failed last on this thread. Taken at once: any other call may replace it.
    static var last: SystemError { SystemError(code: errno) }

    /// A write that the system accepted only in part.
    static let incomplete = SystemError(code: EIO)
    /// The errors of a broken and of a full disk, for tests of what follows.
    package static let broken = SystemError(code: EIO)
    package static let full = SystemError(code: ENOSPC)

    /// There is no file or folder of that name.
    package var isNotFound: Bool { code == ENOENT }
    /// A part of the path is no folder, so that nothing can be there.
    package var isNotFolder: Bool { code == ENOTDIR }
    /// The process or the system has too many open files, or too little memory, at present.
    package var isOutOfResources: Bool { code == EMFILE || code == ENFILE || code == ENOMEM }
    /// There is a file or folder of that name already.
    package var isExisting: Bool { code == EEXIST }
    /// The disk or the user's share of it is full.
    package var isFull: Bool { code == ENOSPC || code == EDQUOT }

    /// The system's description of the error.
    package var description: String { SystemWords.words(for: code) }
}

/// The system's descriptions of its error numbers.
package enum SystemWords {
    package static func words(for code: Int32) -> String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
