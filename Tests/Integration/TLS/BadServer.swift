import CausewayTLS
import CausewayTestSupport
import Testing

/// Servers that must be refused, each with the expected problem.
struct BadServer: Sendable, CustomTestStringConvertible {
    enum Verdict: Sendable {
        case certificate(CertificateProblem)
        case protocolVersion
        case handshake
    }

    var name: String
    var verdict: Verdict
    var serverName = "localhost"
    /// Creates the server's certificate; nil for a server without one.
    var identity: (@Sendable (TestCertificates) throws -> IdentityFiles)?
    var serverArguments: [String] = []
    /// For the client that lowers its security level to reach it nevertheless.
    var lowered = ["-cipher", "ALL:@SECLEVEL=0"]

    var testDescription: String { name }

    init(
        _ name: String, _ verdict: Verdict, serverName: String = "localhost",
        serverArguments: [String] = [],
        lowered: [String]? = nil, identity: (@Sendable (TestCertificates) throws -> IdentityFiles)?
    ) {
        self.name = name
        self.verdict = verdict
        self.serverName = serverName
        self.serverArguments = serverArguments
        self.identity = identity
        if let lowered { self.lowered = lowered }
    }

    /// A server whose only fault is its certificate.
    init(
        _ name: String, _ problem: CertificateProblem, serverName: String = "localhost",
        change: @escaping @Sendable (inout CertificateOptions) -> Void
    ) {
        self.init(
            name, .certificate(problem), serverName: serverName, serverArguments: Self.lowestLevel
        ) { certificates in
            try certificates.folder.write(certificates.root.issue(Self.options(change)), as: "bad")
        }
    }

    /// Without this the server's own OpenSSL would refuse to load a weak certificate.
    static let lowestLevel = ["-cipher", "DEFAULT:@SECLEVEL=0"]

    static func options(_ change: (inout CertificateOptions) -> Void = { _ in }) -> CertificateOptions {
        var options = CertificateOptions(
            commonName: "localhost", organization: TestCertificates.organization,
            names: ["localhost", "127.0.0.1"])
        change(&options)
        return options
    }

    static func authority(_ name: String, _ change: (inout CertificateOptions) -> Void = { _ in })
        -> CertificateOptions
    {
        var options = CertificateOptions(
            purpose: .authority(pathLength: nil), commonName: name, organization: TestCertificates.organization)
        change(&options)
        return options
    }

    private static func sound(_ certificates: TestCertificates) -> IdentityFiles { certificates.server }

    private static func soundRSA(_ certificates: TestCertificates) throws -> IdentityFiles {
        try certificates.folder.write(certificates.root.issue(options { $0.key = .rsa(bits: 2048) }), as: "rsa")
    }
}

