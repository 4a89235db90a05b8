import CausewayModels
import CausewayStorage
import CausewaySystem

/// The findings of opening a store.
package struct RecoveryReport: Sendable, Hashable {
    /// Frames that were read after the snapshot.
    package var frames = 0
    /// The bytes of an incomplete last transaction that were removed; none of it had been acknowledged under `full`.
    package var bytesCut: Int64 = 0
    /// The journal file that was cut, and its length since then; `nil` if only zeros were removed that had been written
    /// ahead.
    package var cutFile: String?
    package var cutAt: Int64 = 0
    /// True if a snapshot was read.
    package var hasSnapshot = false
    /// The durable frames that are gone, in words; `nil` if none are known to be.
    package var loss: String?
}

/// Brings the index to the end of the journal, and the journal to the end of its last complete transaction.
///
/// A frame that cannot be read is the *torn tail* of a crash, and is cut, unless something proves that it was durable
/// once: a later frame that names it as synced, or ``JournalEnd``. Then it is *damage*, and nothing is changed. Zeros
/// that were written ahead are cut, too, and are no remains of anything.
///
/// If durable frames are not there at all, nothing is left to be kept: the store opens without them, and says so.
struct JournalRecovery {
    /// The state after the last complete transaction.
    private(set) var index: FileIndex
    private(set) var end: JournalPosition
    private(set) var report = RecoveryReport()
    /// The identity of the store; 0 until a frame was read.
    private(set) var store: UInt64

    private let disk: any Disk
    private let files: JournalFiles
    private let noted: JournalEnd.Position?
    /// Takes back the transaction that is being read.
    private var undo: [IndexChange] = []
    /// The frames of the last file that no later frame names as synced.
    private var unproven: [JournalPosition] = []

    /// - Parameters:
    ///   - index: as of `start`.
    ///   - store: 0 if it is not known.
    ///   - noted: how far the journal was durable; `nil` if that is not known.
    init(
        _ disk: any Disk, _ files: JournalFiles, _ index: FileIndex, from start: JournalPosition, store: UInt64,
        noted: JournalEnd.Position?
    ) {
        self.disk = disk
        self.files = files
        self.noted = noted
        self.index = index
        self.store = store
        end = start
    }

    /// Reads the journal to its end.
    ///
    /// - Parameter last: the highest number of a journal file.
    mutating func run(to last: UInt32) throws(StoreError) {
        try requireFormerFiles()
        let start = end
        var position = start
        reading: while true {
            var scanner = try scanner(of: position.file)
            guard position.offset <= scanner.size else {
                throw damage(position, scanner.size, "the journal ends before its snapshot")
            }
            if position == start, position.offset == scanner.size { try requireFrame(before: position, &scanner) }
            while position.offset < scanner.size {
                let frame: FrameScanner.Frame
                switch try scanner.frame(at: position.offset) {
                case .success(let found): frame = found
                case .failure(.version(let version)):
                    throw .newerSchema(version: "format \(version)", path: files.names.folder)
                case .failure(let problem): return try cut(&scanner, at: position, problem, last)
                }
                if store == 0 { store = frame.header.store }
                guard frame.header.store == store else { throw damage(position, nil, "a frame of another store") }
                if frame.header.number != position.number {
                    guard isLeftover(frame, position, scanner.size, last) else {
                        throw damage(position, nil, "frame \(frame.header.number) instead of \(position.number)")
                    }
                    break reading
                }
                try apply(frame, position)
                noteUnproven(frame.header, position)
                position = position.advanced(by: Int(frame.end - frame.offset), frames: 1)
                report.frames += 1
                if frame.header.flags.contains(.endsTransaction) {
                    undo.removeAll(keepingCapacity: true)
                    end = position
                }
            }
            guard position.file < last else { break }
            position = JournalPosition(file: position.file + 1, offset: 0, number: position.number)
        }
        if end.number != position.number { try removeIncomplete(last) }
        try finish()
    }

