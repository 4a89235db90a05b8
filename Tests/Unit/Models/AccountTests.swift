import CausewayModels
import Foundation
import Testing

struct AccountTests {
    @Test(arguments: [
        ("https://hub/", "https://hub"), ("HTTPS://Hub.Example:443/", "https://hub.example"),
        ("http://hub:80", "http://hub"), ("https://hub:8443//", "https://hub:8443"),
        ("https://hub/Chat/", "https://hub/Chat"), ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://hub:443", "http://hub:443"), ("wss://hub:443", "https://hub"),
        ("auto://Hub/", "https://hub"), ("ws://hub:80", "http://hub"), ("board://hub", "board://hub"),
        ("not an address", "not an address"),
    ])
    func addressesHaveOneSpelling(_ spelling: String, _ canonical: String) {
        #expect(ServerAddress.canonical(spelling) == canonical)
        #expect(ServerAddress.canonical(canonical) == canonical)
    }

    @Test(arguments: [
        "https://ann:pass-word@chat.example", "https://chat.example/?token=pass-word", "https://chat.example#pass-word",
        "ann:pass-word@chat.example", "pass-word", "://pass-word", "https:pass-word",
    ])
    func aLogDoesNotRepeatASecretInAnAddress(_ address: String) {
        #expect(ServerAddress.loggable(address) == "(not an address; hidden)")
    }

    @Test(arguments: ["https://chat.example:8443", "auto://[::1]:8443/base", "test://server"])
    func aLogHasTheAddressOfAServer(_ address: String) {
        #expect(!ServerAddress.mayHaveSecret(address))
        #expect(ServerAddress.loggable(address) == address)
        let long = address + "/" + String(repeating: "e\u{301}", count: 10_000)
        #expect(ServerAddress.loggable(long).unicodeScalars.count == 256)
    }

    /// The account of a session is derived: it is not stored, and the address is kept as it was spelled.
    @Test func aSessionIsStoredWithoutItsAccount() throws {
        let id = "0190a6b2-1c3d-7e4f-8a5b-0123456789ab"
        let text = "{\"endedAt\":9,\"id\":\"\(id)\",\"server\":\"https://Hub:443/\",\"startedAt\":5,\"user\":\"ada\"}"
        let session = try JSONCoding.decode(Session.self, from: Array(text.utf8))
        #expect(session.account == Account(server: "https://hub", user: try #require(UserID("ada"))))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(session), as: UTF8.self) == text)
    }
}
