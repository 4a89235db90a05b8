import CausewayModels
import CausewayWire
import Testing

/// The messages of a socket, as text.
@Suite struct WireSocketTests {
    private typealias Message = WireSocket.ClientMessage

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Pinned: the contract of version 1.
    @Test func theFormatIsFixed() throws {
        let request = Message.request(
            WireSocket.Request(
                id: 7, method: "POST", path: "/v1/deliveries", headers: ["causeway-history": "h"],
                body: Self.bytes(#"{"lane": "text"}"#)))
        let messages: [(Message, String)] = [
            (
                request,
                #"{"headers":{"causeway-history":"h"},"id":7,"method":"POST","path":"/v1/deliveries","#
                    + #""body":{"lane": "text"}}"#
            ),
            (
                .request(WireSocket.Request(id: 0, method: "GET", path: "/v1/session")),
                #"{"id":0,"method":"GET","path":"/v1/session"}"#
            ),
            (.read(id: 9, parts: 3), #"{"id":9,"read":3}"#), (.cancel(id: 9), #"{"cancel":true,"id":9}"#),
        ]
        for (message, text) in messages {
            #expect(String(decoding: message.text, as: UTF8.self) == text)
            #expect(try Message(Self.bytes(text)) == message)
        }
        let responses: [(WireSocket.Response, String)] = [
            (WireSocket.Response(id: 7, status: 200, body: Self.bytes("[1]")), #"{"id":7,"status":200,"body":[1]}"#),
            (
                WireSocket.Response(id: 9, status: 200, headers: ["a": "b"], hasMore: true, body: Self.bytes("{}")),
                #"{"headers":{"a":"b"},"id":9,"more":true,"status":200,"body":{}}"#
            ),
            (WireSocket.Response(id: 9, status: 503), #"{"id":9,"status":503}"#),
        ]
        for (response, text) in responses {
            #expect(String(decoding: response.text, as: UTF8.self) == text)
            #expect(try WireSocket.Response(Self.bytes(text)) == response)
        }
    }

    /// Members come in any order, with white space, and others are ignored.
    @Test func otherFormsAreRead() throws {
        let text = #" { "body" : {"a":"}\"]"} , "future":[{}], "path":"/x","method":"PUT" , "id" : 3 } "#
        #expect(
            try Message(Self.bytes(text))
                == .request(
                    WireSocket.Request(id: 3, method: "PUT", path: "/x", body: Self.bytes(#"{"a":"}\"]"}"#))))
    }

    @Test func headerNamesAreInLowerCase() throws {
        let text = #"{"id":1,"method":"GET","path":"/","headers":{"Causeway-History":"h"}}"#
        guard case .request(let request) = try Message(Self.bytes(text)) else { return #expect(Bool(false)) }
        #expect(request.headers == ["causeway-history": "h"])
        #expect(throws: WireSocket.Problem.malformed) {
            try Message(Self.bytes(#"{"id":1,"method":"GET","path":"/","headers":{"A":"1","a":"2"}}"#))
        }
    }

    @Test(arguments: [
        "", "[]", "{", "{}", #"{"id":1}"#, #"{"id":1,"read":-1}"#, #"{"id":1,"read":"1"}"#, #"{"id":1,"cancel":false}"#,
        #"{"id":9007199254740992,"cancel":true}"#, #"{"id":1.5,"cancel":true}"#, #"{"id":1,"cancel":true}x"#,
        #"{"id":1 "cancel":true}"#, #"{"id":1,"method":"GET","path":}"#,
        #"{"id":1,"method":"GET","path":"/","headers":[]}"#,
        #"{"id":1,,"cancel":true}"#, #"{id:1,"cancel":true}"#, #"{"id":1,"cancel":true"#, #"{"a":"\"#,
    ])
    func malformedMessagesAreRejected(_ text: String) {
        #expect(throws: WireSocket.Problem.malformed) { try Message(Self.bytes(text)) }
    }

    @Test func theHeadIsBounded() throws {
        func text(_ path: Int, _ body: Int) -> [UInt8] {
            let body = "\"" + String(repeating: "b", count: body) + "\""
            return WireSocket.Request(
                id: 1, method: "GET", path: "/" + String(repeating: "p", count: path), body: Self.bytes(body)
            ).text
        }
        _ = try Message(text(10, WireSocket.headBytesMax * 2))
        #expect(throws: WireSocket.Problem.headTooLarge) { try Message(text(WireSocket.headBytesMax, 1)) }
        let many = (0..<40).map { #""m\#($0)":1"# }.joined(separator: ",")
        #expect(throws: WireSocket.Problem.malformed) { try Message(Self.bytes("{\(many)}")) }
    }

    /// Any bytes are read or rejected, and never stop the program.
    @Test func anyBytesAreReadOrRejected() {
        var generator = SplitMix64(seed: 14)
        let alphabet = Array(#"{}[]",:\ae1 "#.utf8)
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0..<24, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            _ = try? Message(text)
            _ = try? WireSocket.Response(text)
        }
    }
}
