internal import CausewayModels
internal import CausewaySystem
internal import CausewayTLS

/// The SHA-256 of bytes that are read in parts, as the name of a blob has it. Of constant size.
package struct BlobDigest: ~Copyable {
    private var stream = SHA256Stream()
    /// The bytes that were hashed.
    private(set) var bytesCount: Int64 = 0

    package init() {}

    package mutating func update(_ bytes: [UInt8]) {
        stream.update(bytes)
        bytesCount += Int64(bytes.count)
    }

    /// Hashes the bytes of a file after those that were hashed already, up to its end. Blocks the thread.
    ///
    /// - Parameter progress: called after each part with the bytes that were hashed so far.
    mutating func updateToEnd(of file: OpenFile, progress: (Int64) -> Void = { _ in }) throws(SystemError) {
        while true {
            let part = try file.bytes(at: bytesCount, count: Limits.blobPartBytesMax)
            if part.isEmpty { return }
            update(part)
            progress(bytesCount)
        }
    }

    /// The digits of the hash of all bytes so far.
    package var sha256: String { Hexadecimal.text(of: stream.digest()) }
}
