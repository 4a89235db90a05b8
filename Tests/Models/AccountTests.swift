import CausewayModels
import Testing

struct AccountTests {
    @Test(arguments: [
        ("https://hub/", "https://hub"), ("HTTPS://Hub.Example:443/", "https://hub.example"),
        ("http://hub:80", "http://hub"), ("https://hub:8443//", "https://hub:8443"),
        ("https://hub/Chat/", "https://hub/Chat"), ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://hub:443", "http://hub:443"), ("wss://hub:443", "wss://hub"), ("not an address", "not an address"),
    ])
    func addressesHaveOneSpelling(_ spelling: String, _ canonical: String) {
        #expect(ServerAddress.canonical(spelling) == canonical)
        #expect(ServerAddress.canonical(canonical) == canonical)
    }
}
