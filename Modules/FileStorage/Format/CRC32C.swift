private import CCRC32C

/// The checksum of frames and records: CRC-32C (Castagnoli), as in RFC 3720, appendix B.4.
package enum CRC32C {
    /// A way to compute it; all give the same result.
    package enum Method: CaseIterable, Sendable {
        /// An instruction of the processor, several times as fast.
        case instruction
        /// Eight tables, for processors without it.
        case tables

        /// False for an instruction that this processor does not have.
        package var isAvailable: Bool { self == .tables || CRC32C.hasInstruction }
    }

    private static let hasInstruction = causeway_has_crc32c()

    /// The checksum of a range of bytes. Cost: linear, eight bytes at a step.
    package static func checksum(of bytes: [UInt8], in range: Range<Int>) -> UInt32 {
        checksum(of: bytes, in: range, by: hasInstruction ? .instruction : .tables)
    }

    package static func checksum(of bytes: [UInt8]) -> UInt32 { checksum(of: bytes, in: 0..<bytes.count) }

    /// - Precondition: the method is available.
    package static func checksum(of bytes: [UInt8], in range: Range<Int>, by method: Method) -> UInt32 {
        unsafe bytes.withUnsafeBytes { all in
            let part = unsafe UnsafeRawBufferPointer(rebasing: all[range])
            return switch method {
            case .instruction: unsafe ~causeway_crc32c_update(~0, part.baseAddress, part.count)
            case .tables: unsafe tableChecksum(part)
            }
        }
    }

    private static func tableChecksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        unsafe tables.withUnsafeBufferPointer { tables in
            var crc = ~UInt32(0)
            var offset = 0
            while offset + 8 <= bytes.count {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let mixed = word ^ UInt64(crc)
                var sum: UInt32 = 0
                for step in 0..<8 {
                    let byte = Int(truncatingIfNeeded: mixed >> UInt64(step * 8)) & 0xFF
                    unsafe sum ^= tables[(7 - step) * 256 + byte]
                }
                crc = sum
                offset += 8
            }
            while offset < bytes.count {
                let byte = unsafe bytes[offset]
                crc = unsafe tables[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
                offset += 1
            }
            return ~crc
        }
    }

    /// Eight tables of 256 words: the checksum of a byte followed by 0 to 7 zeros.
    private static let tables: [UInt32] = {
        let polynomial: UInt32 = 0x82F6_3B78
        var tables: [UInt32] = []
        for byte in 0..<UInt32(256) {
            var crc = byte
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ polynomial : crc >> 1 }
            tables.append(crc)
        }
        for index in 256..<2048 {
            let shorter = tables[index - 256]
            tables.append(tables[Int(shorter & 0xFF)] ^ (shorter >> 8))
        }
        return tables
    }()
}
