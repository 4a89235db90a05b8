import CausewayTLS

/// A certificate authority for a test, and the certificates that it issues.
struct Authority {
    private let authority: CertificateAuthority
    private let folder: String

    /// - Parameter folder: the folder for its files.
    init(folder: String) throws {
        self.folder = folder
        authority = try CertificateAuthority.create(commonName: "Test", validDays: 1)
        try authority.write(certificatePath: folder + "/ca.pem", privateKeyPath: folder + "/ca.key")
    }

    func server(for name: String) throws -> TLSServerContext {
        let certificate = try authority.issueServer(names: [name], validDays: 1)
        let path = folder + "/" + name
        try certificate.write(certificatePath: path + ".pem", privateKeyPath: path + ".key")
        return try TLSServerContext(
            TLSServerConfiguration(certificateChainPath: path + ".pem", privateKeyPath: path + ".key"))
    }

    /// A client that trusts only this authority.
    func client() throws -> TLSClientContext {
        try TLSClientContext(TLSClientConfiguration(trust: .authorities(path: folder + "/ca.pem")))
    }
}
