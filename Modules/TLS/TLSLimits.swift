/// All limits of this module, with their units in their names.
package enum TLSLimits {
    /// Plain text that is collected before it is encrypted, and the largest record of the protocol (RFC 8446 §5.1).
    package static let recordBytesMax = 16 * 1024

    /// Bytes that a record of the allowed versions and suites has beside its plain text: header, nonce, type, tag.
    package static let recordOverheadBytesMax = 32

    /// Plain text that is encrypted before the cipher text is passed on.
    package static let sealBytesMax = 256 * 1024

    /// The largest buffer that is passed up the pipeline in one read.
    package static let readChunkBytesMax = 64 * 1024

    /// Plain text that may wait for the end of the handshake. Beyond it the connection fails.
    package static let heldBytesMax = 1024 * 1024

    /// Bytes of messages of TLS itself that may wait for the system to take them, beside what one read of the
    /// connection causes: a peer can request key updates, or be refused a new handshake (TLS 1.2), without reading any
    /// of that. Beyond it the connection fails.
    package static let unsentMessageBytesMax = 64 * 1024

    /// Seconds after which an incomplete handshake fails.
    package static let handshakeSecondsMax: Int64 = 10

    /// Seconds that a close waits for the peer to accept pending bytes.
    package static let closeFlushSecondsMax: Int64 = 5

    /// Seconds that a close waits for the peer's own end after the last byte was sent.
    package static let closeLingerSecondsMax: Int64 = 1

    /// Server names whose sessions are kept for resumption.
    package static let sessionNamesMax = 64

    /// Sessions kept for one server name: servers commonly issue two tickets at once.
    package static let sessionsPerNameMax = 4

    /// Seconds during which a server's session may be resumed.
    package static let sessionSecondsMax = 3600

    /// Seconds during which a server encrypts its session tickets with the same key, and during which it decrypts them
    /// after that.
    package static let ticketKeySecondsMax = 3600

    /// Certificates in a peer's chain, not counting the leaf and the root.
    package static let intermediateCertificatesMax: Int32 = 8

    /// Bytes of text from a peer's certificate in an error.
    package static let certificateTextBytesMax = 256
}