extension BadServer {
    static let certificates: [BadServer] = [
        BadServer("expired", .expired) {
            $0.startsInSeconds = -172_800
            $0.endsInSeconds = -60
        },
        BadServer("not yet valid", .notYetValid) { $0.startsInSeconds = 3600 },
        BadServer("wrong host", .wrongHost) { $0.names = ["other.example", "127.0.0.1"] },
        BadServer("no alternative name, the common name matches", .wrongHost) { $0.names = [] },
        BadServer("wrong address", .wrongHost, serverName: "127.0.0.1") {
            $0.names = ["127.0.0.2", "localhost"]
        },
        BadServer("address as a host name", .wrongHost, serverName: "127.0.0.1") {
            $0.rawAlternativeNames = "DNS:127.0.0.1"
        },
        BadServer("address as the common name", .wrongHost, serverName: "127.0.0.1") {
            $0.commonName = "127.0.0.1"
            $0.names = ["localhost"]
        },
        BadServer("NUL in the name", .wrongHost) {
            // A DNS name: "localhost", NUL, ".evil.test".
            $0.rawAlternativeNames =
                "DER:30:16:82:14:6c:6f:63:61:6c:68:6f:73:74:00:2e:65:76:69:6c:2e:74:65:73:74"
        },
        BadServer("wildcard for everything", .wrongHost) { $0.names = ["*"] },
        BadServer("wildcard over a bare name", .wrongHost, serverName: "a.test") {
            $0.names = ["*.test"]
        },
        BadServer("wildcard over two labels", .wrongHost, serverName: "a.b.example.test") {
            $0.names = ["*.example.test"]
        },
        BadServer("wildcard for a part of a label", .wrongHost, serverName: "foo.example.test") {
            $0.names = ["f*.example.test"]
        },
        BadServer("client certificate", .wrongUsage) { $0.purpose = .client },
        BadServer("RSA 1024", .weak) { $0.key = .rsa(bits: 1024) },
        BadServer("SHA-1", .weak) { $0.signature = .sha1 },
        BadServer("self-signed", .certificate(.selfSigned)) { certificates in
            try certificates.folder.write(CertificateAuthority.create(options()), as: "bad")
        },
        BadServer("unknown authority", .certificate(.unknownAuthority)) { certificates in
            let stranger = try CertificateAuthority.create(commonName: "Stranger", validDays: 2)
            return try certificates.folder.write(stranger.issue(options()), as: "bad")
        },
        BadServer("authority of the trusted one's name", .certificate(.unknownAuthority)) { certificates in
            let stranger = try CertificateAuthority.create(authority("Test Root"))
            return try certificates.folder.write(stranger.issue(options()), as: "bad")
        },
        BadServer("authority of the trusted one's name, and another", .certificate(.unknownAuthority)) { certificates in
            let stranger = try CertificateAuthority.create(authority("Test Root"))
            let other = try CertificateAuthority.create(commonName: "Other", validDays: 2)
            let leaf = try stranger.issue(options())
            return try certificates.folder.write(
                chain: leaf.certificatePEM + other.certificatePEM, key: leaf.privateKeyPEM, as: "bad")
        },
        BadServer("unknown authority that is sent along", .certificate(.unknownAuthority)) { certificates in
            let stranger = try CertificateAuthority.create(commonName: "Stranger", validDays: 2)
            let leaf = try stranger.issue(options())
            return try certificates.folder.write(
                chain: leaf.certificatePEM + stranger.certificatePEM, key: leaf.privateKeyPEM, as: "bad")
        },
        BadServer("forged signature", .certificate(.unknownAuthority)) { certificates in
            try certificates.folder.write(forged: certificates.root.issue(options()), as: "bad")
        },
        // A reader of "wrong name" would ask for a certificate with the right one, and then trust it.
        BadServer("forged, for another name", .certificate(.unknownAuthority)) { certificates in
            try certificates.folder.write(
                forged: certificates.root.issue(options { $0.names = ["other.example"] }), as: "bad")
        },
        BadServer("forged, expired", .certificate(.unknownAuthority)) { certificates in
            let expired = options {
                $0.startsInSeconds = -172_800
                $0.endsInSeconds = -60
            }
            return try certificates.folder.write(forged: certificates.root.issue(expired), as: "bad")
        },
        BadServer("forged, for clients", .certificate(.unknownAuthority)) { certificates in
            try certificates.folder.write(forged: certificates.root.issue(options { $0.purpose = .client }), as: "bad")
        },
        BadServer("missing intermediate", .certificate(.missingIntermediate)) { certificates in
            let middle = try certificates.root.issueAuthority(authority("Intermediate"))
            let leaf = try middle.issue(options())
            return try certificates.folder.write(chain: leaf.certificatePEM, key: leaf.privateKeyPEM, as: "bad")
        },
        BadServer("leaf as an authority", .certificate(.wrongUsage)) { certificates in
            let leaf = try certificates.root.issueServer(names: ["leaf.example"], validDays: 2)
            return try certificates.folder.write(
                CertificateAuthority(actingWith: leaf).issue(options()), as: "bad")
        },
        BadServer("name constraints", .certificate(.wrongUsage)) { certificates in
            let middle = try certificates.root.issueAuthority(
                authority("Constrained") { $0.nameConstraints = "permitted;DNS:example.org" })
            return try certificates.folder.write(middle.issue(options()), as: "bad")
        },
        BadServer("path length", .certificate(.wrongUsage)) { certificates in
            let last = try certificates.root.issueAuthority(
                authority("Last") { $0.purpose = .authority(pathLength: 0) })
            let tooDeep = try last.issueAuthority(authority("Too Deep"))
            return try certificates.folder.write(tooDeep.issue(options()), as: "bad")
        },
        BadServer("too many intermediates", .certificate(.unknownAuthority)) { certificates in
            var last = certificates.root
            for number in 0...TLSLimits.intermediateCertificatesMax {
                last = try last.issueAuthority(authority("Intermediate \(number)"))
            }
            return try certificates.folder.write(last.issue(options()), as: "bad")
        },
        BadServer("expired intermediate", .certificate(.expired)) { certificates in
            let middle = try certificates.root.issueAuthority(
                authority("Old") {
                    $0.startsInSeconds = -172_800
                    $0.endsInSeconds = -60
                })
            return try certificates.folder.write(middle.issue(options()), as: "bad")
        },
    ]

    static let protocols: [BadServer] = [
        BadServer(
            "TLS 1.0", .protocolVersion, serverArguments: ["-tls1"] + lowestLevel,
            lowered: ["-tls1", "-cipher", "ALL:@SECLEVEL=0"], identity: sound),
        BadServer(
            "TLS 1.1", .protocolVersion, serverArguments: ["-tls1_1"] + lowestLevel,
            lowered: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], identity: sound),
        BadServer(
            "no encryption", .handshake, serverArguments: ["-tls1_2", "-cipher", "eNULL:@SECLEVEL=0"],
            lowered: ["-tls1_2", "-cipher", "eNULL:@SECLEVEL=0"], identity: soundRSA),
        BadServer(
            "no authentication", .handshake,
            serverArguments: ["-tls1_2", "-nocert", "-cipher", "aNULL:@SECLEVEL=0"],
            lowered: ["-tls1_2", "-cipher", "aNULL:@SECLEVEL=0"], identity: nil),
        BadServer(
            "no forward secrecy", .handshake,
            serverArguments: ["-tls1_2", "-cipher", "AES128-GCM-SHA256"],
            lowered: ["-tls1_2", "-cipher", "AES128-GCM-SHA256"], identity: soundRSA),
        BadServer(
            "CBC", .handshake, serverArguments: ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA"],
            lowered: ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA"], identity: soundRSA),
    ]
}
