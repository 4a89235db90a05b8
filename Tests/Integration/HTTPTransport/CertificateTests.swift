import CausewayHTTPTransport
import CausewayModels
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import Testing

/// Servers that must not be trusted: each is refused with a description of the reason, and gets no byte of a request.
@Suite struct CertificateTests {
    struct Bad: Sendable, CustomTestStringConvertible {
        let name: String
        /// A part of the message for the operator.
        let words: String
        /// Creates the server, given the certificates whose root is trusted.
        let make: @Sendable (TestCertificates) throws -> TLSServerContext
        var testDescription: String { name }
    }

    private static func options(_ change: (inout CertificateOptions) -> Void = { _ in }) -> CertificateOptions {
        var options = CertificateOptions(
            commonName: "localhost", organization: TestCertificates.organization, names: ["localhost", "127.0.0.1"])
        change(&options)
        return options
    }

    static let bad: [Bad] = [
        Bad(name: "expired", words: "expired") { certificates in
            let options = options {
                $0.startsInSeconds = -172_800
                $0.endsInSeconds = -60
            }
            return try certificates.server(certificates.root.issue(options))
        },
        Bad(name: "not yet valid", words: "not valid yet") { certificates in
            try certificates.server(certificates.root.issue(options { $0.startsInSeconds = 3600 }))
        },
        Bad(name: "wrong host", words: "for another name") { certificates in
            try certificates.server(certificates.root.issue(options { $0.names = ["other.example", "127.0.0.2"] }))
        },
        Bad(name: "no alternative name", words: "for another name") { certificates in
            try certificates.server(certificates.root.issue(options { $0.names = [] }))
        },
        Bad(name: "self-signed", words: "self-signed") { certificates in
            try certificates.serverContext(
                certificates.folder.write(CertificateAuthority.create(options()), as: "self-signed"))
        },
        Bad(name: "unknown authority", words: "authority that is not trusted") { certificates in
            try certificates.server(CertificateAuthority.create(commonName: "Stranger", validDays: 2).issue(options()))
        },
        Bad(name: "missing intermediate", words: "intermediate") { certificates in
            let middle = CertificateOptions(
                purpose: .authority(pathLength: 0), commonName: "Middle", organization: TestCertificates.organization)
            let leaf = try certificates.root.issueAuthority(middle).issue(options())
            return try certificates.serverContext(
                certificates.folder.write(chain: leaf.certificatePEM, key: leaf.privateKeyPEM, as: "alone"))
        },
        Bad(name: "a client's certificate", words: "is not valid for this use") { certificates in
            try certificates.server(certificates.root.issue(options { $0.purpose = .client }))
        },
    ]

    private static func configuration(trust: String) -> HTTPTransportConfiguration {
        HTTPTransportConfiguration(
            tls: TLSClientConfiguration(trust: .authorities(path: trust)), timeouts: .unhurried, proxy: .none)
    }

    @Test(arguments: bad, Exchange.allCases)
    func isRefusedBeforeTheFirstByte(_ bad: Bad, _ call: Exchange) async throws {
        let certificates = try TestCertificates()
        let trust = certificates.trust
        try await ScriptedHTTPServer.run(tls: try bad.make(certificates)) { _ in
            [.hubError(500, "reached")]
        } body: { server, port in
            let address = "https://127.0.0.1:\(port)"
            let (name, error) = try await withTransport(to: address, Self.configuration(trust: trust)) {
                try await call.outcome(on: $0)
            }
            #expect(name == "actionRequired(certificate)")
            #expect(error?.description.contains(bad.words) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains(address) == true)
            #expect(server.connectionCount == 1)
            #expect(server.applicationBytes == 0)
        }
    }

    /// The control: the same server with a sound certificate is reached.
    @Test func aSoundServerIsReached() async throws {
        let certificates = try TestCertificates()
        let trust = certificates.trust
        try await ScriptedHTTPServer.run(tls: try certificates.server(certificates.root.issue(Self.options()))) { _ in
            [.hubError(500, "reached")]
        } body: { server, port in
            for host in ["127.0.0.1", "localhost"] {
                try await withTransport(to: "https://\(host):\(port)", Self.configuration(trust: trust)) { transport in
                    for call in Exchange.allCases {
                        let name = try await call.outcome(on: transport).name
                        #expect(name == (call == .deliver ? "serverFailed(reached)" : "transient(reached)"))
                    }
                }
            }
            #expect(server.applicationBytes > 0)
        }
    }

