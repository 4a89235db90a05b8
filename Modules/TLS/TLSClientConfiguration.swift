/// The configuration of a client's TLS connections: its trusted authorities and its identity.
///
/// Always enabled: TLS 1.2 or newer, forward-secret suites, verification of the chain and the server's name (against
/// the subject alternative names only).
public struct TLSClientConfiguration: Sendable, Hashable {
    /// The authorities that are trusted to issue a server's certificate.
    public enum Trust: Sendable, Hashable {
        /// The system's store of authorities.
        case system
        /// Only the authorities in this PEM file.
        case authorities(path: String)
    }

    /// A client's own certificate, for servers that request one.
    public struct Identity: Sendable, Hashable {
        /// PEM file: the certificate, followed by those that link it to its authority.
        public var certificateChainPath: String
        /// PEM file: the key, not encrypted.
        public var privateKeyPath: String

        /// Creates an identity; the files are not read yet.
        public init(certificateChainPath: String, privateKeyPath: String) {
            self.certificateChainPath = certificateChainPath
            self.privateKeyPath = privateKeyPath
        }
    }

    /// The authorities that are trusted.
    public var trust: Trust
    /// The certificate of this client; `nil` for none.
    public var identity: Identity?
    /// Names of application protocols (ALPN), the preferred one first; none are offered if empty. 1 to 255 bytes each.
    public var applicationProtocols: [String]

    /// Creates a configuration: by default the system's authorities, without an identity and without ALPN.
    public init(trust: Trust = .system, identity: Identity? = nil, applicationProtocols: [String] = []) {
        self.trust = trust
        self.identity = identity
        self.applicationProtocols = applicationProtocols
    }
}