    private func scanner(of file: UInt32) throws(StoreError) -> FrameScanner {
        let name = StoreFiles.journal(file)
        guard let opened = files[file] else {
            throw files.names.damage(name, at: 0, "the journal file is missing")
        }
        return try FrameScanner(opened, files.names, name)
    }

    private func damage(_ position: JournalPosition, _ offset: Int64?, _ detail: String) -> StoreError {
        files.names.damage(StoreFiles.journal(position.file), at: offset ?? position.offset, detail)
    }

    private mutating func apply(_ frame: FrameScanner.Frame, _ position: JournalPosition) throws(StoreError) {
        var records = RecordScanner(frame)
        do throws(FieldReader.Malformed) {
            while let (kind, fields, range) = try records.next() {
                let location = RecordLocation(
                    file: position.file, offset: frame.fileOffset(range.lowerBound), length: UInt32(range.count))
                for change in try RowCoding.changes(kind, fields, at: location, index) {
                    guard index.admits(change) else { throw .init(detail: "a change of an unknown account") }
                    undo.append(index.apply(change))
                }
            }
        } catch {
            throw damage(position, nil, "a frame cannot be decoded (\(error.detail))")
        }
    }

    private mutating func noteUnproven(_ header: FrameHeader, _ position: JournalPosition) {
        // A file is begun only after the one before it was synced.
        if unproven.first.map({ $0.file != position.file }) ?? false { unproven = [] }
        // Mostly all of them, or none.
        unproven.removeFirst(unproven.prefix { $0.number <= header.synced }.count)
        unproven.append(position)
    }

    // MARK: The end

    /// A file whose creation failed: its only frame has the number of a frame that was written elsewhere later. A crash
    /// may have left only the beginning of the transaction which that one began.
    private func isLeftover(
        _ frame: FrameScanner.Frame, _ position: JournalPosition, _ size: Int64, _ last: UInt32
    ) -> Bool {
        position.offset == 0 && position.file == last && frame.end == size && frame.header.number < position.number
            && frame.header.number <= end.number
    }

    /// Ends at a frame that cannot be read.
    private mutating func cut(
        _ scanner: inout FrameScanner, at position: JournalPosition, _ problem: FrameHeader.Problem, _ last: UInt32
    ) throws(StoreError) {
        if report.frames == 0 { try requireFrame(before: position, &scanner) }
        let isProof = { [store, number = end.number] (header: FrameHeader) in
            (store == 0 || header.store == store) && header.synced >= number
        }
        var proof = try scanner.firstHeader(after: position.offset, where: isProof)
        var file = position.file
        while proof == nil, file < last {
            file += 1
            var next = try self.scanner(of: file)
            proof = try next.firstHeader(after: -1, where: isProof)
        }
        if let proof {
            throw damage(
                position, nil, "a frame is unreadable (\(problem)), although frame \(proof.header.number) follows")
        }
        if problem != .cut, isDurable(position.number),
            try scanner.contentEnd(after: position.offset) > position.offset
        {
            throw damage(position, nil, "a frame is unreadable (\(problem)), although it was durable")
        }
        try removeIncomplete(last)
        try finish()
    }

    /// The files before that of the snapshot are not read: each must end with the frame before the first of the next.
    private func requireFormerFiles() throws(StoreError) {
        for number in files.all.keys.sorted() where number < end.file {
            var scanner = try scanner(of: number)
            var next = try self.scanner(of: number + 1)
            switch try next.frame(at: 0) {
            case .success(let first):
                let position = JournalPosition(file: number, offset: scanner.size, number: first.header.number)
                guard position.offset > 0 else { throw damage(position, nil, "the file is empty") }
                try requireFrame(before: position, &scanner)
            case .failure(.version(let version)):
                throw .newerSchema(version: "format \(version)", path: files.names.folder)
            case .failure(let problem):
                throw files.names.damage(
                    StoreFiles.journal(number + 1), at: 0, "the first frame is unreadable (\(problem))")
            }
        }
    }

