import CausewayStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The first words of a file, mapped into memory, so that writing them takes no system call.
///
/// The page is allocated in the file before it is mapped, so that a full disk cannot fail a later write to it. Like
/// SQLite's own mapped file, it must not be truncated by others while it is mapped.
@safe
final class NotePage {
    static let wordsCount = 8
    private static let pageBytes = 4096

    private let file: Int32
    private let page: UnsafeMutableRawPointer

    /// Keeps the contents of the file; creates the file if it is missing.
    init(_ path: String) throws(StoreError) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw StoreFolder.failure(errno, at: path) }
        guard Self.allocate(file),
            let page = unsafe mmap(nil, Self.pageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            unsafe page != MAP_FAILED
        else {
            let code = errno
            _ = close(file)
            throw StoreFolder.failure(code, at: path)
        }
        self.file = file
        unsafe self.page = page
    }

    deinit {
        _ = unsafe munmap(page, Self.pageBytes)
        _ = close(file)
    }

    /// The words in the byte order of the file.
    var words: [UInt32] {
        get { (0..<Self.wordsCount).map { unsafe page.load(fromByteOffset: $0 * 4, as: UInt32.self) } }
        set {
            for (index, word) in newValue.prefix(Self.wordsCount).enumerated() {
                unsafe page.storeBytes(of: word, toByteOffset: index * 4, as: UInt32.self)
            }
        }
    }

    /// Syncs the words to the disk.
    func sync() {
        _ = unsafe msync(page, Self.pageBytes, MS_SYNC)
        _ = fsync(file)
    }

    /// Writes the first page of the file as it is, or with zeros where it ends before.
    private static func allocate(_ file: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: pageBytes)
        let size = unsafe bytes.withUnsafeMutableBytes { bytes in
            guard unsafe pread(file, bytes.baseAddress, bytes.count, 0) >= 0 else { return -1 }
            return unsafe pwrite(file, bytes.baseAddress, bytes.count, 0)
        }
        if size >= 0, size < pageBytes { errno = ENOSPC }
        return size == pageBytes
    }
}
