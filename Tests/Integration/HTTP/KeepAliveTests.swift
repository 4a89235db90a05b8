import CausewayHTTP
import HTTPTypes
import NIOCore
import Testing

/// Keeping, sharing and closing of connections, and the risks of a request on a kept one.
@Suite struct KeepAliveTests {
    static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func oneConnectionCarriesManyRequests() async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            log.add("connected")
            while try await connection.readRequest() != nil {
                try await connection.write(Self.answer)
            }
        } body: { port in
            try await withClient(port: port) { client in
                for _ in 1...100 { _ = try await client.post() }
            }
        }
        #expect(log.lines == ["connected"])
    }

    @Test func requestsAtOnceShareFewConnectionsAndAllAreAnswered() async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            log.add("connected")
            while let request = try await connection.readRequest() {
                let path = request.split(separator: " ")[1]
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(path.count)\r\n\r\n\(path)")
            }
        } body: { port in
            var limits = HTTPLimits()
            limits.connectionsMax = 3
            try await withClient(port: port, limits: limits) { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 1...200 {
                        group.addTask {
                            let text = try await client.post("/\(number)").text
                            #expect(text == "/\(number)")
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        #expect((1...3).contains(log.lines.count))
    }

    @Test func anIdleConnectionIsClosedByTheClient() async throws {
        let closed = Event()
        try await ScriptedServer.run { connection in
            while try await connection.readRequest() != nil {
                try await connection.write(Self.answer)
            }
            closed.fire()
        } body: { port in
            var limits = HTTPLimits()
            limits.idleSeconds = 0
            try await withClient(port: port, limits: limits) { client in
                _ = try await client.get()
                await closed.wait()
            }
        }
    }

    /// The server closes the kept connection when the next request reaches it, like a server that restarts.
    private func race(_ request: HTTPClientRequest, byReset: Bool) async throws -> (
        Result<HTTPClientResponse, HTTPClientError>, seen: [String]
    ) {
        let log = Log()
        return try await ScriptedServer.run { connection in
            var answered = false
            while let request = try await connection.readRequest() {
                log.add("\(connection.number) \(request.prefix { $0 != " " })")
                if connection.number == 1, answered {
                    if byReset { try await connection.reset() }
                    return
                }
                try await connection.write(Self.answer)
                answered = true
            }
        } body: { port in
            try await withClient(port: port) { client in
                _ = try await client.get()
                do throws(HTTPClientError) {
                    return (.success(try await client.send(request)), log.lines)
                } catch {
                    return (.failure(error), log.lines)
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func aPostIsNeverSentTwice(byReset: Bool) async throws {
        let (result, seen) = try await race(.post, byReset: byReset)
        guard case .failure(let error) = result else {
            Issue.record("answered")
            return
        }
        #expect(error.kind == "connectionClosed(true)")
        #expect(error.mayHaveReachedServer)
        #expect(seen == ["1 GET", "1 POST"])
    }

    @Test(arguments: [false, true])
    func aGetIsSentOnceMore(byReset: Bool) async throws {
        let (result, seen) = try await race(HTTPClientRequest(method: .get, path: "/"), byReset: byReset)
        #expect(try result.get().text == "ok")
        #expect(seen == ["1 GET", "1 GET", "2 GET"])
    }

    @Test func aGetIsSentOnceMoreAndNoMore() async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            guard try await connection.readRequest() != nil else { return }
            log.add("request")
            if connection.number > 1 { return }
            try await connection.write(Self.answer)
            _ = try await connection.readRequest()
            log.add("request")
        } body: { port in
            try await withClient(port: port) { client in
                _ = try await client.get()
                let kind = try await client.failure().kind
                #expect(kind == "connectionClosed(true)")
            }
        }
        #expect(log.lines.count == 3)
    }

    @Test func aGetWhoseAnswerHadBegunIsNotSentAgain() async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            while try await connection.readRequest() != nil {
                log.add("request")
                if log.lines.count == 2 { return try await connection.write("HTTP/1.1 2") }
                try await connection.write(Self.answer)
            }
        } body: { port in
            try await withClient(port: port) { client in
                _ = try await client.get()
                let kind = try await client.failure().kind
                #expect(kind == "truncated")
            }
        }
        #expect(log.lines.count == 2)
    }

    @Test func aConnectionThatTheServerClosedWhileIdleIsNotUsed() async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            _ = try await connection.readRequest()
            log.add("\(connection.number)")
            try await connection.write(Self.answer)
            if connection.number > 1 { try await connection.untilClosed() }
        } body: { port in
            try await withClient(port: port) { client in
                _ = try await client.get()
                // Until the client has detected the end, a POST may still fail because of it, which is reported as
                // such.
                while true {
                    do throws(HTTPClientError) {
                        _ = try await client.send(.post)
                        break
                    } catch {
                        #expect(error.kind == "connectionClosed(true)")
                    }
                }
            }
        }
        #expect(log.lines == ["1", "2"])
    }

    /// Bytes after a response must not become the response to the next request.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n",
        "HTTP/1.1 200 O", "HTTP/1.1 500 ", "HTTP/1.0 500 X",
        "HTTP/1.1 200 OK\r\nX: y",
        "junk", "\r\n", "\u{0}",
    ])
    func bytesBehindAnAnswerNeverReachTheNext(extra: String) async throws {
        try await ScriptedServer.run { connection in
            guard try await connection.readRequest() != nil else { return }
            if connection.number == 1 {
                try await connection.write(Self.answer + extra)
                _ = try await connection.readRequest()
            }
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")
            try await connection.untilClosed()
        } body: { port in
            try await withClient(port: port) { client in
                let text = try await client.get("/1").text
                #expect(text == "ok")
                let next = try await client.get("/2")
                #expect(next.text == "good")
                #expect(next.status.code == 200)
            }
        }
    }

    @Test(arguments: ["HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 4", "x"])
    func bytesOnAnIdleConnectionCloseIt(extra: String) async throws {
        let answered = Event()
        let closed = Event()
        try await ScriptedServer.run { connection in
            guard try await connection.readRequest() != nil else { return }
            if connection.number == 1 {
                try await connection.write(Self.answer)
                await answered.wait()
                try await connection.write(extra)
                try await connection.untilClosed()
                closed.fire()
            } else {
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")
                try await connection.untilClosed()
            }
        } body: { port in
            try await withClient(port: port) { client in
                let text = try await client.get().text
                #expect(text == "ok")
                answered.fire()
                await closed.wait()
                let nextText = try await client.get().text
                #expect(nextText == "good")
            }
        }
    }
}
