import CausewayTLS
import CausewayTestSupport
import Foundation

/// The paths of a certificate and its key.
struct IdentityFiles: Sendable {
    var chain: String
    var key: String
}

extension TemporaryFolder {
    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ issued: IssuedCertificate, as name: String) throws -> IdentityFiles {
        let files = IdentityFiles(chain: file("\(name).pem"), key: file("\(name).key"))
        try issued.write(certificatePath: files.chain, privateKeyPath: files.key)
        return files
    }

    func write(_ authority: CertificateAuthority, as name: String) throws -> IdentityFiles {
        let files = IdentityFiles(chain: file("\(name).pem"), key: file("\(name).key"))
        try authority.write(certificatePath: files.chain, privateKeyPath: files.key)
        return files
    }
}

/// A certificate that its issuer did not sign, with its key.
struct ForgedCertificate: Sendable {
    let certificatePEM: [UInt8]
    let privateKeyPEM: [UInt8]
}

extension IssuedCertificate {
    /// The same with another signature: the last byte of the signature is the last of the certificate.
    var forged: ForgedCertificate {
        let lines = String(decoding: certificatePEM, as: UTF8.self).split(separator: "\n")
        let body = lines.filter { !$0.hasPrefix("-----") }.joined()
        var bytes = Data(base64Encoded: body) ?? Data()
        precondition(!bytes.isEmpty, "a certificate")
        bytes[bytes.count - 1] ^= 1
        let text = bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        return ForgedCertificate(certificatePEM: Array(pem.utf8), privateKeyPEM: privateKeyPEM)
    }
}

extension TemporaryFolder {
    func write(_ forged: ForgedCertificate, as name: String) throws -> IdentityFiles {
        let files = IdentityFiles(
            chain: try write(forged.certificatePEM, to: "\(name).pem"),
            key: try write(forged.privateKeyPEM, to: "\(name).key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.key)
        return files
    }
}

/// A root, trusted by the clients of a test, and a sound server certificate for `localhost` and `127.0.0.1`.
struct TestHouse: Sendable {
    static let organization = "Causeway Test"

    /// For tests that do not write to it.
    static let shared: TestHouse = {
        do { return try TestHouse() } catch { preconditionFailure("no house for the tests: \(error)") }
    }()

    let directory: TemporaryFolder
    let root: CertificateAuthority
    let rootFiles: IdentityFiles
    let server: IdentityFiles

    init() throws {
        directory = try TemporaryFolder()
        root = try CertificateAuthority.create(
            CertificateOptions(
                purpose: .authority(pathLength: nil), commonName: "Test Root", organization: Self.organization))
        rootFiles = try directory.write(root, as: "root")
        server = try directory.write(
            root.issueServer(names: ["localhost", "127.0.0.1", "*.example.test"], validDays: 2), as: "server")
    }

    func client(
        identity: IdentityFiles? = nil, protocols: [String] = []
    ) throws -> TLSClientContext {
        try TLSClientContext(
            TLSClientConfiguration(
                trust: .authorities(path: rootFiles.chain),
                identity: identity.map { .init(certificateChainPath: $0.chain, privateKeyPath: $0.key) },
                applicationProtocols: protocols))
    }

    func serverContext(clientAuthorities: String? = nil, protocols: [String] = []) throws -> TLSServerContext {
        try TLSServerContext(
            TLSServerConfiguration(
                certificateChainPath: server.chain, privateKeyPath: server.key, clientAuthorities: clientAuthorities,
                applicationProtocols: protocols))
    }
}
