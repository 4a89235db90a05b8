import CausewayHTTP
import Testing

@Suite struct HTTPEndpointTests {
    @Test(arguments: [
        ("https://hub.example", "https://hub.example", "hub.example"),
        ("https://hub.example/", "https://hub.example", "hub.example"),
        ("HTTPS://Hub.Example:443/a/b/", "https://hub.example/a/b", "hub.example"),
        ("https://hub.example:8443", "https://hub.example:8443", "hub.example:8443"),
        ("http://127.0.0.1:80", "http://127.0.0.1", "127.0.0.1"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x", "[::1]:8080"),
        ("unix:/run/causeway.sock", "unix:/run/causeway.sock", "localhost"),
        ("unix:///run/causeway.sock", "unix:/run/causeway.sock", "localhost"),
    ])
    func readsURLs(url: String, description: String, authority: String) throws {
        let endpoint = try HTTPEndpoint(url: url)
        #expect(endpoint.description == description)
        #expect(endpoint.authority == authority)
    }

    @Test(arguments: [
        ("", HTTPEndpointError.unknownScheme("")),
        ("hub.example", .unknownScheme("")),
        ("ftp://hub.example", .unknownScheme("ftp")),
        ("https://", .badHost("")),
        ("https:///path", .badHost("")),
        ("https://hub example", .notAURL),
        ("https://hub.example:0", .badPort(0)),
        ("https://hub.example:65536", .badPort(65536)),
        ("https://user@hub.example", .carriesCredentials),
        ("https://user:secret@hub.example", .carriesCredentials),
        ("https://hub.example?q", .carriesQuery),
        ("https://hub.example#f", .carriesQuery),
        ("unix:", .badSocketPath),
    ])
    func refusesWhatIsNoEndpoint(url: String, error: HTTPEndpointError) {
        #expect(throws: error) { try HTTPEndpoint(url: url) }
    }

    @Test(arguments: ["a\r\nb", "a b", "a/b", "a@b", "", "a\u{0}b", "bücher.example", "::1%eth0", "1:2"])
    func refusesHostsThatCouldEndALine(host: String) {
        #expect(throws: HTTPEndpointError.badHost(host)) { try HTTPEndpoint.tcp(host: host, port: 80, tls: false) }
    }

    @Test(arguments: ["/a b", "/a\r\nX: y", "a", "/a?b", "/a#b", "/\u{e9}"])
    func refusesBasePathsThatCouldEndALine(path: String) {
        #expect(throws: HTTPEndpointError.badBasePath) {
            try HTTPEndpoint.tcp(host: "h", port: 80, tls: false, basePath: path)
        }
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://a.localhost", true), ("http://127.0.0.1", true),
        ("http://127.9.8.7", true), ("http://[::1]", true), ("http://[::ffff:127.0.0.1]", true),
        ("unix:/s", true), ("http://128.0.0.1", false), ("http://localhost.example", false),
        ("http://127.0.0.1.example", false), ("http://[::2]", false), ("http://10.0.0.1", false),
    ])
    func knowsLoopback(url: String, isLoopback: Bool) throws {
        #expect(try HTTPEndpoint(url: url).isLoopback == isLoopback)
    }
}
