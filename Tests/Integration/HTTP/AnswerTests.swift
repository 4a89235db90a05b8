import CausewayHTTP
import HTTPTypes
import NIOCore
import Testing

/// Responses as real servers frame them: whole, in slices of one byte, and cut off at every byte.
@Suite struct AnswerTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        var name: String
        var wire: String
        var method: HTTPRequest.Method = .get
        var status = 200
        var body = ""
        /// Whether the end of the response is the end of the connection.
        var endsWithConnection = false
        var isKept = true

        var testDescription: String { name }
    }

    static let answers: [Answer] = [
        Answer(name: "length", wire: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", body: "hello"),
        Answer(name: "length 0", wire: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        Answer(
            name: "chunked",
            wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
            body: "hello"),
        Answer(
            name: "chunked with trailers",
            wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n",
            body: "hello"),
        Answer(
            name: "until close", wire: "HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello", body: "hello", endsWithConnection: true,
            isKept: false),
        Answer(
            name: "connection: close", wire: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
            body: "hello", isKept: false),
        Answer(
            name: "HTTP/1.0", wire: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", body: "hello", isKept: false),
        Answer(
            name: "HTTP/1.0 kept",
            wire: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello", body: "hello"),
        Answer(name: "HEAD", wire: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", method: .head),
        Answer(
            name: "HEAD larger than any body", wire: "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            method: .head),
        Answer(name: "HEAD chunked", wire: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", method: .head),
        Answer(name: "204", wire: "HTTP/1.1 204 No Content\r\n\r\n", status: 204),
        Answer(name: "304", wire: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", status: 304),
        Answer(
            name: "interim responses",
            wire: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                + "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nhi",
            status: 201, body: "hi"),
        Answer(
            name: "redirect is not followed",
            wire: "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", status: 302),
        Answer(
            name: "captive portal",
            wire: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>",
            body: "<html></html>"),
        Answer(name: "unknown status", wire: "HTTP/1.1 599 Odd\r\nContent-Length: 0\r\n\r\n", status: 599),
        Answer(name: "no reason", wire: "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n"),
    ]

    @Test(arguments: answers, [false, true])
    func isRead(answer: Answer, sliced: Bool) async throws {
        try await ScriptedServer.run { connection in
            while try await connection.readRequest() != nil {
                if sliced {
                    try await connection.writeSliced(answer.wire)
                } else {
                    try await connection.write(answer.wire)
                }
                if answer.endsWithConnection { return }
            }
        } body: { port in
            try await withClient(port: port) { client in
                // Twice, because reading must leave no bytes behind.
                for _ in 1...2 {
                    let response = try await client.send(HTTPClientRequest(method: answer.method, path: "/"))
                    #expect(response.status.code == answer.status)
                    #expect(response.text == answer.body)
                }
            }
        }
    }

    @Test(arguments: answers)
    func isKeptOrNot(answer: Answer) async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            while try await connection.readRequest() != nil {
                log.add("\(connection.number)")
                try await connection.write(answer.wire)
                if answer.endsWithConnection { return }
            }
        } body: { port in
            try await withClient(port: port) { client in
                for _ in 1...2 {
                    _ = try await client.send(HTTPClientRequest(method: answer.method, path: "/"))
                }
            }
        }
        #expect(log.lines == (answer.isKept ? ["1", "1"] : ["1", "2"]))
    }

    /// A response that was cut anywhere is never taken for a complete one, and the loss is reported as in doubt.
    @Test(arguments: answers.filter { !$0.endsWithConnection }, [false, true])
    func isNeverWholeWhenCut(answer: Answer, byReset: Bool) async throws {
        let bytes = Array(answer.wire.utf8)
        try await ScriptedServer.run { connection in
            guard let request = try await connection.readRequest(),
                let length = Int(request.split(separator: " ")[1].dropFirst())
            else { return }
            try await connection.write(String(decoding: bytes[..<length], as: UTF8.self))
            if byReset { try await connection.reset() }
        } body: { port in
            try await withClient(port: port) { client in
                for length in 0..<bytes.count {
                    let error = try await client.failure(
                        of: HTTPClientRequest(method: answer.method, path: "/\(length)"))
                    #expect(error.mayHaveReachedServer)
                    // A reset may overtake the bytes before it.
                    let expected = length == 0 || byReset ? ["connectionClosed(true)", "truncated"] : ["truncated"]
                    #expect(expected.contains(error.kind), "cut at \(length): \(error.kind)")
                }
            }
        }
    }

    @Test func anAnswerBeforeTheEndOfTheRequestIsTaken() async throws {
        try await ScriptedServer.run { connection in
            try await connection.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
            try await connection.untilClosed()
        } body: { port in
            try await withClient(port: port) { client in
                // Far more than the sockets' buffers hold: it is still being written.
                let body = ByteBuffer(repeating: 0x61, count: 32 * 1024 * 1024)
                let response = try await client.send(HTTPClientRequest(method: .post, path: "/", body: body))
                #expect(response.status.code == 413)
                #expect(response.text == "no")
            }
        }
    }
}
