import CausewayHTTP
import Testing

/// The proxy named by the environment; its password is never printed.
@Suite struct HTTPProxyTests {
    @Test(arguments: [
        ("proxy.example", "proxy.example:80"),
        ("proxy.example:3128", "proxy.example:3128"),
        ("http://proxy.example:3128/", "proxy.example:3128"),
        ("HTTP://user:p%40ss@proxy.example:3128", "proxy.example:3128"),
        ("http://[::1]:3128", "[::1]:3128"),
    ])
    func readsURLs(url: String, description: String) throws {
        #expect(try HTTPProxy(url: url).description == description)
    }

    @Test(arguments: [
        ("https://proxy.example", HTTPProxyError.unsupportedScheme("https")),
        ("socks5://proxy.example", .unsupportedScheme("socks5")),
        ("http://", .badAddress),
        ("http://user:secret@", .badAddress),
        ("http://proxy.example:0", .badAddress),
        ("http://proxy example:80", .notAURL),
        ("http://us%3Aer:secret@proxy.example", .badUser),
    ])
    func refusesWhatIsNoProxy(url: String, error: HTTPProxyError) {
        #expect(throws: error) { try HTTPProxy(url: url) }
        #expect(!"\(error)".contains("secret"))
    }

    @Test func thePasswordIsNeverPrinted() throws {
        let proxy = try HTTPProxy(url: "http://user:s3cret@proxy.example:3128")
        var dumped = ""
        dump([proxy], to: &dumped)
        // "user:s3cret" in Basic form.
        for text in ["\(proxy)", String(reflecting: proxy), String(describing: Optional(proxy)), dumped] {
            #expect(!text.contains("s3cret"))
            #expect(!text.contains("dXNlcjpzM2NyZXQ"))
            #expect(!text.contains("Basic"))
        }
    }

    static let https = "https://hub.example"
    static let http = "http://hub.example"

    @Test(
        arguments: [
            (https, [:], nil),
            (https, ["https_proxy": "a:1"], "a:1"),
            (https, ["HTTPS_PROXY": "a:1"], "a:1"),
            (https, ["https_proxy": "a:1", "HTTPS_PROXY": "b:2"], "a:1"),
            (https, ["https_proxy": "", "HTTPS_PROXY": "b:2"], nil),
            (https, ["https_proxy": "  "], nil),
            (https, ["http_proxy": "a:1"], nil),
            (https, ["all_proxy": "a:1"], "a:1"),
            (https, ["ALL_PROXY": "a:1"], "a:1"),
            (https, ["all_proxy": "a:1", "HTTPS_PROXY": "b:2"], "b:2"),
            (http, ["http_proxy": "a:1"], "a:1"),
            (http, ["HTTP_PROXY": "a:1"], "a:1"),
            (http, ["https_proxy": "a:1"], nil),
            (http, ["HTTP_PROXY": "a:1", "REQUEST_METHOD": "GET"], nil),
            (http, ["http_proxy": "a:1", "REQUEST_METHOD": "GET"], "a:1"),
            (https, ["HTTPS_PROXY": "a:1", "REQUEST_METHOD": "GET"], "a:1"),
            (https, ["https_proxy": "a:1", "no_proxy": "hub.example"], nil),
            (https, ["https_proxy": "a:1", "NO_PROXY": "hub.example"], nil),
            (https, ["https_proxy": "a:1", "no_proxy": "other", "NO_PROXY": "hub.example"], "a:1"),
            (https, ["https_proxy": "a:1", "no_proxy": "*"], nil),
            ("https://localhost", ["https_proxy": "a:1"], nil),
            ("http://127.0.0.1:8080", ["http_proxy": "a:1"], nil),
            ("http://[::1]", ["http_proxy": "a:1"], nil),
            ("unix:/run/s", ["all_proxy": "a:1"], nil),
        ] as [(String, [String: String], String?)])
    func readsTheEnvironment(url: String, environment: [String: String], proxy: String?) throws {
        #expect(try HTTPProxy.fromEnvironment(environment, for: HTTPEndpoint(url: url))?.description == proxy)
    }

    @Test func aProxyThatCannotBeUsedIsAnErrorAndNamesItsVariable() throws {
        let error = #expect(throws: HTTPProxyError.self) {
            try HTTPProxy.fromEnvironment(
                ["HTTPS_PROXY": "socks5://user:s3cret@p"], for: HTTPEndpoint(url: Self.https))
        }
        #expect(error == .inVariable("HTTPS_PROXY", .unsupportedScheme("socks5")))
        #expect(error.map { "\($0)" }?.contains("s3cret") == false)
    }

    @Test(arguments: [
        ("hub.example", "hub.example", 443, true),
        ("HUB.Example", "hub.example", 443, true),
        ("hub.example.", "hub.example", 443, true),
        ("hub.example", "hub.example.", 443, true),
        ("example", "hub.example", 443, true),
        ("example", "hubexample", 443, false),
        ("hub.example", "xhub.example", 443, false),
        (".example", "hub.example", 443, true),
        (".hub.example", "hub.example", 443, false),
        ("*.hub.example", "hub.example", 443, false),
        ("*.hub.example", "a.hub.example", 443, true),
        ("other, hub.example", "hub.example", 443, true),
        ("other hub.example", "hub.example", 443, true),
        ("other,,hub.example,", "hub.example", 443, true),
        ("*", "hub.example", 443, true),
        ("other,*", "10.0.0.1", 443, true),
        ("", "hub.example", 443, false),
        (",", "hub.example", 443, false),
        (".", "hub.example", 443, false),
        ("hub.example:443", "hub.example", 443, true),
        ("hub.example:8443", "hub.example", 443, false),
        ("hub.example:x", "hub.example", 443, false),
        ("10.1.2.3", "10.1.2.3", 443, true),
        ("10.1.2.3", "10.1.2.4", 443, false),
        ("10.1.2.3:443", "10.1.2.3", 443, true),
        ("10.1.2.3:80", "10.1.2.3", 443, false),
        ("2.3", "10.1.2.3", 443, false),
        ("10.0.0.0/8", "10.200.3.4", 443, true),
        ("10.0.0.0/8", "11.0.0.1", 443, false),
        ("10.0.0.0/9", "10.128.0.1", 443, false),
        ("10.0.0.0/9", "10.127.0.1", 443, true),
        ("0.0.0.0/0", "1.2.3.4", 443, true),
        ("0.0.0.0/0", "::2", 443, false),
        ("10.0.0.0/33", "10.0.0.1", 443, false),
        ("10.0.0.0/-1", "10.0.0.1", 443, false),
        ("10.0.0.0/", "10.0.0.1", 443, false),
        ("10.0.0.0/8", "hub.example", 443, false),
        ("fd00::/8", "fd12::1", 443, true),
        ("fd00::/8", "fe12::1", 443, false),
        ("::2", "::2", 443, true),
        ("[::2]", "::2", 443, true),
        ("[::2]:443", "::2", 443, true),
        ("[::2]:80", "::2", 443, false),
        ("[::2", "::2", 443, false),
        ("0:0:0:0:0:0:0:2", "::2", 443, true),
        ("10.0.0.0/8", "::ffff:10.0.0.1", 443, true),
    ])
    func readsTheBypassList(rules: String, host: String, port: Int, covers: Bool) {
        #expect(HTTPProxyBypass(rules).covers(host: host, port: port) == covers)
    }
}
