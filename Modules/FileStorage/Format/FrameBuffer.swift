import CausewayStorage

/// The frames of one transaction while they are composed.
///
/// Every record has its final location at once, because the frames will follow ``start`` in the file without a gap;
/// so a record can be read back before it is written.
struct FrameBuffer {
    /// A state to return to.
    struct Mark {
        fileprivate var bytes: Int
        fileprivate var frames: Int
    }

    let file: UInt32
    /// The offset of the first byte in the file.
    let start: Int64
    private(set) var bytes: [UInt8] = []
    /// The offsets of the frames in ``bytes``.
    private var frames: [Int] = []

    init(file: UInt32, start: Int64) {
        self.file = file
        self.start = start
    }

    var isEmpty: Bool { frames.isEmpty }
    var frameCount: Int { frames.count }
    var mark: Mark { Mark(bytes: bytes.count, frames: frames.count) }

    mutating func revert(to mark: Mark) {
        bytes.removeSubrange(mark.bytes...)
        frames.removeSubrange(mark.frames...)
    }

    /// Appends a record.
    ///
    /// - Parameter body: appends the fields.
    /// - Throws: ``StoreError/other(detail:)`` for a record that is too large; nothing is appended then.
    mutating func append(
        _ kind: Record.Kind, _ body: (inout [UInt8]) -> Void
    ) throws(StoreError) -> RecordLocation {
        let before = mark
        if frames.last.map({ bytes.count - $0 >= FileLimits.framePayloadBytes }) ?? true {
            frames.append(bytes.count)
            bytes.append(contentsOf: repeatElement(0, count: FrameHeader.bytesCount))
        }
        let offset = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: Record.headerBytes))
        bytes.append(kind.rawValue)
        body(&bytes)
        let end = bytes.count
        let length = end - offset
        guard length - Record.headerBytes <= FileLimits.recordBytesMax else {
            revert(to: before)
            throw .other(
                detail: "a record of \(length) bytes exceeds the limit of \(FileLimits.recordBytesMax) bytes")
        }
        let body = offset + Record.headerBytes..<end
        bytes.put(littleEndian: UInt32(body.count), at: offset)
        bytes.put(littleEndian: CRC32C.checksum(of: bytes, in: body), at: offset + 4)
        return RecordLocation(file: file, offset: start + Int64(offset), length: UInt32(length))
    }

    /// Writes the headers. With no record there is one empty frame.
    ///
    /// - Parameters:
    ///   - number: of the first frame.
    ///   - synced: see ``FrameHeader/synced``.
    mutating func finish(
        store: UInt64, number: UInt64, synced: UInt64, _ lastFlags: FrameHeader.Flags = .endsTransaction
    ) {
        if frames.isEmpty {
            frames = [0]
            bytes = Array(repeating: 0, count: FrameHeader.bytesCount)
        }
        for (index, frame) in frames.enumerated() {
            let isLast = index == frames.count - 1
            let end = isLast ? bytes.count : frames[index + 1]
            let payload = frame + FrameHeader.bytesCount..<end
            let header = FrameHeader(
                flags: isLast ? lastFlags : [], store: store, number: number + UInt64(index), synced: synced,
                payloadBytes: payload.count, payloadChecksum: CRC32C.checksum(of: bytes, in: payload))
            header.write(to: &bytes, at: frame)
        }
    }

    /// The body of a record in this buffer; `nil` for another location.
    func body(at location: RecordLocation) -> Range<Int>? {
        guard location.file == file, location.offset >= start else { return nil }
        let offset = Int(location.offset - start)
        guard offset + Int(location.length) <= bytes.count else { return nil }
        return offset + Record.headerBytes..<offset + Int(location.length)
    }
}
