/// What a certificate is to say. The defaults are those of a sound server certificate; tests ask for unsound ones.
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
        /// Signs other certificates; `pathLength` authorities may stand below it, any number when nil.
        case authority(pathLength: Int?)
    }

    package var purpose: Purpose
    /// At most 64 bytes; left out when empty.
    package var commonName: String
    package var organization: String?
    /// Host names and addresses for the subject alternative names; none are written when empty.
    package var names: [String]
    /// Seconds from now; below zero is the past. An hour back by default, for clocks that are behind.
    package var startsInSeconds = -3600
    /// Seconds from now; below zero is the past.
    package var endsInSeconds: Int
    package var key = Key.p256
    package var signature = Signature.sha256
    /// Subject alternative names in OpenSSL's own text, instead of `names`; for tests.
    package var rawAlternativeNames: String?
    /// OpenSSL's text for name constraints, such as `permitted;DNS:example.org`.
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
