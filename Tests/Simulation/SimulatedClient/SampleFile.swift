import CausewayModels
import CausewayStorage

/// The files that users attach: everything about one follows from its name, also every byte.
enum SampleFile {
    private static let bytesMax: UInt64 = 320

    /// The file at a path, as a store finds it.
    static func find(_ path: String) -> MemoryBlobStore.File {
        let file = attachment(path)
        return MemoryBlobStore.File(file, bytes: (0..<file.size).map { byte(of: file.sha256, at: $0) })
    }

    static func attachment(_ path: String) -> Attachment {
        let sha256 = (1...4).map { hexadecimal(hash(path, salt: $0)) }.joined()
        let type = path.hasPrefix("sound") ? "audio/ogg" : "image/png"
        let size = Int64(hash(path, salt: 5) % bytesMax)
        return Attachment(name: path, contentType: type, size: size, sha256: sha256)
    }

    static func byte(of sha256: String, at offset: Int64) -> UInt8 {
        let seed = UInt64(sha256.prefix(16), radix: 16) ?? 0
        return UInt8(truncatingIfNeeded: (seed &+ UInt64(offset)) &* 0x9E37_79B9_7F4A_7C15 >> 56)
    }

    private static func hash(_ path: String, salt: UInt64) -> UInt64 {
        path.utf8.reduce(0xCBF2_9CE4_8422_2325 ^ (salt &* 0x9E37_79B9_7F4A_7C15)) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
