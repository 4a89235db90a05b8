import CausewayStorage
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Records in a file of its own how far the write-ahead log reached at the last commit.
///
/// SQLite uses the log as it finds it: if the log is missing, cut or damaged, the commits in it are lost silently. The
/// note shows that such commits were made. It is written after each commit and not synced, so it adds no wait; it is
/// withdrawn, with a sync, before the log is cut or deleted on purpose.
///
/// It detects that the log is missing, empty, cut, replaced by an older one, or damaged in its header or in any part
/// that was noted. It does not detect the loss of commits that no note on the disk covers: the last one if the process
/// ended before noting it, and after a power cut those made since the note was last written to the disk, once the log
/// was restarted.
///
/// Called only by the writer, and before the database is opened.
final class LogEnd: Sendable {
    /// A position in a log: the log with these salts, after so many frames.
    struct Position: Equatable {
        var salts: [UInt32]
        var frames: Int
        /// The checksum of the last frame, which covers all frames before it.
        var checksum: [UInt32]
    }

    private let folder: StoreFolder
    private let note: Int32
    /// The log that was read last, and the position up to which it is known.
    private let known = Mutex<(log: Int32, position: Position)?>(nil)

    init(_ folder: StoreFolder) throws(StoreError) {
        let note = unsafe open(folder.logEnd, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard note >= 0 else { throw StoreFolder.failure(errno, at: folder.logEnd) }
        self.folder = folder
        self.note = note
    }

    deinit {
        known.withLock { known in
            if let known { _ = close(known.log) }
        }
        _ = close(note)
    }

    // MARK: Noting

    /// Records a commit. A failure to write the note does not fail the commit.
    func noteCommit() {
        known.withLock { known in
            guard let log = known?.log ?? WriteAheadLog.open(folder.log) else { return }
            var position = known?.position ?? .none
            known = (log, position)
            guard let head = WriteAheadLog.Head(log) else { return }
            if position.salts != head.salts { position = Position(salts: head.salts, frames: 0, checksum: []) }
            var frames = position.frames
            while let frame = WriteAheadLog.Frame(log, frames, head), frame.salts == head.salts {
                frames += 1
                guard frame.isCommit else { continue }
                position.frames = frames
                position.checksum = frame.checksum
            }
            known = (log, position)
            if position.frames > 0 { write(position) }
        }
    }

    /// Invalidates the note before the log is cut or deleted, so that its commits are not reported as lost.
    func withdraw() {
        known.withLock { known in
            if let known { _ = close(known.log) }
            known = nil
            write(.none)
            _ = fsync(note)
        }
    }

    private func write(_ position: Position) {
        let bytes = position.coded
        _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(note, $0.baseAddress, $0.count, 0) }
    }

    // MARK: Lost commits

    /// A description of the loss of noted commits; `nil` if none is known to be lost.
    func loss() -> String? {
        var bytes = [UInt8](repeating: 0, count: Position.bytesCount)
        let size = unsafe bytes.withUnsafeMutableBytes { unsafe pread(note, $0.baseAddress, $0.count, 0) }
        guard size == bytes.count, let noted = Position(bytes), noted != .none else { return nil }
        guard let log = WriteAheadLog.open(folder.log) else { return Self.words("it is gone") }
        defer { _ = close(log) }
        guard let head = WriteAheadLog.Head(log) else { return Self.words("it is empty or its head is damaged") }
        guard head.salts == noted.salts else {
            // SQLite increments the first salt when it restarts the log: all noted commits had been copied into the
            // database before.
            let isLater = Int32(bitPattern: head.salts[0] &- noted.salts[0]) > 0
            return isLater ? nil : Self.words("an older one lies in its place")
        }
        let whole = WriteAheadLog.wholeFrames(log, head, noted.frames)
        guard whole.count < noted.frames else {
            return whole.checksum == noted.checksum ? nil : Self.words("another one lies in its place")
        }
        return Self.words("it is whole up to frame \(whole.count) of \(noted.frames)")
    }

    private static func words(_ detail: String) -> String {
        "the write-ahead log lost commits (\(detail)): what was written last may be gone; "
            + "compare with the server, and restore a backup if there is a newer one"
    }
}

extension LogEnd.Position {
    static let none = LogEnd.Position(salts: [0, 0], frames: 0, checksum: [0, 0])

    /// `CSWL`, version 1.
    private static let mark: [UInt32] = [0x4353_574C, 1]
    static let bytesCount = 32

    /// The note as bytes, ending with a checksum that shows whether it was written completely.
    var coded: [UInt8] {
        let checksum = checksum.count == 2 ? checksum : [0, 0]
        let words = Self.mark + salts + [UInt32(truncatingIfNeeded: frames)] + checksum
        return (words + [Self.seal(words)]).flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    init?(_ bytes: [UInt8]) {
        let words = WriteAheadLog.words(bytes, isBigEndian: true)
        guard words.count == 8, Array(words.prefix(2)) == Self.mark, Self.seal(Array(words.dropLast())) == words[7]
        else { return nil }
        self.init(salts: Array(words[2..<4]), frames: Int(words[4]), checksum: Array(words[5..<7]))
    }

    private static func seal(_ words: [UInt32]) -> UInt32 { words.reduce(2_166_136_261) { ($0 ^ $1) &* 16_777_619 } }
}
