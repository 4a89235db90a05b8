package import CausewayTLS

/// A root of its own, a server certificate that it issued for `localhost`, `127.0.0.1` and `*.example.test`, and
/// contexts that use them. The files are in a temporary folder and go with it.
package struct TestCertificates: Sendable {
    package static let organization = "Causeway Test"

    /// For tests that do not write to its folder.
    package static let shared: TestCertificates = {
        do { return try TestCertificates() } catch { preconditionFailure("no certificates for the tests: \(error)") }
    }()

    package let folder: TemporaryFolder
    package let root: CertificateAuthority
    package let rootFiles: IdentityFiles
    package let server: IdentityFiles

    package init() throws {
        folder = try TemporaryFolder()
        root = try CertificateAuthority.create(
            CertificateOptions(
                purpose: .authority(pathLength: nil), commonName: "Test Root", organization: Self.organization))
        rootFiles = try folder.write(root, as: "root")
        server = try folder.write(
            root.issueServer(names: ["localhost", "127.0.0.1", "*.example.test"], validDays: 2), as: "server")
    }

    /// The file with the root, for clients that trust it.
    package var trust: String { rootFiles.chain }

    /// A client that trusts only this root.
    package func client(identity: IdentityFiles? = nil, protocols: [String] = []) throws -> TLSClientContext {
        try TLSClientContext(
            TLSClientConfiguration(
                trust: .authorities(path: trust),
                identity: identity.map { .init(certificateChainPath: $0.chain, privateKeyPath: $0.key) },
                applicationProtocols: protocols))
    }

    /// A server with these files, or with the sound certificate.
    package func serverContext(
        _ files: IdentityFiles? = nil, clientAuthorities: String? = nil, protocols: [String] = []
    ) throws -> TLSServerContext {
        let files = files ?? server
        return try TLSServerContext(
            TLSServerConfiguration(
                certificateChainPath: files.chain, privateKeyPath: files.key, clientAuthorities: clientAuthorities,
                applicationProtocols: protocols))
    }

    /// A server with a certificate for this name alone.
    package func serverContext(for name: String) throws -> TLSServerContext {
        try serverContext(folder.write(root.issueServer(names: [name], validDays: 2), as: "for-" + name))
    }
}
