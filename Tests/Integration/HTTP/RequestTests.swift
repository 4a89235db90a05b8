import CausewayHTTP
import HTTPTypes
import NIOCore
import Testing

/// Requests on the wire, and requests that are never sent.
@Suite struct RequestTests {
    /// Sends a request and returns the bytes that the server received.
    private func wire(_ request: HTTPClientRequest, basePath: String = "") async throws -> (String, port: Int) {
        let log = Log()
        return try await ScriptedServer.run { connection in
            while let request = try await connection.readRequest() {
                log.add(request)
                try await connection.write("HTTP/1.1 204 No Content\r\n\r\n")
            }
        } body: { port in
            let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: false, basePath: basePath)
            return try await withClient(of: endpoint) { client in
                _ = try await client.send(request)
                return (try #require(log.lines.first), port)
            }
        }
    }

    @Test func get() async throws {
        let (wire, port) = try await wire(HTTPClientRequest(method: .get, path: "/a?b=c"))
        #expect(wire == "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    }

    @Test func deleteWithoutBodyIsNotChunked() async throws {
        let (wire, port) = try await wire(HTTPClientRequest(method: .delete, path: "/a"))
        #expect(wire == "DELETE /a HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch], ["", "body"])
    func methodsWithABodyAlwaysTellItsLength(method: HTTPRequest.Method, body: String) async throws {
        let (wire, port) = try await wire(
            HTTPClientRequest(
                method: method, path: "/a", fields: [.contentType: "text/plain"], body: ByteBuffer(string: body)))
        #expect(
            wire == "\(method.rawValue) /a HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: \(body.count)\r\n"
                + "Content-Type: text/plain\r\n\r\n\(body)")
    }

    @Test func basePathComesFirst() async throws {
        let (wire, _) = try await wire(HTTPClientRequest(method: .get, path: "/a"), basePath: "/base/")
        #expect(wire.hasPrefix("GET /base/a HTTP/1.1\r\n"))
    }

    /// The type for field values replaces line ends with blanks; this verifies it on the wire.
    @Test(arguments: ["a\r\nEvil: b", "a\nEvil: b", "a\rEvil: b", "a\u{0}Evil: b", "a\r\n\r\nGET /evil HTTP/1.1"])
    func aFieldValueCannotEndItsLine(value: String) async throws {
        let name = try #require(HTTPField.Name("X-Test"))
        let (wire, _) = try await wire(HTTPClientRequest(method: .get, path: "/", fields: [name: value]))
        let lines = wire.split(separator: "\r\n", omittingEmptySubsequences: true)
        #expect(lines.count == 3)
        #expect(!wire.dropLast(4).unicodeScalars.contains("\u{0}"))
        #expect(!lines[2].contains("\r") && !lines[2].contains("\n"))
        #expect(lines[2].hasPrefix("X-Test: a"))
    }

    @Test(arguments: [
        "", "a", "//\r\n", "/a b", "/a\r\nX: y", "/a\n", "/a\u{0}", "/é", "/a\"", "/a#b", "http://other/",
    ])
    func aPathCannotEndItsLine(path: String) async throws {
        try await neverSent(HTTPClientRequest(method: .get, path: path))
    }

    @Test(arguments: [
        "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
        "Upgrade", "Expect", "Proxy-Authorization", "cOnTeNt-LeNgTh",
    ])
    func framingFieldsAreTheClientsOwn(name: String) async throws {
        let name = try #require(HTTPField.Name(name))
        try await neverSent(HTTPClientRequest(method: .post, path: "/", fields: [name: "1"]))
    }

    @Test func connectIsTheClientsOwn() async throws {
        try await neverSent(HTTPClientRequest(method: .connect, path: "/"))
    }

    @Test(arguments: [HTTPRequest.Method.get, .head])
    func whatCarriesNoBodyGetsNone(method: HTTPRequest.Method) async throws {
        try await neverSent(HTTPClientRequest(method: method, path: "/", body: ByteBuffer(string: "x")))
    }

    private func neverSent(_ request: HTTPClientRequest) async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            log.add("connected")
            try await connection.untilClosed()
        } body: { port in
            try await withClient(port: port) { client in
                let error = try await client.failure(of: request)
                #expect(error.kind == "invalidRequest")
                #expect(!error.mayHaveReachedServer)
            }
        }
        #expect(log.lines.isEmpty)
    }

    @Test func descriptionShowsNoQueryAndNoBody() {
        let request = HTTPClientRequest(
            method: .post, path: "/a?token=s3cret", fields: [.authorization: "s3cret"],
            body: ByteBuffer(string: "s3cret"))
        #expect("\(request)" == "POST /a")
    }
}