    /// The journal may be one of an earlier time although it reaches the snapshot, by zeros that were written ahead.
    private func requireFrame(before position: JournalPosition, _ scanner: inout FrameScanner) throws(StoreError) {
        if position.offset == 0 { return }
        let bytesMax = Int64(FrameHeader.bytesCount + FileLimits.framePayloadBytesMax)
        let found = try scanner.firstHeader(after: max(0, position.offset - bytesMax) - 1) { [store] header in
            header.store == store && header.number == position.number &- 1
        }
        guard let found,
            found.offset + Int64(FrameHeader.bytesCount + found.header.payloadBytes) == position.offset
        else { throw damage(position, nil, "the frame before the next file or the snapshot is not there") }
    }

    /// True if the note shows that the frame with this number was durable. Where no frame is left that names the store,
    /// the note is taken for its own.
    private func isDurable(_ number: UInt64) -> Bool {
        noted.map { ($0.store == store || store == 0) && $0.hasCommits && $0.number >= number } ?? false
    }

    private func lossInWords() -> String? {
        guard let noted, isDurable(end.number) else { return nil }
        let name = files.names.path(StoreFiles.journal(end.file))
        return JournalEnd.loss(
            "\(name) ends with frame \(end.number - 1) at byte \(end.offset), and frame \(noted.number) was durable")
    }

    /// Takes back the last transaction, and cuts the journal before it.
    private mutating func removeIncomplete(_ last: UInt32) throws(StoreError) {
        while let inverse = undo.popLast() { index.apply(inverse) }
        let name = StoreFiles.journal(end.file)
        guard let file = files[end.file] else { throw damage(end, nil, "the journal file is missing") }
        do throws(SystemError) {
            for number in stride(from: last, to: end.file, by: -1) {
                report.bytesCut += try files[number]?.size() ?? 0
                try disk.remove(StoreFiles.journal(number))
                files[number] = nil
            }
        } catch {
            throw files.names.failure(error, at: name)
        }
        var scanner = try scanner(of: end.file)
        report.bytesCut += try remains(&scanner)
        do throws(SystemError) { try file.truncate(to: end.offset) } catch {
            throw files.names.failure(error, at: name)
        }
        if report.bytesCut > 0 { (report.cutFile, report.cutAt) = (name, end.offset) }
    }

    /// The bytes behind the last transaction that are the remains of a write: those before the last zeros.
    private func remains(_ scanner: inout FrameScanner) throws(StoreError) -> Int64 {
        let rest = max(0, scanner.size - end.offset)
        let bytes = try scanner.contentEnd(after: end.offset) - end.offset
        // So many zeros are never written ahead: they were something else.
        return bytes == 0 && rest > Int64(FileLimits.journalBytesAhead) ? rest : bytes
    }

    /// Makes everything durable that was read, because the next frame will claim so.
    ///
    /// A sync alone does not: an earlier process may have got the error of the disk. What no frame names as synced is
    /// written again: mostly the last frame, and at most what was written since the last snapshot.
    private mutating func finish() throws(StoreError) {
        report.loss = lossInWords()
        let name = StoreFiles.journal(end.file)
        do throws(SystemError) {
            for number in files.all.keys.sorted() where number > end.file {
                files[number] = nil
                try disk.remove(StoreFiles.journal(number))
            }
        } catch {
            throw files.names.syncFailure(error, at: name)
        }
        if let file = files[end.file], let first = unproven.first, first.file == end.file, first.number < end.number {
            try FrameRewriter(file: file, names: files.names, store: store).rewrite(from: first, to: end)
        }
        do throws(SystemError) {
            try files[end.file]?.sync()
            try disk.syncNames()
        } catch {
            throw files.names.syncFailure(error, at: name)
        }
    }
}
