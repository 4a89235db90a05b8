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
        // A program has hundreds of thousands of symbols: awk is much faster than a debug build of this test.
        let search = """
            nm --defined-only "$1" | awk '/Causeway/ { own++ } /BoringSSL|NIOSSL| SSL_CTX_new$/ { print }
                END { print (own > 0 ? "own symbols" : "no symbols") }'
            """
        let symbols = try await Program(path: "/bin/sh").run(["-c", search, "sh", program])
        try #require(symbols.status == 0)
        #expect(symbols.output == "own symbols\n", "nothing of another TLS library")
    }
}
