/// The configuration of a server's TLS connections.
package struct TLSServerConfiguration: Sendable, Hashable {
    /// PEM file: the server's certificate, followed by those that link it to its authority.
    package var certificateChainPath: String
    /// PEM file: the key, not encrypted.
    package var privateKeyPath: String
    /// PEM file of authorities. If set, a client must present a certificate of one of them.
    package var clientAuthorities: String?
    /// Names of application protocols (ALPN), the preferred one first. A client that offers only others is refused; one
    /// that offers none is not.
    package var applicationProtocols: [String]

    package init(
        certificateChainPath: String, privateKeyPath: String, clientAuthorities: String? = nil,
        applicationProtocols: [String] = []
    ) {
        self.certificateChainPath = certificateChainPath
        self.privateKeyPath = privateKeyPath
        self.clientAuthorities = clientAuthorities
        self.applicationProtocols = applicationProtocols
    }
}