    @Test(
        arguments: [
            ("TLS 1.1", ScriptedHTTPServer.Step.writeBytes(oldHello), "TLS 1.2 or newer is required"),
            ("plain HTTP", .answer(400), "does not speak TLS"),
            ("a refusal (alert 40)", .writeBytes([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]), "cipher suite"),
        ], Exchange.allCases)
    func anotherProtocolIsRefused(
        _ kind: (name: String, opening: ScriptedHTTPServer.Step, words: String), _ call: Exchange
    ) async throws {
        let trust = TestCertificates.shared.trust
        try await ScriptedHTTPServer.run(opening: [kind.opening]) { _ in
            []
        } body: { server, port in
            let configuration = Self.configuration(trust: trust)
            let (name, error) = try await withTransport(to: "https://127.0.0.1:\(port)", configuration) {
                try await call.outcome(on: $0)
            }
            #expect(name == "actionRequired(certificate)")
            #expect(error?.description.contains(kind.words) == true, "\(kind.name): \(error?.description ?? "")")
            #expect(server.requests.isEmpty)
        }
    }

    /// The hello of a server that supports TLS 1.1 and nothing newer (RFC 4346 §7.4.1.3).
    static let oldHello: [UInt8] = {
        let body: [UInt8] = [0x03, 0x02] + [UInt8](repeating: 0x42, count: 32) + [0x00, 0xC0, 0x13, 0x00]
        let handshake: [UInt8] = [0x02, 0x00, 0x00, UInt8(body.count)] + body
        return [0x16, 0x03, 0x02, 0x00, UInt8(handshake.count)] + handshake
    }()

    /// With TLS 1.3 a server requests a certificate only after the client's handshake; a delivery may have been sent by
    /// then.
    @Test func aServerThatDemandsACertificate() async throws {
        let certificates = try TestCertificates()
        let trust = certificates.trust
        let context = try certificates.server(certificates.root.issue(Self.options()), clientAuthorities: trust)
        try await ScriptedHTTPServer.run(tls: context) { _ in
            [.hubError(500, "reached")]
        } body: { server, port in
            let address = "https://127.0.0.1:\(port)"
            for call in Exchange.allCases {
                let (name, error) = try await withTransport(to: address, Self.configuration(trust: trust)) {
                    try await call.outcome(on: $0)
                }
                let doubtful = ["actionRequired(certificate)", "inDoubt"]
                #expect(call == .deliver ? doubtful.contains(name) : name == "actionRequired(certificate)")
                #expect(error?.description.contains("certificate") == true)
            }
            #expect(server.requests.isEmpty)

            let files = try certificates.folder.write(
                certificates.root.issueClient(commonName: "ada", validDays: 1), as: "ada")
            var configuration = Self.configuration(trust: trust)
            configuration.tls.identity = .init(certificateChainPath: files.chain, privateKeyPath: files.key)
            try await withTransport(to: address, configuration) { transport in
                let name = try await Exchange.deliver.outcome(on: transport).name
                #expect(name == "serverFailed(reached)")
            }
        }
    }

    /// A response that ends without the server's `close_notify` may have been cut by an attacker.
    @Test func aCutAnswerIsInDoubt() async throws {
        let certificates = try TestCertificates()
        let trust = certificates.trust
        try await ScriptedHTTPServer.run(tls: try certificates.server(certificates.root.issue(Self.options()))) { _ in
            [.write("HTTP/1.1 200 OK\r\nCauseway-Protocol: 1\r\n\r\n{\"mark\":1,"), .reset]
        } body: { _, port in
            try await withTransport(to: "https://127.0.0.1:\(port)", Self.configuration(trust: trust)) { transport in
                for call in Exchange.allCases {
                    let name = try await call.outcome(on: transport).name
                    #expect(name == "inDoubt")
                }
            }
        }
    }
}

extension TestCertificates {
    /// A server with this certificate that speaks the protocol of the transport.
    fileprivate func server(
        _ issued: IssuedCertificate, clientAuthorities: String? = nil
    ) throws -> TLSServerContext {
        try serverContext(
            folder.write(issued, as: "issued"), clientAuthorities: clientAuthorities, protocols: ["http/1.1"])
    }
}
