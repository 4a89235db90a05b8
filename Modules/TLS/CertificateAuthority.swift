internal import COpenSSL
internal import CausewaySystem

/// A small certificate authority: a key and a certificate, self-signed or signed by another authority, which issues
/// certificates. A value; creating and issuing cost about a millisecond with P-256. Its text never shows the key.
package struct CertificateAuthority: Sendable {
    /// The authority's certificate, PEM; clients must trust it if it is a root.
    package let certificatePEM: [UInt8]
    /// This certificate and those above it except the root, PEM; empty for a root.
    let chainPEM: [UInt8]
    let privateKeyPEM: [UInt8]

    /// Creates a root with a P-256 key that signs only leaf certificates.
    ///
    /// - Throws: `TLSError.configuration` if the name is longer than 64 bytes.
    package static func create(commonName: String, validDays: Int) throws(TLSError) -> CertificateAuthority {
        try create(
            CertificateOptions(purpose: .authority(pathLength: 0), commonName: commonName, validDays: validDays))
    }

    /// Creates a root with the given options.
    package static func create(_ options: CertificateOptions) throws(TLSError) -> CertificateAuthority {
        let key = try PrivateKey(options.key)
        let certificate = try CertificateBuilder(options, key: key, issuer: nil).sign(with: key)
        return CertificateAuthority(
            certificatePEM: try certificate.pem(), chainPEM: [], privateKeyPEM: try key.pem())
    }

    /// Loads a root from the files written by `write`.
    ///
    /// - Throws: `TLSError.configuration` if they cannot be read, do not belong together or do not contain an
    ///   authority.
    package static func load(certificatePath: String, privateKeyPath: String) throws(TLSError) -> CertificateAuthority {
        let certificatePEM = try PEMFile.read(certificatePath)
        if let problem = FileAccess.problem(ofSecretFile: privateKeyPath) {
            throw .configuration("the key file \(privateKeyPath) \(problem)")
        }
        let privateKeyPEM = try PEMFile.read(privateKeyPath)
        guard let certificate = Certificate(pem: certificatePEM), certificate.isAuthority else {
            throw .configuration("\(certificatePath) contains no CA certificate in PEM format")
        }
        guard let key = PrivateKey(pem: privateKeyPEM) else {
            throw .configuration("\(privateKeyPath) contains no unencrypted key in PEM format")
        }
        guard certificate.belongs(to: key) else {
            throw .configuration("the key in \(privateKeyPath) does not belong to \(certificatePath)")
        }
        return CertificateAuthority(certificatePEM: certificatePEM, chainPEM: [], privateKeyPEM: privateKeyPEM)
    }

    /// Writes certificate and key to new files. The key's file is readable only by its owner from its creation on.
    ///
    /// - Throws: `TLSError.configuration` if a file exists already or cannot be written.
    package func write(certificatePath: String, privateKeyPath: String) throws(TLSError) {
        try PEMFile.write(privateKeyPEM, to: privateKeyPath, permissions: .owner)
        try PEMFile.write(certificatePEM, to: certificatePath, permissions: .everyoneReads)
    }

    /// Issues a certificate for a server with these host names and addresses, at least one.
    ///
    /// - Throws: `TLSError.configuration` for an invalid name.
    package func issueServer(names: [String], validDays: Int) throws(TLSError) -> IssuedCertificate {
        guard let first = names.first else { throw .configuration("a server certificate needs at least one name") }
        let commonName = first.utf8.count <= 64 ? first : "server"
        return try issue(
            CertificateOptions(purpose: .server, commonName: commonName, names: names, validDays: validDays))
    }

    /// Issues a certificate that identifies a client.
    package func issueClient(commonName: String, validDays: Int) throws(TLSError) -> IssuedCertificate {
        try issue(CertificateOptions(purpose: .client, commonName: commonName, validDays: validDays))
    }

    /// Issues a certificate with the given options, whether they are sound or not.
    package func issue(_ options: CertificateOptions) throws(TLSError) -> IssuedCertificate {
        let (certificate, key) = try signed(options)
        return IssuedCertificate(
            certificatePEM: try certificate.pem(), intermediatesPEM: chainPEM, privateKeyPEM: try key.pem())
    }

    /// Issues an authority below this one.
    package func issueAuthority(_ options: CertificateOptions) throws(TLSError) -> CertificateAuthority {
        let (certificate, key) = try signed(options)
        let pem = try certificate.pem()
        return CertificateAuthority(certificatePEM: pem, chainPEM: pem + chainPEM, privateKeyPEM: try key.pem())
    }

    /// Creates an authority from a certificate that is not allowed to be one. For tests.
    package init(actingWith issued: IssuedCertificate) {
        certificatePEM = issued.certificatePEM
        chainPEM = issued.chainPEM
        privateKeyPEM = issued.privateKeyPEM
    }

    private init(certificatePEM: [UInt8], chainPEM: [UInt8], privateKeyPEM: [UInt8]) {
        self.certificatePEM = certificatePEM
        self.chainPEM = chainPEM
        self.privateKeyPEM = privateKeyPEM
    }

    private func signed(_ options: CertificateOptions) throws(TLSError) -> (Certificate, PrivateKey) {
        guard let issuer = Certificate(pem: certificatePEM), let issuerKey = PrivateKey(pem: privateKeyPEM) else {
            throw .configuration("the authority's certificate or key cannot be read")
        }
        let key = try PrivateKey(options.key)
        return (try CertificateBuilder(options, key: key, issuer: issuer).sign(with: issuerKey), key)
    }
}

extension CertificateAuthority: CustomStringConvertible, CustomReflectable {
    package var description: String { "CertificateAuthority" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
