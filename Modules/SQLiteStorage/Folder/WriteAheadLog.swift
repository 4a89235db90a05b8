import CausewaySystem

/// Reads SQLite's write-ahead log according to its file format (§4), independently of SQLite.
///
/// Unlike the database file and its index in shared memory, the log carries none of SQLite's locks, which a process
/// would lose by closing the file.
enum WriteAheadLog {
    /// Opens the log; `nil` if there is no log.
    static func open(_ path: String) -> OpenFile? { try? OpenFile(path, for: .reading) }

    /// The two salts of a log, or the two words of a checksum.
    struct Pair: Equatable {
        static let zero = Pair(0, 0)

        var first: UInt32
        var second: UInt32

        init(_ first: UInt32, _ second: UInt32) {
            self.first = first
            self.second = second
        }
    }

    /// The header of the log: its first 32 bytes.
    struct Head {
        static let bytesCount = 32

        var salts: Pair
        var pageBytes: Int
        var checksum: Pair
        /// The byte order of the words that checksums are computed from.
        var isBigEndian: Bool

        /// `nil` if the header is incomplete or invalid.
        init?(_ log: OpenFile) {
            guard let words = WriteAheadLog.words(log, 0, Self.bytesCount / 4), words[0] & 0xFFFF_FFFE == 0x377F_0682,
                (512...65536).contains(words[2])
            else { return nil }
            isBigEndian = words[0] & 1 == 1
            pageBytes = Int(words[2])
            salts = Pair(words[4], words[5])
            let bytes = WriteAheadLog.bytes(log, 0, 24)
            checksum = WriteAheadLog.sum(bytes[...], from: .zero, isBigEndian)
            guard checksum == Pair(words[6], words[7]) else { return nil }
        }
    }

    /// The header of a frame: the 24 bytes before a page.
    struct Frame {
        static let bytesCount = 24

        /// True if the frame ends a commit.
        var isCommit: Bool
        var salts: Pair
        var checksum: Pair

        /// Costs one read. `nil` beyond the end of the log.
        ///
        /// - Parameter index: starts at 0.
        init?(_ log: OpenFile, _ index: Int, pageBytes: Int) {
            let offset = WriteAheadLog.bytesCount(frames: index, pageBytes: pageBytes)
            guard let words = WriteAheadLog.words(log, offset, Self.bytesCount / 4) else { return nil }
            isCommit = words[1] != 0
            salts = Pair(words[2], words[3])
            checksum = Pair(words[4], words[5])
        }
    }

    /// The length of a log with this number of frames.
    static func bytesCount(frames: Int, pageBytes: Int) -> Int {
        Head.bytesCount + frames * (Frame.bytesCount + pageBytes)
    }

    /// The number of leading frames that are intact together with all before them, at most `count`, and the checksum of
    /// the last of them.
    static func wholeFrames(_ log: OpenFile, _ head: Head, _ count: Int) -> (count: Int, checksum: Pair) {
        var checksum = head.checksum
        for index in 0..<count {
            guard let frame = Frame(log, index, pageBytes: head.pageBytes), frame.salts == head.salts
            else { return (index, checksum) }
            let offset = bytesCount(frames: index, pageBytes: head.pageBytes)
            let page = bytes(log, offset + Frame.bytesCount, head.pageBytes)
            guard page.count == head.pageBytes else { return (index, checksum) }
            let begun = sum(bytes(log, offset, 8)[...], from: checksum, head.isBigEndian)
            let found = sum(page[...], from: begun, head.isBigEndian)
            guard found == frame.checksum else { return (index, checksum) }
            checksum = found
        }
        return (count, checksum)
    }

    /// Words of the log from an offset, in one read; `nil` if it ends before.
    private static func words(_ log: OpenFile, _ offset: Int, _ count: Int) -> [UInt32]? {
        let words = unsafe [UInt32](unsafeUninitializedCapacity: count) { buffer, filled in
            let size = unsafe try? log.read(at: Int64(offset), into: UnsafeMutableRawBufferPointer(buffer))
            filled = size == count * 4 ? count : 0
            for index in 0..<filled { unsafe buffer[index] = UInt32(bigEndian: buffer[index]) }
        }
        return words.isEmpty ? nil : words
    }

    private static func word(_ bytes: ArraySlice<UInt8>, _ index: Int, _ isBigEndian: Bool) -> UInt32 {
        let first = UInt32(bytes[index]) << 24 | UInt32(bytes[index + 1]) << 16
        let word = first | UInt32(bytes[index + 2]) << 8 | UInt32(bytes[index + 3])
        return isBigEndian ? word : word.byteSwapped
    }

    private static func sum(_ bytes: ArraySlice<UInt8>, from start: Pair, _ isBigEndian: Bool) -> Pair {
        var (first, second) = (start.first, start.second)
        for index in stride(from: bytes.startIndex, to: bytes.endIndex - 7, by: 8) {
            first &+= word(bytes, index, isBigEndian) &+ second
            second &+= word(bytes, index + 4, isBigEndian) &+ first
        }
        return Pair(first, second)
    }

    /// Bytes of the log from an offset; fewer at its end.
    private static func bytes(_ log: OpenFile, _ offset: Int, _ count: Int) -> [UInt8] {
        (try? log.bytes(at: Int64(offset), count: count)) ?? []
    }
}
