import CausewayStorage
import CausewaySystem

/// Writes frames of a journal file again, with the bytes that they have.
///
/// After a failed sync the system may have dropped what it could not write. It may still read it back, and then no
/// later sync makes it durable, because nothing is left to be written; or it reads back what was there before.
struct FrameRewriter {
    let file: any DiskFile
    let names: StoreFiles
    /// The identity of the store.
    let store: UInt64

    /// Verifies the frames between two positions of a file, and writes them again; the caller syncs the file.
    ///
    /// Throws ``StoreError/syncFailed(detail:)`` if they are not the frames that were written there. Those before the
    /// first such frame may have been written again then, which changes nothing.
    func rewrite(from start: JournalPosition, to end: JournalPosition) throws(StoreError) {
        let name = StoreFiles.journal(end.file)
        var scanner = try FrameScanner(file, names, name)
        var position = start
        var part: [UInt8] = []
        var partStart = start.offset
        while position.offset < end.offset {
            guard case .success(let frame) = try scanner.frame(at: position.offset),
                frame.header.store == store, frame.header.number == position.number, frame.end <= end.offset
            else {
                throw .syncFailed(
                    detail: "\(names.path(name)): frame \(position.number) at byte \(position.offset) cannot be read "
                        + "back; close the store, and open it again")
            }
            part += frame.bytes[frame.payload.lowerBound - FrameHeader.bytesCount..<frame.payload.upperBound]
            position = position.advanced(by: Int(frame.end - frame.offset), frames: 1)
            guard part.count >= FileLimits.copyPartBytes || position.offset == end.offset else { continue }
            do throws(SystemError) { try file.writeAll(part, at: partStart) } catch {
                throw names.syncFailure(error, at: name)
            }
            part.removeAll(keepingCapacity: true)
            partStart = position.offset
        }
    }
}

extension DiskFile {
    /// Writes all of the bytes at an offset.
    func writeAll(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = try write(bytes, from: written, at: offset + Int64(written))
            // A disk that takes nothing and reports no error is full.
            if count <= 0 { throw .full }
            written += count
        }
    }
}
