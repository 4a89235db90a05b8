/// The user event that a `TLSHandler` fires once, when the connection is secure and the peer verified.
package struct TLSHandshakeCompleted: Sendable, Hashable {
    /// The application protocol both sides agreed on (ALPN), if any.
    package var negotiatedProtocol: String?
    /// `"TLSv1.2"` or `"TLSv1.3"`.
    package var protocolVersion: String
    /// Whether an earlier session was resumed, which spares certificates and signatures.
    package var resumed: Bool
    /// The subject of the peer's certificate after RFC 2253; nil when it showed none.
    package var peerCertificateSubject: String?
    /// The name the client asked for (SNI); nil for an address.
    package var serverName: String?
}
