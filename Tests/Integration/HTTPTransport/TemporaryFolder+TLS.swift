import CausewayTLS
import CausewayTestSupport
import Foundation

extension TemporaryFolder {
    /// A server with this certificate that sends these certificates along, the nearest first.
    func server(
        _ issued: IssuedCertificate, chain: [UInt8]? = nil, clientAuthorities: String? = nil
    ) throws -> TLSServerContext {
        let name = fresh()
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
        let name = fresh()
        try CertificateAuthority.create(options)
            .write(certificatePath: name + ".pem", privateKeyPath: name + ".key")
        return try TLSServerContext(
            TLSServerConfiguration(certificateChainPath: name + ".pem", privateKeyPath: name + ".key"))
    }

    /// A file with the authority's certificate, for clients that trust it.
    func trust(_ authority: CertificateAuthority) throws -> String {
        let file = fresh() + ".pem"
        try Data(authority.certificatePEM).write(to: URL(fileURLWithPath: file))
        return file
    }
}
