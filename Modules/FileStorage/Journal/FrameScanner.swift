import CausewayStorage
import CausewaySystem

/// Reads the frames of a file one after the other.
struct FrameScanner {
    /// A complete frame; its payload is a range of ``bytes``.
    struct Frame {
        var header: FrameHeader
        /// The offset of the frame in the file.
        var offset: Int64
        var bytes: [UInt8]
        var payload: Range<Int>

        var end: Int64 { offset + Int64(FrameHeader.bytesCount + payload.count) }

        /// The offset in the file of a byte of ``bytes``.
        func fileOffset(_ position: Int) -> Int64 {
            offset + Int64(FrameHeader.bytesCount + position - payload.lowerBound)
        }
    }

    private static let windowBytes = 1 << 20

    private let file: any DiskFile
    let size: Int64
    private var start: Int64 = 0
    private var bytes: [UInt8] = []

    private let failure: @Sendable (SystemError) -> StoreError

    /// - Parameter name: of the file, for errors.
    init(_ file: any DiskFile, _ names: StoreFiles, _ name: String) throws(StoreError) {
        self.file = file
        failure = { names.failure($0, at: name) }
        do throws(SystemError) { size = try file.size() } catch { throw names.failure(error, at: name) }
    }

    /// The frame at an offset, verified.
    mutating func frame(at offset: Int64) throws(StoreError) -> Result<Frame, FrameHeader.Problem> {
        try load(offset, FrameHeader.bytesCount)
        let header: FrameHeader
        do throws(FrameHeader.Problem) {
            header = try FrameHeader(bytes, at: Int(offset - start))
        } catch {
            return .failure(error)
        }
        let count = FrameHeader.bytesCount + header.payloadBytes
        guard offset + Int64(count) <= size else { return .failure(.cut) }
        try load(offset, count)
        let payload = Int(offset - start) + FrameHeader.bytesCount..<Int(offset - start) + count
        guard payload.upperBound <= bytes.count,
            CRC32C.checksum(of: bytes, in: payload) == header.payloadChecksum
        else { return .failure(.checksum) }
        return .success(Frame(header: header, offset: offset, bytes: bytes, payload: payload))
    }

    /// The first header behind an offset for which the condition holds, wherever it begins. Cost: linear.
    mutating func firstHeader(
        after offset: Int64, where condition: (FrameHeader) -> Bool
    ) throws(StoreError) -> (header: FrameHeader, offset: Int64)? {
        var position = offset + 1
        while position + Int64(FrameHeader.bytesCount) <= size {
            try load(position, FrameHeader.bytesCount)
            let begin = Int(position - start)
            let last = bytes.count - FrameHeader.bytesCount
            guard begin <= last else { return nil }
            for candidate in begin...last where bytes[candidate] == FrameHeader.magic[0] {
                if let header = try? FrameHeader(bytes, at: candidate), condition(header) {
                    return (header, start + Int64(candidate))
                }
            }
            position = start + Int64(last) + 1
        }
        return nil
    }

    /// The offset behind the last byte that is not zero; at least the one given. Cost: linear.
    mutating func contentEnd(after offset: Int64) throws(StoreError) -> Int64 {
        var (position, end) = (offset, offset)
        while position < size {
            try load(position, 1)
            let begin = Int(position - start)
            guard begin < bytes.count else { break }
            if let last = bytes[begin...].lastIndex(where: { $0 != 0 }) { end = start + Int64(last) + 1 }
            position = start + Int64(bytes.count)
        }
        return end
    }

    /// Has at least these bytes in the window, if the file does.
    private mutating func load(_ offset: Int64, _ count: Int) throws(StoreError) {
        let end = start + Int64(bytes.count)
        if offset >= start, min(offset + Int64(count), size) <= end { return }
        let wanted = Int(min(Int64(max(count, Self.windowBytes)), max(0, size - offset)))
        do throws(SystemError) { bytes = try file.read(at: offset, count: wanted) } catch { throw failure(error) }
        start = offset
    }
}

/// The records of a payload.
struct RecordScanner {
    private let bytes: [UInt8]
    private var offset: Int
    private let end: Int

    init(_ frame: FrameScanner.Frame) {
        bytes = frame.bytes
        offset = frame.payload.lowerBound
        end = frame.payload.upperBound
    }

    /// The next record with its range in the frame's bytes; `nil` at the end.
    mutating func next() throws(FieldReader.Malformed) -> (kind: Record.Kind, fields: FieldReader, range: Range<Int>)? {
        if offset == end { return nil }
        guard end - offset > Record.headerBytes else { throw .init(detail: "a record is cut") }
        let length = Int(bytes.littleEndian(UInt32.self, at: offset))
        guard length > 0, length <= end - offset - Record.headerBytes else { throw .init(detail: "a record is cut") }
        let range = offset..<offset + Record.headerBytes + length
        let body = offset + Record.headerBytes..<range.upperBound
        guard bytes.littleEndian(UInt32.self, at: offset + 4) == CRC32C.checksum(of: bytes, in: body) else {
            throw .init(detail: "the checksum of a record does not match")
        }
        guard let kind = Record.Kind(rawValue: bytes[body.lowerBound]) else {
            throw .init(detail: "a record is of an unknown kind (\(bytes[body.lowerBound]))")
        }
        offset = range.upperBound
        return (kind, FieldReader(bytes, in: body.lowerBound + 1..<body.upperBound), range)
    }
}
