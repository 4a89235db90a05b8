import CausewayHTTP
import HTTPTypes
import NIOCore
import Testing

/// Responses that are ambiguous, grow without end, or are not HTTP.
@Suite struct HostileAnswerTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        var name: String
        var wire: String
        var error: String

        var testDescription: String { name }
    }

    static let body = "Content-Length: 5\r\n\r\nhello"

    static let answers: [Answer] = [
        Answer(
            name: "length and coding",
            wire: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            error: "malformedResponse"),
        Answer(
            name: "coding and length",
            wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
            error: "malformedResponse"),
        Answer(
            name: "two lengths", wire: "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\(body)", error: "malformedResponse"),
        Answer(
            name: "one length twice", wire: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\(body)",
            error: "malformedResponse"),
        Answer(
            name: "length list", wire: "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
            error: "malformedResponse"),
        Answer(
            name: "signed length", wire: "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
            error: "malformedResponse"),
        Answer(
            name: "negative length", wire: "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
            error: "malformedResponse"),
        Answer(
            name: "hex length", wire: "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
            error: "malformedResponse"),
        Answer(
            name: "length beyond 64 bits",
            wire: "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551621\r\n\r\nhello", error: "malformedResponse"),
        Answer(
            name: "length beyond Int", wire: "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nhello",
            error: "malformedResponse"),
        Answer(
            name: "other coding", wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
            error: "malformedResponse"),
        Answer(
            name: "two codings", wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            error: "malformedResponse"),
        Answer(
            name: "coding in two fields",
            wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            error: "malformedResponse"),
        Answer(
            name: "coding in HTTP/1.0", wire: "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            error: "malformedResponse"),
        Answer(
            name: "bad chunk size",
            wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
            error: "malformedResponse"),
        Answer(
            name: "chunk longer than said",
            wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n",
            error: "malformedResponse"),
        Answer(name: "101", wire: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", error: "malformedResponse"),
        Answer(name: "HTTP/2.0", wire: "HTTP/2.0 200 OK\r\n\(body)", error: "malformedResponse"),
        Answer(name: "HTTP/0.9", wire: "<html>welcome to our network</html>", error: "malformedResponse"),
        Answer(name: "another protocol", wire: "SSH-2.0-OpenSSH_9.2\r\n", error: "malformedResponse"),
        Answer(name: "a TLS alert", wire: "\u{15}\u{03}\u{01}\u{00}\u{02}\u{02}\u{28}", error: "malformedResponse"),
        Answer(name: "a request", wire: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", error: "malformedResponse"),
        Answer(name: "status of two digits", wire: "HTTP/1.1 20 OK\r\n\(body)", error: "malformedResponse"),
        Answer(name: "status 099", wire: "HTTP/1.1 099 OK\r\n\(body)", error: "malformedResponse"),
        Answer(name: "NUL in a field", wire: "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\(body)", error: "malformedResponse"),
        Answer(name: "no field name", wire: "HTTP/1.1 200 OK\r\n: a\r\n\(body)", error: "malformedResponse"),
        Answer(name: "blank before colon", wire: "HTTP/1.1 200 OK\r\nX : a\r\n\(body)", error: "malformedResponse"),
        Answer(
            name: "one large field", wire: "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 5000))\r\n\(body)",
            error: "headersTooLarge"),
        Answer(
            name: "one large field name",
            wire: "HTTP/1.1 200 OK\r\n\(String(repeating: "a", count: 5000)): a\r\n\(body)", error: "headersTooLarge"),
        Answer(
            name: "many fields", wire: "HTTP/1.1 200 OK\r\n\(String(repeating: "X: a\r\n", count: 200))\(body)",
            error: "headersTooLarge"),
        Answer(
            name: "many long fields",
            wire:
                "HTTP/1.1 200 OK\r\n"
                + String(repeating: "X: \(String(repeating: "a", count: 500))\r\n", count: 10) + body,
            error: "headersTooLarge"),
        Answer(
            name: "large trailers",
            wire:
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
                + "X: \(String(repeating: "a", count: 5000))\r\n\r\n",
            error: "headersTooLarge"),
        Answer(name: "large length", wire: "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", error: "bodyTooLarge"),
        Answer(
            name: "large chunks",
            wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + String(repeating: "64\r\n\(String(repeating: "a", count: 100))\r\n", count: 11),
            error: "bodyTooLarge"),
        Answer(
            name: "large until close", wire: "HTTP/1.1 200 OK\r\n\r\n\(String(repeating: "a", count: 1001))",
            error: "bodyTooLarge"),
        Answer(
            name: "endless interim responses",
            wire: String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 17), error: "malformedResponse"),
    ]

    private static var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.headerBytesMax = 4096
        limits.bodyBytesMax = 1000
        return limits
    }

    @Test(arguments: answers, [false, true])
    func isRefusedAndItsConnectionClosed(answer: Answer, sliced: Bool) async throws {
        let closed = Event()
        try await ScriptedServer.run { connection in
            _ = try await connection.readRequest()
            if sliced {
                try? await connection.writeSliced(answer.wire)
            } else {
                try? await connection.write(answer.wire)
            }
            // Only the client can end this.
            try? await connection.untilClosed()
            closed.fire()
        } body: { port in
            try await withClient(port: port, limits: Self.limits) { client in
                let error = try await client.failure()
                #expect(error.kind == answer.error)
                #expect(error.mayHaveReachedServer)
                await closed.wait()
            }
        }
    }

    /// The control: responses just within the same limits pass.
    @Test func whatIsWithinTheLimitsPasses() async throws {
        try await ScriptedServer.run { connection in
            while try await connection.readRequest() != nil {
                try await connection.write(
                    "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 4000))\r\n"
                        + "Content-Length: 1000\r\n\r\n\(String(repeating: "b", count: 1000))")
            }
        } body: { port in
            try await withClient(port: port, limits: Self.limits) { client in
                let size = try await client.get().body.readableBytes
                #expect(size == 1000)
            }
        }
    }
}
