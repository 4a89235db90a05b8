import CausewayTestSupport
import Testing

/// The only TLS stack in the programs is the system's OpenSSL.
@Suite struct LinkTests {
    @Test(arguments: ["causeway", "causewayd", "causeway-hub"])
    func theProgramNeedsTheSystemsOpenSSLAndHoldsNoOther(name: String) async throws {
        let program = Program(name).path
        let dynamic = try await Program(path: "/usr/bin/readelf").run(["--dynamic", "--wide", program])
        try #require(dynamic.status == 0)
        #expect(dynamic.output.contains("[libssl.so.3]"))
        #expect(dynamic.output.contains("[libsqlite3.so.0]"))
        let symbols = try await Program(path: "/usr/bin/nm").run(["--defined-only", program])
        try #require(symbols.status == 0)
        #expect(symbols.output.contains("Causeway"))
        let foreign = symbols.output.split(separator: "\n").filter { line in
            line.contains("BoringSSL") || line.contains("NIOSSL") || line.hasSuffix(" SSL_CTX_new")
        }
        #expect(foreign.isEmpty)
    }
}
