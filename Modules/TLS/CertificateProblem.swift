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
            "The certificate has expired. Renew it on the server, and check this machine's clock."
        case .notYetValid:
            "The certificate is not valid yet. Check this machine's clock, then the certificate's start date."
        case .wrongHost:
            "The certificate is for another name. Use a name or address that it lists, or issue one that lists this."
        case .selfSigned:
            "The certificate is self-signed. Give the server one from an authority, and trust that authority here."
        case .unknownAuthority:
            "The certificate comes from an authority that is not trusted here. "
                + "Add that authority's certificate to the trusted ones, if you know it to be right."
        case .missingIntermediate:
            "The server does not send its intermediate certificate, or its own authority is not trusted here. "
                + "Let it send its whole chain, or add that authority's certificate to the trusted ones."
        case .revoked:
            "The certificate was revoked. The server needs a new one."
        case .wrongUsage:
            "The certificate or one above it may not be used for this. Issue one that allows this use and name."
        case .weak:
            "The certificate is too weak. Issue one with at least RSA 2048 or P-256, signed with SHA-256."
        case .other:
            "The certificate was not accepted. See the detail."
        }
    }
}
