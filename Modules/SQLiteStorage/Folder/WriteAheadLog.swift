#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads SQLite's write-ahead log according to its file format (§4), independently of SQLite.
///
/// Unlike the database file and its index in shared memory, the log carries none of SQLite's locks, which a process
/// would lose by closing the file.
enum WriteAheadLog {
    /// Opens the log; the caller closes the descriptor. `nil` if there is no log.
    static func open(_ path: String) -> Int32? {
        #if canImport(Glibc)
            let log = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        #elseif canImport(Musl)
            let log = unsafe Musl.open(path, O_RDONLY | O_CLOEXEC)
        #else
            let log = unsafe Darwin.open(path, O_RDONLY | O_CLOEXEC)
        #endif
        return log >= 0 ? log : nil
    }

    /// The header of the log: its first 32 bytes.
    struct Head {
        static let bytesCount = 32

        var salts: [UInt32]
        var pageBytes: Int
        var checksum: [UInt32]
        /// The byte order of the words that checksums are computed from.
        var isBigEndian: Bool

        /// `nil` if the header is incomplete or invalid.
        init?(_ log: Int32) {
            let bytes = WriteAheadLog.bytes(log, 0, Self.bytesCount)
            let words = WriteAheadLog.words(bytes, isBigEndian: true)
            guard words.count == 8, words[0] & 0xFFFF_FFFE == 0x377F_0682, (512...65536).contains(words[2])
            else { return nil }
            isBigEndian = words[0] & 1 == 1
            pageBytes = Int(words[2])
            salts = Array(words[4..<6])
            checksum = WriteAheadLog.sum(bytes.prefix(24), from: [0, 0], isBigEndian)
            guard checksum == Array(words[6..<8]) else { return nil }
        }
    }

    /// The header of a frame: the 24 bytes before a page.
    struct Frame {
        static let bytesCount = 24

        /// True if the frame ends a commit.
        var isCommit: Bool
        var salts: [UInt32]
        var checksum: [UInt32]

        /// - Parameter index: starts at 0.
        init?(_ log: Int32, _ index: Int, _ head: Head) {
            let offset = Head.bytesCount + index * (Self.bytesCount + head.pageBytes)
            let words = WriteAheadLog.words(WriteAheadLog.bytes(log, offset, Self.bytesCount), isBigEndian: true)
            guard words.count == 6 else { return nil }
            isCommit = words[1] != 0
            salts = Array(words[2..<4])
            checksum = Array(words[4..<6])
        }
    }

    /// The number of leading frames that are intact together with all before them, at most `count`, and the checksum of
    /// the last of them.
    static func wholeFrames(_ log: Int32, _ head: Head, _ count: Int) -> (count: Int, checksum: [UInt32]) {
        var checksum = head.checksum
        for index in 0..<count {
            guard let frame = Frame(log, index, head), frame.salts == head.salts else { return (index, checksum) }
            let offset = Head.bytesCount + index * (Frame.bytesCount + head.pageBytes)
            let page = bytes(log, offset + Frame.bytesCount, head.pageBytes)
            guard page.count == head.pageBytes else { return (index, checksum) }
            let begun = sum(bytes(log, offset, 8)[...], from: checksum, head.isBigEndian)
            let found = sum(page[...], from: begun, head.isBigEndian)
            guard found == frame.checksum else { return (index, checksum) }
            checksum = found
        }
        return (count, checksum)
    }

    /// The bytes as words of four bytes each; an incomplete last word is left out.
    static func words(_ bytes: [UInt8], isBigEndian: Bool) -> [UInt32] {
        stride(from: 0, to: bytes.count - bytes.count % 4, by: 4).map { word(bytes[...], $0, isBigEndian) }
    }

    private static func word(_ bytes: ArraySlice<UInt8>, _ index: Int, _ isBigEndian: Bool) -> UInt32 {
        let first = UInt32(bytes[index]) << 24 | UInt32(bytes[index + 1]) << 16
        let word = first | UInt32(bytes[index + 2]) << 8 | UInt32(bytes[index + 3])
        return isBigEndian ? word : word.byteSwapped
    }

    private static func sum(_ bytes: ArraySlice<UInt8>, from start: [UInt32], _ isBigEndian: Bool) -> [UInt32] {
        var (first, second) = (start[0], start[1])
        for index in stride(from: bytes.startIndex, to: bytes.endIndex - 7, by: 8) {
            first &+= word(bytes, index, isBigEndian) &+ second
            second &+= word(bytes, index + 4, isBigEndian) &+ first
        }
        return [first, second]
    }

    /// Bytes of the log from an offset; fewer at its end.
    private static func bytes(_ log: Int32, _ offset: Int, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let size = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(log, $0.baseAddress, count, off_t(offset))
        }
        return Array(bytes.prefix(max(0, size)))
    }
}
