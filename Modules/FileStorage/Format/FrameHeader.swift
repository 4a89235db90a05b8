/// A part of a file that is either complete or worth nothing: a header of 48 bytes, and a payload of records.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 4 | `CWFS` |
/// | 4 | 1 | version of the format, 1 |
/// | 5 | 1 | flags |
/// | 6 | 2 | 0 |
/// | 8 | 8 | identity of the store |
/// | 16 | 8 | number of the frame, from 1 on, over all files of the journal |
/// | 24 | 8 | number of the last frame that was durable when this one was written |
/// | 32 | 4 | 0 |
/// | 36 | 4 | bytes of the payload |
/// | 40 | 4 | CRC-32C of the payload |
/// | 44 | 4 | CRC-32C of the 44 bytes before |
struct FrameHeader: Equatable {
    static let bytesCount = 48
    static let version: UInt8 = 1
    static let magic: [UInt8] = Array("CWFS".utf8)

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// The last frame of a transaction: without it the frames before it count for nothing.
        static let endsTransaction = Flags(rawValue: 1)
        /// The last frame of a snapshot.
        static let endsSnapshot = Flags(rawValue: 2)
        static let all: Flags = [.endsTransaction, .endsSnapshot]
    }

    var flags: Flags
    var store: UInt64
    var number: UInt64
    /// All frames up to this number were durable when this one was written.
    var synced: UInt64
    var payloadBytes: Int
    var payloadChecksum: UInt32

    /// The reason why bytes are no frame.
    enum Problem: Error, Equatable {
        case cut
        case noFrame
        case checksum
        /// Written by another version.
        case version(UInt8)
    }

    func write(to bytes: inout [UInt8], at offset: Int) {
        for (index, byte) in Self.magic.enumerated() { bytes[offset + index] = byte }
        bytes[offset + 4] = Self.version
        bytes[offset + 5] = flags.rawValue
        bytes.put(littleEndian: UInt16(0), at: offset + 6)
        bytes.put(littleEndian: store, at: offset + 8)
        bytes.put(littleEndian: number, at: offset + 16)
        bytes.put(littleEndian: synced, at: offset + 24)
        bytes.put(littleEndian: UInt32(0), at: offset + 32)
        bytes.put(littleEndian: UInt32(payloadBytes), at: offset + 36)
        bytes.put(littleEndian: payloadChecksum, at: offset + 40)
        bytes.put(littleEndian: CRC32C.checksum(of: bytes, in: offset..<offset + 44), at: offset + 44)
    }

    /// Reads a header; the payload is not looked at.
    init(_ bytes: [UInt8], at offset: Int) throws(Problem) {
        guard bytes.count - offset >= Self.bytesCount else { throw .cut }
        guard bytes[offset..<offset + 4].elementsEqual(Self.magic) else { throw .noFrame }
        let checksum = bytes.littleEndian(UInt32.self, at: offset + 44)
        guard checksum == CRC32C.checksum(of: bytes, in: offset..<offset + 44) else { throw .checksum }
        guard bytes[offset + 4] == Self.version else { throw .version(bytes[offset + 4]) }
        flags = Flags(rawValue: bytes[offset + 5])
        store = bytes.littleEndian(UInt64.self, at: offset + 8)
        number = bytes.littleEndian(UInt64.self, at: offset + 16)
        synced = bytes.littleEndian(UInt64.self, at: offset + 24)
        payloadBytes = Int(bytes.littleEndian(UInt32.self, at: offset + 36))
        payloadChecksum = bytes.littleEndian(UInt32.self, at: offset + 40)
        guard payloadBytes <= FileLimits.framePayloadBytesMax, Flags.all.contains(flags) else { throw .noFrame }
    }

    init(flags: Flags, store: UInt64, number: UInt64, synced: UInt64, payloadBytes: Int, payloadChecksum: UInt32) {
        self.flags = flags
        self.store = store
        self.number = number
        self.synced = synced
        self.payloadBytes = payloadBytes
        self.payloadChecksum = payloadChecksum
    }
}
