/// The user event that a `TLSHandler` fires once, when the connection is secure and the peer verified.
package struct TLSHandshakeCompleted: Sendable, Hashable {
    /// The application protocol both sides agreed on (ALPN), if any.
    package var negotiatedProtocol: String?
    /// `"TLSv1.2"` or `"TLSv1.3"`.
    package var protocolVersion: String
    /// Whether an earlier session was resumed, which saves certificates and signatures.
    package var resumed: Bool
    /// The subject of the peer's certificate according to RFC 2253; nil if it sent none.
    package var peerCertificateSubject: String?
    /// The name that the client requested (SNI); nil for an address.
    package var serverName: String?
}
