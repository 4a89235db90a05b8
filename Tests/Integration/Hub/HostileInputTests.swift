import CausewayHub
import CausewayModels
import CausewayWire
import NIOHTTP1
import Testing

/// Input that no proper client sends. Each request gets a response, and the hub keeps running.
@Suite struct HostileInputTests {
    private static let start =
        #"{"outbox":"0190a6b2-0000-7000-8000-000000000001","epoch":1,"lane":"text","operations":["#
    private static let message = "0190a6b2-0000-7000-8000-000000000002"

    private static func op(_ fields: String, id: String = message) -> String {
        start + #"{"kind":"fence","id":"\#(id)",\#(fields)}]}"#
    }

    private static func custom(_ data: String) -> String {
        start + #"{"kind":"send","sequence":1,"previous":0,"id":"\#(message)","channel":"general","createdAt":1,"#
            + #""content":{"v":1,"type":"custom","data":\#(data)}}]}"#
    }

    /// Body, status, code.
    private static let bodies: [(String, Int, String)] = [
        ("", 415, "contentTypeUnsupported"),
        ("x", 400, "jsonInvalid"), ("{", 400, "jsonInvalid"), ("[]", 400, "jsonInvalid"), ("null", 400, "jsonInvalid"),
        ("{}", 400, "jsonInvalid"), ("\u{0}", 400, "jsonInvalid"), (#"{"outbox":1}"#, 400, "jsonInvalid"),
        (start + "]}x", 400, "jsonInvalid"),
        (op(#""sequence":1,"previous":0"#, id: "not-a-uuid"), 400, "jsonInvalid"),
        (op(#""sequence":1,"previous":0"#, id: message + "0"), 400, "jsonInvalid"),
        (op(#""sequence":"1","previous":0"#), 400, "jsonInvalid"),
        (op(#""sequence":1.5,"previous":0"#), 400, "jsonInvalid"),
        (op(#""sequence":9223372036854775808,"previous":0"#), 400, "jsonInvalid"),
        (op(#""sequence":1"#), 400, "jsonInvalid"), (op(#""sequence":0,"previous":0"#), 400, "deliveryInvalid"),
        (op(#""sequence":-1,"previous":-2"#), 400, "deliveryInvalid"),
        (op(#""sequence":1,"previous":-1"#), 400, "deliveryInvalid"),
        (op(#""sequence":1,"previous":1"#), 400, "deliveryInvalid"),
        (op(#""sequence":1,"previous":9223372036854775807"#), 400, "deliveryInvalid"),
        (String(repeating: "[", count: 100_000), 400, "jsonTooDeep"),
        (String(repeating: #"{"a":"#, count: 100_000), 400, "jsonTooDeep"),
        (custom(String(repeating: "[", count: 500) + String(repeating: "]", count: 500)), 400, "jsonTooDeep"),
        (
            custom("{\"a\":[" + String(repeating: "0,", count: HubLimits.jsonValuesMax) + "0]}"), 413,
            "jsonTooManyValues"
        ),
        (op(#""sequence":9223372036854775807,"previous":0"#), 400, "deliveryInvalid"),
        (op(#""sequence":4611686018427387905,"previous":0"#), 400, "deliveryInvalid"),
        (start.replacing("epoch\":1", with: "epoch\":9223372036854775807") + "]}", 400, "deliveryInvalid"),
        (custom(#""\ud800""#), 400, "jsonInvalid"), (custom("1e999"), 400, "jsonInvalid"),
        (start.replacing("epoch\":1", with: "epoch\":-1") + "]}", 400, "deliveryInvalid"),
        (start.replacing("\"text\"", with: "\"\"") + "]}", 400, "deliveryInvalid"),
        (start.replacing("\"text\"", with: #""a\u0000b""#) + "]}", 400, "deliveryInvalid"),
        (
            start.replacing("\"text\"", with: "\"" + String(repeating: "l", count: 201) + "\"") + "]}", 400,
            "deliveryInvalid"
        ),
        (op(#""sequence":1,"previous":0,"channel":"a b""#), 400, "jsonInvalid"),
    ]

    @Test func everyBodyGetsItsAnswer() async throws {
        try await HubFixture.running { hub in
            for (body, status, code) in Self.bodies {
                let answer = try await hub.client.post(body)
                #expect(answer.status == status, "\(body.prefix(200))")
                #expect(answer.errorCode == code, "\(body.prefix(200)): \(answer.text)")
                #expect(answer.body.count < 1000)
            }
            let where400 = try await hub.client.post(Self.op(#""sequence":"1","previous":0"#))
            #expect(try where400.decoded(WireError.self).detail.contains("operations[0].sequence"))
            #expect(try await hub.client.report(delivery([send(1)])).mark == 1)
        }
    }

    @Test func contentsAreRefusedAloneAndTheLaneGoesOn() async throws {
        try await HubFixture.running { hub in
            let tooLong = String(repeating: "x", count: Limits.textBytesMax + 1)
            let deep = (0...Limits.customDepthMax).reduce(JSONValue.null) { value, _ in .object(["a": value]) }
            let attachment = Attachment(name: "a", contentType: "b", size: 1, sha256: "c")
            let cases: [(MessageContent, String)] = [
                (.text(""), "contentInvalid"), (.text(tooLong), "tooLarge"), (.custom(.array([])), "contentInvalid"),
                (.custom(.object(["a": .string(tooLong)])), "tooLarge"), (.custom(deep), "tooLarge"),
                (.audio(attachment), "contentInvalid"),
                (.unknown(type: "new", body: .object(["v": .integer(2), "type": .string("new")])), "typeUnsupported"),
            ]
            let operations = cases.enumerated().map { send(Int64($0.offset + 1), content: $0.element.0) }
            let report = try await hub.client.report(delivery(operations + [send(8)]))
            #expect(report.results.map(\.code) == cases.map(\.1) + [nil])
            #expect(report.positions.last == 1)
            var bare = send(9)
            bare.createdAt = nil
            #expect(try await hub.client.report(delivery([bare])).results[0].code == "contentInvalid")
        }
    }

    @Test func theLargestContentsAreTaken() async throws {
        try await HubFixture.running { hub in
            let text = MessageContent.text(String(repeating: "\u{1}", count: Limits.textBytesMax))
            let deep = MessageContent.custom(
                (0..<Limits.customDepthMax).reduce(JSONValue.null) { value, _ in .object(["a": value]) })
            let odd = MessageContent.text("zero \u{0} quote \" slash / \u{2028} 👩‍👩‍👧 \u{202E}")
            let report = try await hub.client.report(
                delivery([send(1, content: text), send(2, content: deep), send(3, content: odd)]))
            #expect(report.positions == [1, 2, 3])
            #expect(try await hub.client.messages().map(\.content) == [text, deep, odd])
        }
    }

    /// A message of hundreds of thousands of values costs what its bytes cost, here and in every page.
    @Test(.timeLimit(.minutes(10))) func manySmallValuesAreAMessageLikeAnother() async throws {
        try await HubFixture.running { hub in
            let values = (0..<20_000).map { _ in "[{}]" }.joined(separator: ",")
            let batch = try JSONParser.parse(Array("{\"a\":[\(values)]}".utf8))
            let report = try await hub.client.report(
                delivery((1...4).map { send($0, content: .custom(batch)) }))
            #expect(report.positions == [1, 2, 3, 4])
            let page = try await hub.client.get(WireProtocol.messagesPath("general"))
            #expect(
                try JSONCoding.decode(WirePage.self, from: page.body).messages.map(\.content)
                    == Array(repeating: .custom(batch), count: 4))
        }
    }

    @Test(arguments: ["-9223372036854775808", "9223372036854775807"])
    func aMomentBeyondAllCalendarsIsHeldToThem(moment: String) async throws {
        try await HubFixture.running { hub in
            let body = Self.custom("{}").replacing("\"createdAt\":1", with: "\"createdAt\":\(moment)")
            #expect(try await hub.client.post(body).status == 200)
            let page = try await hub.client.get(WireProtocol.messagesPath("general")).text
            #expect(!page.contains(moment))
        }
    }

    @Test func sequencesMustAscendInsideADelivery() async throws {
        try await HubFixture.running { hub in
            for operations in [[send(1), send(1, after: 0, 2)], [send(2, after: 0), send(1)]] {
                let answer = try await hub.client.deliver(delivery(operations))
                #expect(answer.errorCode == "deliveryInvalid")
            }
            #expect(try await hub.client.messages().isEmpty)
        }
    }

    @Test func tooManyOperationsAndTooManyBytes() async throws {
        try await HubFixture.running { hub in
            let most = Int64(HubLimits.deliveryOperationsMax)
            let many = try await hub.client.deliver(delivery((1...most + 1).map { send($0) }))
            #expect(many.status == 413)
            #expect(many.errorCode == "tooManyOperations")
            #expect(try await hub.client.report(delivery((1...most).map { send($0) })).mark == most)

            let large = [UInt8](repeating: UInt8(ascii: " "), count: HubLimits.requestBytesMax + 1)
            let tooLarge = try await hub.client.send(.POST, "/v1/deliveries", large)
            #expect(tooLarge.status == 413)
            #expect(tooLarge.errorCode == "bodyTooLarge")
        }
    }

    @Test func aBodyWithoutAnnouncedLengthIsHeldToTheLimit() async throws {
        try await HubFixture.running { hub in
            let token = hub.client.token ?? ""
            let head =
                "POST /v1/deliveries HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            let chunk = "100000\r\n" + String(repeating: " ", count: 0x100000) + "\r\n"
            let bytes = Array((head + String(repeating: chunk, count: 5) + "0\r\n\r\n").utf8)
            let answer = try await hub.client.raw(bytes)
            #expect(answer.hasPrefix("HTTP/1.1 413"))
            #expect(answer.contains("bodyTooLarge"))
        }
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
    func otherContentTypesAreRefused(type: String) async throws {
        try await HubFixture.running { hub in
            let answer = try await hub.client.post("{}", headers: ["Content-Type": type])
            #expect(answer.status == 415)
            #expect(answer.errorCode == "contentTypeUnsupported")
            #expect(
                try await hub.client.post("{}", headers: ["Content-Type": "Application/JSON; charset=utf-8"]).status
                    == 400)
        }
    }

    @Test func unknownPathsAndWrongMethods() async throws {
        try await HubFixture.running { hub in
            let cases: [(HTTPMethod, String, Int, String)] = [
                (.GET, "/", 404, "pathUnknown"), (.GET, "/v1", 404, "pathUnknown"),
                (.GET, "/v2/session", 404, "pathUnknown"),
                (.GET, "/v1/session/x", 404, "pathUnknown"), (.GET, "/v1/../hub.sqlite", 404, "pathUnknown"),
                (.POST, "/healthz", 405, "methodNotAllowed"),
                (.DELETE, "/v1/channels/general", 405, "methodNotAllowed"),
                (.GET, "/v1/deliveries", 405, "methodNotAllowed"), (.PATCH, "/v1/session", 405, "methodNotAllowed"),
                (.PUT, "/v1/channels/a%20b", 400, "nameInvalid"), (.PUT, "/v1/channels/%00", 400, "nameInvalid"),
                (.PUT, "/v1/channels/%2e%2e", 400, "nameInvalid"), (.PUT, "/v1/channels/%zz", 400, "nameInvalid"),
                (.PUT, "/v1/channels/" + String(repeating: "a", count: 129), 400, "nameInvalid"),
                (.GET, "/v1/messages/1", 400, "idInvalid"), (.GET, "/v1/messages/'%20OR%201=1", 400, "idInvalid"),
            ]
            for (method, path, status, code) in cases {
                let answer = try await hub.client.send(method, path)
                #expect(answer.status == status, "\(method) \(path)")
                #expect(answer.errorCode == code, "\(method) \(path)")
            }
            #expect(try await hub.client.send(.POST, "/healthz").headers.first(name: "Allow") == "GET")
        }
    }

    /// Bytes, and the beginning of the response; `nil` when the hub may just close the connection.
    private static let bytes: [(String, String?)] = [
        ("GARBAGE\r\n\r\n", "HTTP/1.1 400"), ("\u{16}\u{3}\u{1}\u{2}\u{0}\r\n", "HTTP/1.1 400"),
        ("GET / HTTP/9.9\r\n\r\n", "HTTP/1.1 400"), ("GET /healthz HTTP/1.1\r\nA B: c\r\n\r\n", "HTTP/1.1 400"),
        ("GET /healthz HTTP/1.1\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 400"),
        ("POST /healthz HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 400"),
        ("POST /v1/deliveries HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 4"),
        ("GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 400"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", "HTTP/1.1 400"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "HTTP/1.1 400"),
        (
            "GET /healthz HTTP/1.1\r\nA: " + String(repeating: "a", count: HubLimits.headerListBytesMax) + "\r\n\r\n",
            "HTTP/1.1 431"
        ),
        (
            "GET /healthz HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: HubLimits.headerFieldsMax + 1) + "\r\n",
            "HTTP/1.1 431"
        ),
    ]

    @Test func whatIsNoHTTPIsAnsweredAndClosed() async throws {
        try await HubFixture.running { hub in
            // Concurrently, as the hub waits a moment before it closes.
            let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for (index, (text, _)) in Self.bytes.enumerated() {
                    group.addTask { (index, try await hub.client.raw(Array(text.utf8))) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for (index, (text, beginning)) in Self.bytes.enumerated() {
                let answer = answers[index] ?? ""
                if let beginning { #expect(answer.hasPrefix(beginning), "\(text.prefix(60)) → \(answer.prefix(60))") }
                #expect(answer.lowercased().contains("causeway-protocol: 1"), "\(text.prefix(60))")
                #expect(answer.contains(#"{"code":""#), "\(text.prefix(60))")
            }
            #expect(try await hub.client.get("/healthz").status == 200)
        }
    }
}
