import CausewayStorage
import CausewaySystem

/// Appends transactions to a journal.
///
/// Invariants, from which recovery follows:
///
/// 1. Frames are written one after the other without a gap, and no byte before the end of the last acknowledged one is
///    ever written again, except with the same content after a failed sync.
/// 2. Under `full` a transaction is acknowledged after its file was synced, unless none of its calls waits for the
///    disk. Everything that a power failure can damage lies behind the frames that the last frame names as synced.
/// 3. A file is begun only after the one before it was synced, and written to only after its name was.
/// 4. After a failed write the file is cut back to its last acknowledged frame before anything else is written. After a
///    failed sync nothing is acknowledged until ``repair()`` has written and synced everything unsynced again.
/// 5. Behind the last frame of the last file there is nothing, or there are zeros that were written ahead. Other files
///    have none.
struct JournalWriter {
    private let disk: any Disk
    private let files: JournalFiles
    private let durability: Durability
    /// The identity of the store.
    let store: UInt64
    private(set) var end: JournalPosition
    /// The offset in the last file, and the number, up to which everything is durable.
    private(set) var synced: JournalPosition { didSet { note() } }
    private let noted: JournalEnd
    /// True while the disk may hold something else than was acknowledged.
    private(set) var needsRepair = false
    private var file: any DiskFile
    /// The zeros that are written at once; 0 for none.
    var bytesAhead = FileLimits.journalBytesAhead
    /// The file may have zeros up to this offset, and gets no more before a transaction ends behind it.
    private var aheadEnd: Int64 = 0

    /// - Parameters:
    ///   - end: the end of what was recovered, all of which is durable, and behind which the file has nothing.
    ///   - file: the last file.
    init(
        _ disk: any Disk, _ files: JournalFiles, _ durability: Durability, store: UInt64, end: JournalPosition,
        file: any DiskFile, noted: JournalEnd
    ) {
        self.disk = disk
        self.files = files
        self.durability = durability
        self.store = store
        self.end = end
        self.file = file
        self.noted = noted
        synced = end
        note()
    }

    private func note() { noted.write(JournalEnd.Position(store: store, number: synced.number - 1)) }

    private var name: String { StoreFiles.journal(end.file) }

    /// A buffer for the next transaction.
    func makeBuffer() -> FrameBuffer { FrameBuffer(file: end.file, start: end.offset) }

    /// Writes a transaction, and under `full` waits for the disk. Blocks the thread.
    ///
    /// - Parameters:
    ///   - buffer: made by ``makeBuffer()`` since the last call.
    ///   - needed: `normal` if none of its calls waits for the disk.
    mutating func append(_ buffer: consuming FrameBuffer, _ needed: Durability = .full) throws(StoreError) {
        var buffer = buffer
        buffer.finish(store: store, number: end.number, synced: synced.number - 1)
        do throws(SystemError) {
            try file.writeAll(buffer.bytes, at: end.offset)
        } catch {
            cutBack()
            throw files.names.failure(error, at: name)
        }
        let next = end.advanced(by: buffer.bytes.count, frames: buffer.frameCount)
        if durability == .full, needed == .full {
            writeAhead(behind: next.offset, buffer.bytes.count)
            do throws(SystemError) {
                try file.sync()
            } catch {
                needsRepair = true
                cutBack()
                throw files.names.syncFailure(error, at: name)
            }
            synced = next
        }
        end = next
    }

    /// Under `full`, waits until everything before is durable.
    mutating func confirm() throws(StoreError) {
        if durability == .full { try sync() }
    }

    /// Makes everything durable that was acknowledged.
    mutating func sync() throws(StoreError) {
        if synced != end { try syncFile() }
    }

    private mutating func syncFile() throws(StoreError) {
        do throws(SystemError) {
            try file.sync()
        } catch {
            needsRepair = true
            throw files.names.syncFailure(error, at: name)
        }
        synced = end
    }

