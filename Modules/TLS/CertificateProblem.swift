/// Why a certificate was not accepted.
public enum CertificateProblem: Sendable, Hashable, CaseIterable {
    /// Its last day is over.
    case expired
    /// Its first day has not come, or this machine's clock is behind.
    case notYetValid
    /// It is for other names than the one that was asked for.
    case wrongHost
    /// It vouches for itself and is not among the trusted authorities.
    case selfSigned
    /// It leads to an authority that is not trusted here.
    case unknownAuthority
    /// The server did not send the certificates that link its own to an authority.
    case missingIntermediate
    /// Its authority took it back.
    case revoked
    /// It, or one that vouches for it, was not issued for this use: purpose, authority, path length, permitted names.
    case wrongUsage
    /// Its key or its signature is too weak.
    case weak
    /// Something else; the detail says what.
    case other
}

extension CertificateProblem: CustomStringConvertible {
    /// What is wrong and what an operator can do about it, as one or two sentences.
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
