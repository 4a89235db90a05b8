import CausewayWebSocket
import NIOHTTP1
import Testing

/// The negotiation of `permessage-deflate` (RFC 7692 §5 and §7.1).
@Suite struct DeflateNegotiationTests {
    private static let both = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

    @Test(arguments: [
        ("permessage-deflate", both), (both, both), ("Permessage-Deflate ;Client_No_Context_Takeover", both),
        ("permessage-deflate; client_max_window_bits", both), ("permessage-deflate; client_max_window_bits=9", both),
        ("permessage-deflate; server_max_window_bits=12", both + "; server_max_window_bits=12"),
        ("permessage-deflate; server_max_window_bits=8", both + "; server_max_window_bits=8"),
        ("permessage-deflate; server_max_window_bits=\"1\\0\"", both + "; server_max_window_bits=10"),
        ("x-webkit-deflate-frame, , permessage-deflate", both),
        (
            "permessage-deflate; unknown, permessage-deflate; server_max_window_bits=10",
            both + "; server_max_window_bits=10"
        ),
    ])
    func anOfferIsAccepted(_ offer: String, _ response: String) throws {
        #expect(try PerMessageDeflate.accepting([offer])?.response == response)
        #expect(try PerMessageDeflate.accepting(["other; a=b"] + [offer])?.response == response)
    }

    @Test(arguments: [
        "", "other", "permessage-deflate; unknown", "permessage-deflate; server_no_context_takeover=1",
        "permessage-deflate; client_no_context_takeover=\"\(0)\"", "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; server_max_window_bits=010", "permessage-deflate; server_max_window_bits=+9",
        "permessage-deflate; client_max_window_bits=0", "permessage-deflate; client_max_window_bits=1e1",
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        "permessage-deflate; server_max_window_bits=9; server_max_window_bits=9",
    ])
    func anInvalidOfferIsDeclined(_ offer: String) throws {
        #expect(try PerMessageDeflate.accepting([offer]) == nil)
        // The next one is not.
        #expect(try PerMessageDeflate.accepting([offer, "permessage-deflate"])?.response == Self.both)
    }

    @Test(arguments: [
        "permessage-deflate;", "permessage-deflate; a=", "permessage-deflate; =b", "permessage-deflate a", "a=b",
        "permessage-deflate; a=\"b", "permessage-deflate; a=\"\"", "permessage-deflate; a=\"b c\"", "é", "a;;b",
        "permessage-deflate; a=\"b\\", "permessage-deflate; a=\"b\"c", "/",
    ])
    func aMalformedListIsRefused(_ value: String) {
        #expect(throws: WebSocketHandshake.Problem.extensions) { try PerMessageDeflate.accepting([value]) }
        #expect(throws: WebSocketHandshake.Problem.extensions) {
            try PerMessageDeflate.accepting(["permessage-deflate", value])
        }
    }

    // MARK: - The client

    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private static func complete(_ extensions: [String], offersCompression: Bool = true) throws -> PerMessageDeflate? {
        var fields: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        ]
        for value in extensions { fields.add(name: "Sec-WebSocket-Extensions", value: value) }
        return try WebSocketHandshake.complete(
            by: HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: fields), key: key,
            subprotocol: nil, offersCompression: offersCompression)
    }

    @Test func aClientOffersWhatItCanDo() throws {
        let offering = WebSocketHandshake.requestFields(key: Self.key, subprotocol: nil, offersCompression: true)
        #expect(offering["Sec-WebSocket-Extensions"] == [Self.both + "; client_max_window_bits"])
        #expect(WebSocketHandshake.requestFields(key: Self.key, subprotocol: nil)["Sec-WebSocket-Extensions"].isEmpty)
        // Our server accepts it.
        #expect(try PerMessageDeflate.accepting(offering["Sec-WebSocket-Extensions"])?.response == Self.both)
    }

    @Test func aClientTakesTheChoiceOfTheServer() throws {
        #expect(try Self.complete([]) == nil)
        #expect(try Self.complete([], offersCompression: false) == nil)
        for choice in [
            Self.both, "permessage-deflate; server_no_context_takeover", Self.both + "; client_max_window_bits=8",
            Self.both + "; server_max_window_bits=9; client_max_window_bits=15",
        ] {
            #expect(try Self.complete([choice]) != nil, "\(choice)")
        }
    }

    @Test(arguments: [
        // A context of the server was not offered.
        ["permessage-deflate"], ["permessage-deflate; client_no_context_takeover"],
        [both + "; client_max_window_bits"], [both + "; server_max_window_bits"], [both + "; client_max_window_bits=7"],
        [both + "; unknown"], [both + "; server_no_context_takeover"], ["other"], [both + ", other"], [both, both],
        ["permessage-deflate; server_no_context_takeover="],
    ])
    func aChoiceThatWasNotOfferedEndsTheAttempt(_ choice: [String]) {
        #expect(throws: WebSocketHandshake.NotCompleted.self) { try Self.complete(choice) }
    }

    @Test func aClientWithoutAnOfferTakesNoChoice() {
        #expect(throws: WebSocketHandshake.NotCompleted.self) {
            try Self.complete([Self.both], offersCompression: false)
        }
    }
}
