import CausewayTLS
import Foundation

/// A folder that is deleted at the end of the test.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-http-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A server with this certificate that sends these certificates along, the nearest first.
    func server(
        _ issued: IssuedCertificate, chain: [UInt8]? = nil, clientAuthorities: String? = nil
    ) throws -> TLSServerContext {
        let name = "\(path)/\(UUID().uuidString)"
        try Data(chain ?? issued.chainPEM).write(to: URL(fileURLWithPath: name + ".pem"))
        try Data(issued.privateKeyPEM).write(to: URL(fileURLWithPath: name + ".key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: name + ".key")
        return try TLSServerContext(
            TLSServerConfiguration(
                certificateChainPath: name + ".pem", privateKeyPath: name + ".key",
                clientAuthorities: clientAuthorities, applicationProtocols: ["http/1.1"]))
    }

    /// A server with a self-signed certificate.
    func server(selfSigned options: CertificateOptions) throws -> TLSServerContext {
        let name = "\(path)/\(UUID().uuidString)"
        try CertificateAuthority.create(options)
            .write(certificatePath: name + ".pem", privateKeyPath: name + ".key")
        return try TLSServerContext(
            TLSServerConfiguration(certificateChainPath: name + ".pem", privateKeyPath: name + ".key"))
    }

    /// A file with the authority's certificate, for clients that trust it.
    func trust(_ authority: CertificateAuthority) throws -> String {
        let file = "\(path)/\(UUID().uuidString).pem"
        try Data(authority.certificatePEM).write(to: URL(fileURLWithPath: file))
        return file
    }
}
