#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The first words of a file, mapped into memory, so that writing them takes no system call.
///
/// The page is allocated in the file before it is mapped, so that a full disk cannot fail a later write to it. The file
/// must not be truncated by others while it is mapped.
@safe
package final class MappedPage {
    private static let pageBytes = 4096

    private let file: OpenFile
    private let page: UnsafeMutableRawPointer
    private let wordsCount: Int

    /// Keeps the contents of the file; creates the file, for its owner only, if it is missing.
    ///
    /// - Parameter wordsCount: the number of words in use, at most 1,024.
    package init(_ path: String, wordsCount: Int) throws(SystemError) {
        let file = try OpenFile(path, for: .readingAndWriting, [.create, .noLink])
        try Self.allocate(file)
        guard
            let page = unsafe mmap(nil, Self.pageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0),
            unsafe page != MAP_FAILED
        else { throw .last }
        self.file = file
        unsafe self.page = page
        self.wordsCount = min(wordsCount, Self.pageBytes / 4)
    }

    deinit { _ = unsafe munmap(page, Self.pageBytes) }

    /// The words in the byte order of the file.
    package var words: [UInt32] {
        get { (0..<wordsCount).map { unsafe page.load(fromByteOffset: $0 * 4, as: UInt32.self) } }
        set {
            for (index, word) in newValue.prefix(wordsCount).enumerated() {
                unsafe page.storeBytes(of: word, toByteOffset: index * 4, as: UInt32.self)
            }
        }
    }

    /// Returns when the words are on the disk.
    package func sync() {
        _ = unsafe msync(page, Self.pageBytes, MS_SYNC)
        try? file.sync()
    }

    /// Writes the first page of the file as it is, or with zeros where it ends before.
    private static func allocate(_ file: OpenFile) throws(SystemError) {
        let found = try file.bytes(at: 0, count: pageBytes)
        let page = found + [UInt8](repeating: 0, count: pageBytes - found.count)
        guard try file.write(page, at: 0) == pageBytes else { throw SystemError(code: ENOSPC) }
    }
}
