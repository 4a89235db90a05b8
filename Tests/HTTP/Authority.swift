import CausewayTLS

/// A certificate authority of a test's own, and what it vouches for.
struct Authority {
    private let authority: CertificateAuthority
    private let folder: String

    /// - Parameter folder: where its files are written.
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

    /// A client that trusts this authority alone.
    func client() throws -> TLSClientContext {
        try TLSClientContext(TLSClientConfiguration(trust: .authorities(path: folder + "/ca.pem")))
    }
}
