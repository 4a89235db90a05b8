import CausewayTLS
import CausewayTestSupport
import Foundation
import Testing

/// The authority's certificates, verified independently by `openssl`.
@Suite(.timeLimit(.minutes(10)))
struct CertificateAuthorityTests {
    @Test func itsCertificatesAreSound() async throws {
        let directory = try TemporaryFolder()
        let authority = try CertificateAuthority.create(commonName: "Causeway CA", validDays: 10)
        let root = try directory.write(authority, as: "root")
        let server = try directory.write(
            authority.issueServer(names: ["hub.example", "192.0.2.7", "2001:db8::1"], validDays: 5), as: "server")
        let client = try directory.write(authority.issueClient(commonName: "device", validDays: 5), as: "client")
        for (purpose, files) in [("sslserver", server), ("sslclient", client)] {
            let good = try await Program.openssl.run([
                "verify", "-x509_strict", "-check_ss_sig", "-purpose", purpose, "-CAfile", root.chain, files.chain,
            ])
            #expect(good.status == 0, "\(good.text)")
            let wrong = purpose == "sslserver" ? "sslclient" : "sslserver"
            let bad = try await Program.openssl.run(["verify", "-purpose", wrong, "-CAfile", root.chain, files.chain])
            #expect(bad.status != 0)
        }
        for (option, name) in [
            ("-verify_hostname", "hub.example"), ("-verify_ip", "192.0.2.7"), ("-verify_ip", "2001:db8::1"),
        ] {
            let named = try await Program.openssl.run(["verify", "-CAfile", root.chain, option, name, server.chain])
            #expect(named.status == 0, "\(named.text)")
        }
        let text = try await Program.openssl.run(["x509", "-in", server.chain, "-noout", "-text"]).text
        #expect(text.contains("TLS Web Server Authentication"))
        #expect(text.contains("Authority Key Identifier"))
        #expect(text.contains("Subject Key Identifier"))
        #expect(text.contains("CA:FALSE"))
        #expect(text.contains("ecdsa-with-SHA256"))
    }

    @Test func serialsDiffer() async throws {
        let directory = try TemporaryFolder()
        let authority = try CertificateAuthority.create(commonName: "Causeway CA", validDays: 10)
        var serials: Set<String> = []
        for index in 0..<5 {
            let files = try directory.write(authority.issueClient(commonName: "device", validDays: 5), as: "\(index)")
            let serial = try await Program.openssl.run(["x509", "-in", files.chain, "-noout", "-serial"])
            serials.insert(serial.text)
        }
        #expect(serials.count == 5)
        #expect(serials.allSatisfy { $0.count >= "serial=".count + 40 })
    }

    @Test func aKeyIsNeverReadableByOthers() throws {
        let directory = try TemporaryFolder()
        let files = try directory.write(CertificateAuthority.create(commonName: "CA", validDays: 1), as: "root")
        let mode = try FileManager.default.attributesOfItem(atPath: files.key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        // An existing file, which may be readable by everyone, is not reused.
        let wide = directory.file("wide.key")
        #expect(FileManager.default.createFile(atPath: wide, contents: nil, attributes: [.posixPermissions: 0o666]))
        #expect(throws: TLSError.self) {
            try CertificateAuthority.create(commonName: "CA", validDays: 1)
                .write(certificatePath: directory.file("wide.pem"), privateKeyPath: wide)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: wide)).isEmpty)
    }

    @Test func whatWasWrittenCanBeLoaded() async throws {
        let directory = try TemporaryFolder()
        let authority = try CertificateAuthority.create(commonName: "Causeway CA", validDays: 10)
        let root = try directory.write(authority, as: "root")
        let loaded = try CertificateAuthority.load(certificatePath: root.chain, privateKeyPath: root.key)
        let server = try directory.write(loaded.issueServer(names: ["hub.example"], validDays: 5), as: "server")
        let good = try await Program.openssl.run(["verify", "-CAfile", root.chain, server.chain])
        #expect(good.status == 0, "\(good.text)")
    }

    @Test func whatDoesNotBelongTogetherIsRefused() throws {
        let directory = try TemporaryFolder()
        let one = try directory.write(CertificateAuthority.create(commonName: "One", validDays: 1), as: "one")
        let other = try directory.write(CertificateAuthority.create(commonName: "Other", validDays: 1), as: "other")
        let leaf = try directory.write(
            CertificateAuthority.create(commonName: "CA", validDays: 1).issueServer(names: ["a.example"], validDays: 1),
            as: "leaf")
        let junk = try directory.write(Array("junk".utf8), to: "junk.pem")
        for (certificate, key) in [
            (one.chain, other.key), (leaf.chain, leaf.key), (junk, one.key), (one.chain, junk),
            (directory.file("absent"), one.key), (one.chain, directory.file("absent")),
        ] {
            #expect(throws: TLSError.self) {
                try CertificateAuthority.load(certificatePath: certificate, privateKeyPath: key)
            }
        }
    }

    @Test(arguments: ["", "a,DNS:evil.example", "a b", ".a.example", "a..b", "evil\0.example", "ü.example"])
    func aNameThatIsNoneIsRefused(name: String) throws {
        let authority = try CertificateAuthority.create(commonName: "CA", validDays: 1)
        #expect(throws: TLSError.self) { try authority.issueServer(names: [name], validDays: 1) }
        #expect(throws: TLSError.self) { try authority.issueServer(names: [], validDays: 1) }
    }

    @Test func itsTextShowsNoKey() throws {
        let authority = try CertificateAuthority.create(commonName: "CA", validDays: 1)
        let issued = try authority.issueClient(commonName: "device", validDays: 1)
        var text = "\(authority) \(issued) \(String(reflecting: authority))"
        dump(authority, to: &text)
        dump(issued, to: &text)
        #expect(!text.contains("PRIVATE KEY"))
        #expect(text.count < 400)
    }
}
