import CausewayTLS
import CausewayTestSupport
import Foundation

extension TemporaryFolder {
    /// Writes the certificate with another signature: one that its issuer did not make. The last byte of the signature
    /// is the last of the certificate.
    func write(forged issued: IssuedCertificate, as name: String) throws -> IdentityFiles {
        let lines = String(decoding: issued.certificatePEM, as: UTF8.self).split(separator: "\n")
        let body = lines.filter { !$0.hasPrefix("-----") }.joined()
        var bytes = Data(base64Encoded: body) ?? Data()
        precondition(!bytes.isEmpty, "a certificate")
        bytes[bytes.count - 1] ^= 1
        let text = bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        return try write(chain: Array(pem.utf8), key: issued.privateKeyPEM, as: name)
    }
}
