package import CausewayTLS

/// The paths of a certificate with its chain, and of its key.
package struct IdentityFiles: Sendable {
    package var chain: String
    package var key: String
}

extension TemporaryFolder {
    /// The path of a file or folder with this name.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package func write(_ issued: IssuedCertificate, as name: String) throws -> IdentityFiles {
        let files = IdentityFiles(chain: file("\(name).pem"), key: file("\(name).key"))
        try issued.write(certificatePath: files.chain, privateKeyPath: files.key)
        return files
    }

    package func write(_ authority: CertificateAuthority, as name: String) throws -> IdentityFiles {
        let files = IdentityFiles(chain: file("\(name).pem"), key: file("\(name).key"))
        try authority.write(certificatePath: files.chain, privateKeyPath: files.key)
        return files
    }

    /// Writes this chain and this key, which need not belong together.
    package func write(chain: [UInt8], key: [UInt8], as name: String) throws -> IdentityFiles {
        IdentityFiles(chain: try write(chain, to: "\(name).pem"), key: try write(key, to: "\(name).key", mode: 0o600))
    }
}
