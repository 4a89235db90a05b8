internal import CausewayTLS

/// The SHA-256 of bytes that are read in parts, as the name of a blob has it. Of constant size.
package struct BlobDigest: ~Copyable {
    private var stream = SHA256Stream()

    package init() {}

    package mutating func update(_ bytes: [UInt8]) { stream.update(bytes) }

    /// The digits of the hash of all bytes so far.
    package var sha256: String { Hexadecimal.text(stream.digest()) }
}
