import CausewayStorage
import CausewaySystem
import Synchronization

/// Records in a file of its own how far the write-ahead log reached at the last commit that the disk confirmed, or in a
/// store of `normal` durability at the last commit.
///
/// SQLite uses the log as it finds it: if the log is missing, cut or damaged, the commits in it are lost silently. The
/// note shows that such commits were made. It is written after each commit and not synced, so it adds no wait; it is
/// withdrawn, with a sync, before the log is cut or deleted on purpose.
///
/// It detects that the log is missing (alone, or together with the database), empty, cut, replaced by an older one, or
/// damaged in its header or in any part that was noted. It does not detect the loss of commits that no note on the disk
/// covers: the last one if the process ended before noting it, and after a power cut those made since the note was last
/// written to the disk, once the log was restarted.
///
/// A commit costs one short read, however many pages it wrote: SQLite reports how many frames the log has, and the last
/// frame's checksum covers all before it. The note is written into a mapped page of the file, without a system call,
/// like SQLite's own index of the log; a call for each commit made durable commits markedly slower. The page belongs to
/// the kernel, so a killed process loses nothing of it. The kernel writes it to the disk at some later time, as it does
/// with any write that is not synced: a power cut leaves the note of an earlier commit, which holds for every later
/// state of the same log. An incomplete note counts as none.
///
/// Called only by the writer, and before the database is opened.
final class LogEnd: Sendable {
    /// A position in a log: the log with these salts, after so many frames.
    struct Position: Equatable {
        var salts: WriteAheadLog.Pair
        var frames: Int
        /// The checksum of the last frame, which covers all frames before it.
        var checksum: WriteAheadLog.Pair
    }

    private struct State {
        var page: MappedPage
        /// The open log; `nil` until the first commit after it was opened or cut.
        var log: OpenFile?
        /// The frames of the log at the last commit.
        var frames = 0
        /// Those of them that a note may cover.
        var notedFrames = 0
        /// False while commits are made that a power cut may take back: a note of them would report them as lost.
        var isNoting = true
        var pageBytes = 0
        /// True if a checkpoint after a commit could not sync.
        var hasFailedSync = false
    }

    private let folder: StoreFolder
    private let trace: (@Sendable (LogEndAccess) -> Void)?
    private let state: Mutex<State>

    init(_ folder: StoreFolder, trace: (@Sendable (LogEndAccess) -> Void)? = nil) throws(StoreError) {
        self.folder = folder
        self.trace = trace
        do throws(SystemError) {
            state = Mutex(State(page: try MappedPage(folder.logEnd, wordsCount: Position.wordsCount)))
        } catch {
            throw StoreFolder.failure(error, at: folder.logEnd)
        }
    }

    // MARK: Noting

    /// The bytes of the log in use at the last commit.
    var logBytes: Int {
        state.withLock { WriteAheadLog.bytesCount(frames: $0.frames, pageBytes: $0.pageBytes) }
    }

    /// Sets the page size of the database.
    func begin(pageBytes: Int) {
        state.withLock { $0.pageBytes = pageBytes }
    }

    /// Records that a checkpoint after a commit could not sync.
    func noteFailedSync() { state.withLock { $0.hasFailedSync = true } }

    /// True if a checkpoint after a commit could not sync since the last call.
    func takeFailedSync() -> Bool {
        state.withLock { state in
            defer { state.hasFailedSync = false }
            return state.hasFailedSync
        }
    }

    /// Sets whether the next commits are noted.
    func setNoting(_ isNoting: Bool) { state.withLock { $0.isNoting = isNoting } }

    /// Records a commit. A failure to write the note does not fail the commit.
    ///
    /// - Parameter frames: the frames of the log after it.
    func noteCommit(frames: Int) {
        state.withLock { state in
            state.frames = frames
            // The log was begun anew.
            if frames < state.notedFrames { state.notedFrames = 0 }
            guard state.isNoting else { return }
            state.notedFrames = frames
            note(&state)
        }
    }

    /// Records the end of an attempt to cut the log: the last commit again, if the log was not cut after all.
    func resume(isCut: Bool) {
        state.withLock { state in
            if isCut { (state.frames, state.notedFrames) = (0, 0) }
            note(&state)
        }
    }

    private func note(_ state: inout State) {
        if state.log == nil { state.log = WriteAheadLog.open(folder.log) }
        guard let log = state.log, state.notedFrames > 0 else { return }
        trace?(.readsLog)
        guard let frame = WriteAheadLog.Frame(log, state.notedFrames - 1, pageBytes: state.pageBytes), frame.isCommit
        else { return }
        state.page.words = Position(salts: frame.salts, frames: state.notedFrames, checksum: frame.checksum).coded
    }

    /// Invalidates the note before the log is cut or deleted, so that its commits are not reported as lost.
    func withdraw() {
        state.withLock { state in
            state.log = nil
            state.page.words = Position.none.coded
            trace?(.syncsNote)
            state.page.sync()
        }
    }

    // MARK: Lost commits

    /// A description of the loss of noted commits; `nil` if none is known to be lost.
    ///
    /// - Parameter hasDatabase: false if the database is gone, and its log with it.
    func loss(hasDatabase: Bool = true) -> String? {
        guard let noted = Position(state.withLock { $0.page.words }), noted != .none else { return nil }
        guard hasDatabase else { return Self.words("it is gone, and so is the database") }
        guard let log = WriteAheadLog.open(folder.log) else { return Self.words("it is gone") }
        guard let head = WriteAheadLog.Head(log) else { return Self.words("it is empty or its head is damaged") }
        guard head.salts == noted.salts else {
            // SQLite increments the first salt when it restarts the log: all noted commits had been copied into the
            // database before.
            let isLater = Int32(bitPattern: head.salts.first &- noted.salts.first) > 0
            return isLater ? nil : Self.words("an older one is in its place")
        }
        let whole = WriteAheadLog.wholeFrames(log, head, noted.frames)
        guard whole.count < noted.frames else {
            return whole.checksum == noted.checksum ? nil : Self.words("another one is in its place")
        }
        return Self.words("it is intact up to frame \(whole.count) of \(noted.frames)")
    }

    private static func words(_ detail: String) -> String {
        OutboxSnapshot.loss(of: "write-ahead log", detail)
    }
}

extension LogEnd.Position {
    static let wordsCount = 8
    static let none = LogEnd.Position(salts: .zero, frames: 0, checksum: .zero)

    /// `CSWL`, version 1.
    private static let mark: (UInt32, UInt32) = (0x4353_574C, 1)

    /// The note as words in big-endian order, ending with a checksum that shows whether it was written completely.
    var coded: [UInt32] {
        var words = [
            Self.mark.0, Self.mark.1, salts.first, salts.second, UInt32(truncatingIfNeeded: frames), checksum.first,
            checksum.second, 0,
        ]
        words[7] = Self.seal(words)
        for index in words.indices { words[index] = words[index].bigEndian }
        return words
    }

    /// - Parameter coded: the words as in the file.
    init?(_ coded: [UInt32]) {
        let words = coded.map(UInt32.init(bigEndian:))
        guard words.count == Self.wordsCount, (words[0], words[1]) == Self.mark, Self.seal(words) == words[7]
        else { return nil }
        self.init(
            salts: .init(words[2], words[3]), frames: Int(words[4]), checksum: .init(words[5], words[6]))
    }

    /// The checksum of all words except the last.
    private static func seal(_ words: [UInt32]) -> UInt32 {
        words.dropLast().reduce(2_166_136_261) { ($0 ^ $1) &* 16_777_619 }
    }
}
