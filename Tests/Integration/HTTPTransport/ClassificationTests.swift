import CausewayHTTPTransport
import CausewayModels
import CausewayTestSupport
import CausewayTransport
import Testing

/// Every row of the table at `HTTPTransport` with a response, for each of the four calls.
@Suite struct ClassificationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [ScriptedHTTPServer.Step]
        /// The result of each call, unless `instead` contains another one.
        let expected: String
        var instead: [Exchange: String] = [:]
        var testDescription: String { name }

        init(
            _ name: String, _ steps: ScriptedHTTPServer.Step..., expected: String, instead: [Exchange: String] = [:]
        ) {
            self.name = name
            self.steps = steps
            self.expected = expected
            self.instead = instead
        }
    }

    static let echo = "Welcome to the Wi-Fi, \(Sample.tokenText)"

    static let foreignRows = [
        Row("captive portal", .answer(200, [("Content-Type", "text/html")], echo), expected: "inDoubt"),
        Row("captive redirect", .answer(302, [("Location", "http://\(Sample.tokenText)/")]), expected: "inDoubt"),
        Row("network login", .answer(511, [], echo), expected: "inDoubt"),
        Row("proxy's 407", .answer(407, [], echo), expected: "inDoubt"),
        Row("proxy's 502", .answer(502, [], echo), expected: "inDoubt"),
        Row("someone's 401", .answer(401, [], #"{"code":"a","detail":"b"}"#), expected: "inDoubt"),
        Row("someone's 404", .answer(404, [], #"{"code":"messageNotFound","detail":"b"}"#), expected: "inDoubt"),
        Row("someone's 503", .answer(503, [("Retry-After", "7")], echo), expected: "inDoubt"),
        Row("200, no JSON", .hub(200, echo), expected: "inDoubt"),
        Row("200, empty", .hub(200, ""), expected: "inDoubt"),
        Row("204", .hub(204, ""), expected: "inDoubt"),
        Row("200, other JSON", .hub(200, #"{"token":"\#(Sample.tokenText)"}"#), expected: "inDoubt"),
        Row("401, no JSON", .hub(401, echo), expected: "inDoubt"),
        Row("503, no JSON", .hub(503, echo, [("Retry-After", "7")]), expected: "inDoubt"),
        Row(
            "other version, 200", .answer(200, [("Causeway-Protocol", Sample.tokenText)], "{}"),
            expected: "actionRequired(protocolMismatch)", instead: [.deliver: "inDoubt"]),
        Row(
            "other version, 404", .answer(404, [("Causeway-Protocol", "2")], "{}"),
            expected: "actionRequired(protocolMismatch)"),
        Row(
            "two versions", .answer(400, [("Causeway-Protocol", "1"), ("Causeway-Protocol", "2")], "{}"),
            expected: "actionRequired(protocolMismatch)"),
        Row(
            "the hub redirects", .hub(301, "", [("Location", "https://\(Sample.tokenText)/")]),
            expected: "actionRequired(protocolMismatch)"),
    ]

    static let statusRows = [
        Row("400", .hubError(400, "jsonInvalid"), expected: "refused(jsonInvalid)"),
        Row("401", .hubError(401, "tokenRefused"), expected: "actionRequired(tokenRefused)"),
        Row("403", .hubError(403, "forbidden"), expected: "actionRequired(tokenRefused)"),
        Row("404 path", .hubError(404, "pathUnknown"), expected: "actionRequired(protocolMismatch)"),
        Row(
            "404 message", .hubError(404, "messageNotFound"), expected: "actionRequired(protocolMismatch)",
            instead: [.lookup: "none"]),
        Row(
            "404 deleted", .hubError(404, "messageDeleted"), expected: "actionRequired(protocolMismatch)",
            instead: [.lookup: "none"]),
        Row(
            "404 channel", .hubError(404, "channelNotFound"), expected: "actionRequired(protocolMismatch)",
            instead: [.messages: "refused(channelNotFound)"]),
        Row("405", .hubError(405, "methodNotAllowed"), expected: "actionRequired(protocolMismatch)"),
        Row("406", .hubError(406, "x"), expected: "actionRequired(protocolMismatch)"),
        Row("408", .hubError(408, "slow"), expected: "transient(slow)"),
        Row("409 storeForked", .hubError(409, "storeForked"), expected: "storeForked"),
        Row("409 historyChanged", .hubError(409, "historyChanged"), expected: "historyChanged"),
        Row("409 superseded", .hubError(409, "superseded"), expected: "actionRequired(superseded)"),
        Row("409 other", .hubError(409, "conflict"), expected: "refused(conflict)"),
        Row("410", .hubError(410, "gone"), expected: "actionRequired(protocolMismatch)"),
        Row("413", .hubError(413, "bodyTooLarge"), expected: "refused(bodyTooLarge)"),
        Row("414", .hubError(414, "pathTooLong"), expected: "refused(pathTooLong)"),
        Row("415", .hubError(415, "contentTypeUnsupported"), expected: "refused(contentTypeUnsupported)"),
        Row("422", .hubError(422, "tooMany"), expected: "refused(tooMany)"),
        Row("425", .hubError(425, "early"), expected: "transient(early)"),
        Row("426", .hubError(426, "upgrade"), expected: "actionRequired(protocolMismatch)"),
        Row("429", .hubError(429, "tooFast"), expected: "rateLimited(5)"),
        Row("429 in 7 s", .hubError(429, "tooFast", [("Retry-After", "7")]), expected: "rateLimited(7)"),
        Row("429 nonsense", .hubError(429, "tooFast", [("Retry-After", "soon")]), expected: "rateLimited(5)"),
        Row("431", .hubError(431, "headerTooLarge"), expected: "refused(headerTooLarge)"),
        Row(
            "500", .hubError(500, "internal"), expected: "transient(internal)",
            instead: [.deliver: "serverFailed(internal)"]),
        Row("501", .hubError(501, "x"), expected: "transient(x)"),
        Row(
            "502", .hubError(502, "x"), expected: "transient(x)", instead: [.deliver: "serverFailed(x)"]),
        Row("503", .hubError(503, "busy"), expected: "transient(busy)"),
        Row("503 in 7 s", .hubError(503, "busy", [("Retry-After", "7")]), expected: "rateLimited(7)"),
        Row("503 nonsense", .hubError(503, "busy", [("Retry-After", "soon")]), expected: "transient(busy)"),
        Row(
            "500 in 7 s", .hubError(500, "internal", [("Retry-After", "7")]), expected: "transient(internal)",
            instead: [.deliver: "serverFailed(internal)"]),
        Row(
            "504", .hubError(504, "x"), expected: "transient(x)", instead: [.deliver: "serverFailed(x)"]),
        Row("no such status", .hubError(799, "x"), expected: "actionRequired(protocolMismatch)"),
    ]

    static let brokenRows = [
        Row("closed", .close, expected: "inDoubt"),
        Row("reset", .reset, expected: "inDoubt"),
        Row("no HTTP", .write("SSH-2.0-\(echo)\r\n\r\n"), .close, expected: "inDoubt"),
        Row("head cut", .write("HTTP/1.1 200 OK\r\nContent-"), .close, expected: "inDoubt"),
        Row("body cut", .write("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"mark\""), .close, expected: "inDoubt"),
        Row("body reset", .write("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"m"), .reset, expected: "inDoubt"),
        Row(
            "chunks cut", .write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"mar\r\n"), .close,
            expected: "inDoubt"),
        Row(
            "head too large",
            .write("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 100_000))\r\nContent-Length: 0\r\n\r\n"),
            expected: "inDoubt"),
        Row(
            "body too large", .write("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"), expected: "inDoubt"),
        Row("nothing in time", expected: "inDoubt"),
        Row("no end in time", .write("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"), expected: "inDoubt"),
    ]

    @Test(arguments: foreignRows + statusRows + brokenRows, Exchange.allCases)
    func everyRow(_ row: Row, _ call: Exchange) async throws {
        // A row that ends by a time-out has a short one; all others have enough time, however slow the machine is.
        let timeouts = HTTPTransportConfiguration.Timeouts(
            connect: .seconds(600), firstByte: row.name == "nothing in time" ? .milliseconds(50) : .seconds(600),
            whole: row.name == "no end in time" ? .seconds(3) : .seconds(600))
        try await ScriptedHTTPServer.run { _ in
            row.steps
        } body: { server, port in
            let configuration = HTTPTransportConfiguration(timeouts: timeouts, proxy: .none)
            let (name, error) = try await withTransport(to: "http://127.0.0.1:\(port)", configuration) {
                try await call.outcome(on: $0)
            }
            #expect(name == row.instead[call] ?? row.expected)
            await server.hasRequests(1)
            #expect(server.requests.count == 1, "asked once, whatever came")
            if let error { expectFitForPeople(error, port: port) }
        }
    }

    /// Checks the requirements for the text of every error.
    private func expectFitForPeople(_ error: TransportError, port: Int) {
        for text in ["\(error)", String(reflecting: error)] {
            #expect(!text.contains(Sample.tokenText))
            #expect(!text.contains("Bearer"))
        }
        #expect(!error.description.isEmpty)
        #expect(error.description.count <= Limits.reasonCharactersMax + 100)
        if case .inDoubt(let detail) = error { #expect(detail.contains("127.0.0.1:\(port)")) }
    }

    @Test func aForeignAnswerIsCalledSo() async throws {
        try await ScriptedHTTPServer.run { _ in
            [.answer(200, [], Self.echo)]
        } body: { _, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                let (_, error) = try await Exchange.deliver.outcome(on: transport)
                let words = "the response is not from a Causeway server (captive portal or proxy?)"
                #expect(error?.description.contains(words) == true)
            }
        }
    }

    @Test func theServersReasonIsKept() async throws {
        try await ScriptedHTTPServer.run { _ in
            [.hub(422, #"{"code":"tooMany","detail":"There are \u0007too many channels\u0000."}"#)]
        } body: { _, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                let (_, error) = try await Exchange.deliver.outcome(on: transport)
                #expect(error == .refused(code: "tooMany", detail: "There are too many channels."))
            }
        }
    }

    @Test func aTokenIsFoundUnderWhateverHidesIt() async throws {
        let half = Sample.tokenText.count / 2
        let parted = Sample.tokenText.prefix(half) + #"\u0000\u200d"# + Sample.tokenText.dropFirst(half)
        let cut = String(repeating: "•", count: 16 * 1024 / 3 - 4) + Sample.tokenText
        let details = [parted + #"\u0301"#, cut, String(repeating: Sample.tokenText, count: 1000)]
        for detail in details {
            try await ScriptedHTTPServer.run { _ in
                [.hub(400, #"{"code":"\#(Sample.tokenText)","detail":"\#(detail)"}"#)]
            } body: { _, port in
                try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                    let (name, error) = try await Exchange.deliver.outcome(on: transport)
                    #expect(name == "refused(••••)")
                    let text = String(reflecting: error)
                    #expect(!text.contains("secret"))
                    #expect(!text.contains("0123456789"))
                }
            }
        }
    }
}
