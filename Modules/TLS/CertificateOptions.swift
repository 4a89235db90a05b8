/// The contents of a certificate. The defaults are those of a sound server certificate; tests request unsound ones.
package struct CertificateOptions: Sendable, Hashable {
    package enum Key: Sendable, Hashable {
        case p256
        case rsa(bits: Int)
    }

    package enum Signature: Sendable, Hashable {
        case sha256
        case sha1
    }

    package enum Purpose: Sendable, Hashable {
        case server
        case client
        /// Signs other certificates; at most `pathLength` levels of authorities are allowed below it, any number if
        /// nil.
        case authority(pathLength: Int?)
    }

    package var purpose: Purpose
    /// At most 64 bytes; omitted if empty.
    package var commonName: String
    package var organization: String?
    /// Host names and addresses for the subject alternative names; none are written if empty.
    package var names: [String]
    /// Seconds from now; negative values are in the past. An hour ago by default, for clocks that are behind.
    package var startsInSeconds = -3600
    /// Seconds from now; negative values are in the past.
    package var endsInSeconds: Int
    package var key = Key.p256
    package var signature = Signature.sha256
    /// Subject alternative names in OpenSSL's own syntax, instead of `names`; for tests.
    package var rawAlternativeNames: String?
    /// OpenSSL's syntax for name constraints, such as `permitted;DNS:example.org`.
    package var nameConstraints: String?

    package init(
        purpose: Purpose = .server, commonName: String, organization: String? = nil, names: [String] = [],
        validDays: Int = 30
    ) {
        self.purpose = purpose
        self.commonName = commonName
        self.organization = organization
        self.names = names
        endsInSeconds = validDays.multipliedReportingOverflow(by: 86400).partialValue
    }
}
