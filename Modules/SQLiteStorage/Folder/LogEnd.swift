import CausewayStorage
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How far the write-ahead log reached at the last commit, noted in a file of its own.
///
/// SQLite begins with what it finds: a log that is gone, cut or damaged takes the commits in it along without a word.
/// The note tells that such commits were made. It is written after each commit and not synced, so it costs no wait; it
/// is withdrawn, and that is synced, before the log is cut or deleted on purpose.
///
/// It can tell that the log is gone, empty, cut, replaced by an older one, or damaged in its head or in any part that
/// was noted. It cannot tell the loss of commits that no note on the disk names: of the last one when the process ended
/// before its note, and after a power cut of those since the note was written to the disk, once the log was begun anew.
///
/// Called by the writer alone, and before the database is opened.
final class LogEnd: Sendable {
    /// A place in a log: the one of these salts, after so many frames.
    struct Position: Equatable {
        var salts: [UInt32]
        var frames: Int
        /// The checksum of the last frame, which covers all before it.
        var checksum: [UInt32]
    }

    private let folder: StoreFolder
    private let note: Int32
    /// The log that was looked at last, and how far it is known.
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

    /// A commit was made. What cannot be noted makes no commit fail.
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

    /// The log is about to be cut or deleted: nothing is missed that is not in it any more.
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

    // MARK: What is missing

    /// The loss of commits that were noted, in words; `nil` when nothing is known to be missing.
    func loss() -> String? {
        var bytes = [UInt8](repeating: 0, count: Position.bytesCount)
        let size = unsafe bytes.withUnsafeMutableBytes { unsafe pread(note, $0.baseAddress, $0.count, 0) }
        guard size == bytes.count, let noted = Position(bytes), noted != .none else { return nil }
        guard let log = WriteAheadLog.open(folder.log) else { return Self.words("it is gone") }
        defer { _ = close(log) }
        guard let head = WriteAheadLog.Head(log) else { return Self.words("it is empty or its head is damaged") }
        guard head.salts == noted.salts else {
            // Begun anew, the first salt is one more: all that was noted had been copied into the database before.
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

    /// The words, and one that says that they were written as a whole.
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
