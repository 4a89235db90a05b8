/// The reason why a certificate was rejected.
public enum CertificateProblem: Sendable, Hashable, CaseIterable {
    /// Its validity has ended.
    case expired
    /// Its validity has not begun, or this machine's clock is behind.
    case notYetValid
    /// It is for other names than the requested one.
    case wrongHost
    /// It is self-signed and not among the trusted authorities.
    case selfSigned
    /// It was issued by an authority that is not trusted here.
    case unknownAuthority
    /// The server did not send the certificates that link its own to an authority.
    case missingIntermediate
    /// Its authority revoked it.
    case revoked
    /// The certificate, or one that issued it, is not valid for this use: purpose, authority, path length, permitted
    /// names.
    case wrongUsage
    /// Its key or its signature is too weak.
    case weak
    /// Another problem; see the detail.
    case other
}

extension CertificateProblem: CustomStringConvertible {
    /// A description of the problem and of its remedy for operators, one or two sentences.
    public var description: String {
        switch self {
        case .expired:
            "the certificate has expired; renew it on the server, and check this machine's clock"
        case .notYetValid:
            "the certificate is not valid yet; check this machine's clock, then the certificate's start date"
        case .wrongHost:
            "the certificate is for another name; use a name or address that it lists, or issue one that lists this"
        case .selfSigned:
            "the certificate is self-signed; give the server one from an authority, and trust that authority here"
        case .unknownAuthority:
            "the certificate comes from an authority that is not trusted here; "
                + "add that authority's certificate to the trusted ones, if you know it to be right"
        case .missingIntermediate:
            "the server does not send its intermediate certificate, or its own authority is not trusted here; "
                + "make it send its whole chain, or add that authority's certificate to the trusted ones"
        case .revoked:
            "the certificate was revoked; the server needs a new one"
        case .wrongUsage:
            "the certificate or one of its issuers is not valid for this use; issue one that allows this use and name"
        case .weak:
            "the certificate is too weak; issue one with at least RSA 2048 or P-256, signed with SHA-256"
        case .other:
            "the certificate was rejected; see the detail"
        }
    }
}
