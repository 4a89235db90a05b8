/// Every bound of this module, with its unit in its name.
package enum TLSLimits {
    /// Plain text that is gathered before it is sealed, and the largest record of the protocol (RFC 8446 §5.1).
    package static let recordBytesMax = 16 * 1024

    /// Plain text that is sealed before the cipher text is handed on.
    package static let sealBytesMax = 256 * 1024

    /// The largest buffer that is handed up the pipeline in one read.
    package static let readChunkBytesMax = 64 * 1024

    /// Plain text that may wait for the end of the handshake. Past it the connection fails.
    package static let heldBytesMax = 1024 * 1024

    /// A handshake that takes longer is given up.
    package static let handshakeSecondsMax: Int64 = 10

    /// How long a close waits for bytes that the peer does not take.
    package static let closeFlushSecondsMax: Int64 = 5

    /// How long a close waits for the peer's own end after our last byte left.
    package static let closeLingerSecondsMax: Int64 = 1

    /// Server names whose sessions are kept for resumption.
    package static let sessionNamesMax = 64

    /// Sessions kept for one server name: servers commonly hand out two tickets at once.
    package static let sessionsPerNameMax = 4

    /// How long a server's session may be resumed.
    package static let sessionSecondsMax = 3600

    /// How long a server seals its session tickets with the same key, and how long it opens them after that.
    package static let ticketKeySecondsMax = 3600

    /// Certificates in a peer's chain, the leaf and the root not counted.
    package static let intermediateCertificatesMax: Int32 = 8

    /// Text taken from a peer's certificate into an error.
    package static let certificateTextBytesMax = 256
}
