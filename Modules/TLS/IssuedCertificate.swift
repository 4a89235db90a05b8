import CausewaySystem

/// A certificate with its key, as issued by `CertificateAuthority`. Its text never shows the key.
package struct IssuedCertificate: Sendable {
    /// The certificate alone, PEM.
    package let certificatePEM: [UInt8]
    /// The certificates between this one and the root, nearest first, PEM; empty directly below a root.
    package let intermediatesPEM: [UInt8]
    /// The key, PKCS #8 in PEM, not encrypted.
    package let privateKeyPEM: [UInt8]

    /// The chain that a server or client sends: the certificate and its intermediates.
    package var chainPEM: [UInt8] { certificatePEM + intermediatesPEM }

    /// Writes the chain and the key to new files. The key's file is readable only by its owner from its creation on.
    ///
    /// - Throws: `TLSError.configuration` if a file exists already or cannot be written.
    package func write(certificatePath: String, privateKeyPath: String) throws(TLSError) {
        try PEMFile.write(privateKeyPEM, to: privateKeyPath, permissions: .owner)
        try PEMFile.write(chainPEM, to: certificatePath, permissions: .everyoneReads)
    }
}

extension IssuedCertificate: CustomStringConvertible, CustomReflectable {
    package var description: String { "IssuedCertificate" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
