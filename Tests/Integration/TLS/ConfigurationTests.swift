import CausewayTLS
import CausewayTestSupport
import Foundation
import Testing

/// Unusable settings are refused immediately, with a description.
@Suite(.timeLimit(.minutes(10)))
struct ConfigurationTests {
    @Test(arguments: ["", ".", ".example.test", "a..b", "exa mple", "nul\0.example", "ü.example", "*.example.test"])
    func aServerNameThatIsNoneIsRefused(name: String) throws {
        let context = try TestCertificates.shared.client()
        #expect(throws: TLSError.self) { try context.makeHandler(serverName: name) }
    }

    @Test(arguments: [
        "localhost", "Example.COM.", "127.0.0.1", "::1", "[::1]", "fe80::1%eth0", "a_b.example",
        "xn--bcher-kva.example",
    ])
    func aServerNameIsTaken(name: String) throws {
        let context = try TestCertificates.shared.client()
        #expect(throws: Never.self) { try context.makeHandler(serverName: name) }
    }

    @Test func filesThatCannotBeUsedAreNamed() throws {
        let certificates = TestCertificates.shared
        let directory = try TemporaryFolder()
        let junk = try directory.write(Array("junk".utf8), to: "junk.pem")
        for path in [junk, directory.file("absent.pem")] {
            let trust = #expect(throws: TLSError.self) {
                try TLSClientContext(TLSClientConfiguration(trust: .authorities(path: path)))
            }
            #expect("\(try #require(trust))".contains(path))
            for (chain, key) in [(path, certificates.server.key), (certificates.server.chain, path)] {
                let identity = #expect(throws: TLSError.self) {
                    try TLSServerContext(TLSServerConfiguration(certificateChainPath: chain, privateKeyPath: key))
                }
                #expect("\(try #require(identity))".contains(path))
            }
            #expect(throws: TLSError.self) { try certificates.serverContext(clientAuthorities: path) }
        }
        #expect(throws: TLSError.self) {
            try TLSServerContext(
                TLSServerConfiguration(
                    certificateChainPath: certificates.server.chain, privateKeyPath: certificates.rootFiles.key))
        }
    }

    @Test(arguments: [0o644, 0o604, 0o660])
    func aKeyThatOthersCanReadIsRefused(mode: Int) throws {
        let certificates = TestCertificates.shared
        let directory = try TemporaryFolder()
        let files = try directory.write(certificates.root.issue(BadServer.options()), as: "wide")
        let root = try directory.write(certificates.root, as: "root")
        for key in [files.key, root.key] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
        }
        let server = #expect(throws: TLSError.self) {
            try TLSServerContext(TLSServerConfiguration(certificateChainPath: files.chain, privateKeyPath: files.key))
        }
        #expect("\(try #require(server))".contains("\(files.key) can be read or written by others; run chmod 600"))
        #expect(throws: TLSError.self) { try certificates.client(identity: files) }
        let authority = #expect(throws: TLSError.self) {
            try CertificateAuthority.load(certificatePath: root.chain, privateKeyPath: root.key)
        }
        #expect("\(try #require(authority))".contains(root.key))
    }

    @Test func anEncryptedKeyFailsWithoutAsking() async throws {
        let certificates = TestCertificates.shared
        let directory = try TemporaryFolder()
        let encrypted = directory.file("encrypted.key")
        let made = try await Program.openssl.run([
            "pkcs8", "-topk8", "-in", certificates.server.key, "-out", encrypted, "-passout", "pass:secret",
        ])
        #expect(made.status == 0, "\(made.errors)")
        #expect(throws: TLSError.self) {
            try TLSServerContext(
                TLSServerConfiguration(certificateChainPath: certificates.server.chain, privateKeyPath: encrypted))
        }
    }

    @Test func aWeakCertificateOfOurOwnIsRefused() throws {
        let certificates = TestCertificates.shared
        let directory = try TemporaryFolder()
        let weak = try directory.write(
            certificates.root.issue(BadServer.options { $0.key = .rsa(bits: 1024) }), as: "weak")
        #expect(throws: TLSError.self) {
            try TLSServerContext(TLSServerConfiguration(certificateChainPath: weak.chain, privateKeyPath: weak.key))
        }
    }

    @Test(arguments: [[""], [String(repeating: "x", count: 256)]])
    func anApplicationProtocolThatIsNoneIsRefused(names: [String]) throws {
        #expect(throws: TLSError.self) { try TestCertificates.shared.client(protocols: names) }
        #expect(throws: TLSError.self) { try TestCertificates.shared.serverContext(protocols: names) }
    }

    @Test func everyProblemSaysWhatToDo() {
        let texts = CertificateProblem.allCases.map { "\(TLSError.certificate($0, detail: "the detail"))" }
        #expect(Set(texts).count == CertificateProblem.allCases.count)
        #expect(texts.allSatisfy { $0.contains("; ") && $0.hasSuffix("(the detail)") })
    }
}