    /// Writes zeros behind a transaction, before its sync. The next transactions overwrite them and leave the file's
    /// length as it is, so that their syncs confirm no metadata, which takes about as long as to confirm the data.
    ///
    /// A disk that has no room for them may have room for transactions: without the zeros these extend the file.
    private mutating func writeAhead(behind offset: Int64, _ bytes: Int) {
        guard offset > aheadEnd, bytes <= bytesAhead else { return }
        do throws(SystemError) {
            try file.writeAll([UInt8](repeating: 0, count: bytesAhead), at: offset)
        } catch {
            // The zeros that remain do no harm.
            try? file.truncate(to: offset)
        }
        aheadEnd = offset + Int64(bytesAhead)
    }

    /// Makes everything durable that was acknowledged, and leaves nothing behind it.
    mutating func trim() throws(StoreError) {
        guard aheadEnd > end.offset else { return try sync() }
        do throws(SystemError) { try removeRest() } catch { throw files.names.failure(error, at: name) }
        try syncFile()
        aheadEnd = 0
    }

    /// Cuts the file behind what was acknowledged. After a failure the next zeros wait: the disk may have failed for
    /// want of their room, also when they were synced.
    private mutating func removeRest() throws(SystemError) {
        try file.truncate(to: end.offset)
        aheadEnd = end.offset + Int64(bytesAhead)
    }

    /// Removes what a failed write has left behind, durably, so that no remains of it can follow a later frame.
    private mutating func cutBack() {
        do throws(SystemError) {
            try removeRest()
            try file.sync()
            // After a failed sync this one confirms nothing of what the failed one may have dropped.
            if !needsRepair { synced = end }
        } catch {
            needsRepair = true
        }
    }

    /// See ``needsRepair``.
    mutating func requireRepair() { needsRepair = true }

    /// Makes the disk hold exactly what was acknowledged: removes what was not, verifies everything unsynced and writes
    /// it again (the system may have dropped it), and syncs. Blocks the thread.
    ///
    /// If it cannot be read back as it was written, the store must be opened again: recovery ends before it.
    mutating func repair() throws(StoreError) {
        do throws(SystemError) { try removeRest() } catch { throw files.names.syncFailure(error, at: name) }
        try FrameRewriter(file: file, names: files.names, store: store).rewrite(from: synced, to: end)
        do throws(SystemError) { try file.sync() } catch { throw files.names.syncFailure(error, at: name) }
        synced = end
        needsRepair = false
    }

    // MARK: Files

    /// Continues in another file, whose first record names it. Blocks the thread.
    mutating func beginFile() throws(StoreError) {
        guard end.file < FileLimits.fileNumberMax else {
            throw .other(
                detail: "the journal has reached its last file; export the store, and import it into a new one")
        }
        try trim()
        let next = JournalPosition(file: end.file + 1, offset: 0, number: end.number)
        let (file, frames) = try Self.makeFile(disk, files.names, store: store, at: next, replaces: true)
        self.file = file
        files[next.file] = file
        end = frames
        synced = frames
    }

    /// Creates a journal file with its first frame, durably.
    ///
    /// - Parameter replaces: whether what an earlier attempt left behind may be removed.
    /// - Returns: the file, and the position after the frame.
    static func makeFile(
        _ disk: any Disk, _ names: StoreFiles, store: UInt64, at position: JournalPosition, replaces: Bool
    ) throws(StoreError) -> (any DiskFile, JournalPosition) {
        let name = StoreFiles.journal(position.file)
        var buffer = FrameBuffer(file: position.file, start: 0)
        _ = try buffer.append(.file) { bytes in bytes.append(1, Int64(position.file)) }
        buffer.finish(store: store, number: position.number, synced: position.number - 1)
        do throws(SystemError) {
            if replaces, try disk.names().contains(name) { try disk.remove(name) }
            let file = try disk.open(name, isNew: true)
            try file.writeAll(buffer.bytes, at: 0)
            try file.sync()
            try disk.syncNames()
            return (file, position.advanced(by: buffer.bytes.count, frames: 1))
        } catch {
            // Its remains are no file of the journal until its name and its first frame are durable.
            try? disk.remove(name)
            throw names.syncFailure(error, at: name)
        }
    }
}
