import CausewayStorage

extension StoreFolder {
    /// The part of the log behind its last complete transaction: frames of an unfinished write, which SQLite ignores
    /// (SQLite's file format, §4.1). Frames of an earlier round of the log, which it writes over, are none.
    ///
    /// Cost: a short read for each frame of the log.
    func tornTail() throws(StoreError) -> TornTail? {
        guard let size = try size(of: log), size > 0 else { return nil }
        let head = try bytes(of: log, from: 0, count: Self.logHeadBytes)
        let pageBytes = head.count == Self.logHeadBytes ? head[8..<12].reduce(Int64(0)) { $0 << 8 | Int64($1) } : 0
        guard pageBytes >= 512 else { return TornTail(place: "\(log) at byte 0", bytes: size) }
        var (offset, end) = (Int64(Self.logHeadBytes), Int64(Self.logHeadBytes))
        while offset + 24 <= size {
            let frame = try bytes(of: log, from: offset, count: 24)
            guard frame.count == 24, frame[8..<16].elementsEqual(head[16..<24]) else { break }
            let next = offset + 24 + pageBytes
            if next > size {
                offset = size
                break
            }
            offset = next
            // The last frame of a transaction names the size of the database.
            if frame[4..<8].contains(where: { $0 != 0 }) { end = offset }
        }
        return offset > end ? TornTail(place: "\(log) at byte \(end)", bytes: offset - end) : nil
    }

    private static let logHeadBytes = 32
}
