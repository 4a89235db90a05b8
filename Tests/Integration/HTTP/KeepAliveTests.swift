import CausewayHTTP
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

/// Keeping, sharing and closing of connections, and the risks of a request on a kept one.
@Suite struct KeepAliveTests {
    static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Holds a request at the server.
    private struct Gate {
        let arrived = Event()
        let open = Event()

        func pass() async {
            arrived.fire()
            await open.wait()
        }
    }

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

    /// A server that closes a new connection does so for every request.
    @Test func aGetOnANewConnectionIsNotSentAgain() async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            _ = try await connection.readRequest()
            log.add("request")
        } body: { port in
            try await withClient(port: port) { client in
                let kind = try await client.failure().kind
                #expect(kind == "connectionClosed(true)")
            }
        }
        #expect(log.lines.count == 1)
    }

    /// One connection turned out to be dead; another one that was kept as long is not tried.
    @Test func aGetThatIsSentOnceMoreHasANewConnection() async throws {
        let log = Log()
        let slowGate = Gate()
        let closed = Event()
        try await ScriptedServer.run { connection in
            while let request = try await connection.readRequest() {
                switch request.split(separator: " ")[1] {
                case "/slow":
                    await slowGate.pass()
                case "/":
                    log.add("\(connection.number)")
                    if connection.number < 3 { return }
                default: break
                }
                try await connection.write(Self.answer)
            }
            closed.fire()
        } body: { port in
            try await withClient(port: port) { client in
                async let slow = client.get("/slow")
                await slowGate.arrived.wait()
                _ = try await client.get("/warm")
                slowGate.open.fire()
                _ = try await slow
                _ = try await client.get()
                await closed.wait()
            }
        }
        #expect(log.lines == ["1", "3"])
    }

    /// A request that is sent once more waits behind another one, and gets a connection that was kept as well.
    @Test func aGetIsSentOnceMoreAndNoMoreOnKeptConnections() async throws {
        let log = Log()
        let slowGate = Gate()
        let firstGate = Gate()
        let laterGate = Gate()
        try await ScriptedServer.run { connection in
            while let request = try await connection.readRequest() {
                switch request.split(separator: " ")[1] {
                case "/slow":
                    await slowGate.pass()
                case "/":
                    log.add("\(connection.number)")
                    await firstGate.pass()
                    return
                case "/later":
                    await laterGate.pass()
                default: break
                }
                try await connection.write(Self.answer)
            }
        } body: { port in
            var limits = HTTPLimits()
            limits.connectionsMax = 2
            limits.requestsWaitingMax = 2
            try await withClient(port: port, limits: limits) { client in
                _ = try await client.get("/warm")
                async let slow = client.get("/slow")
                await slowGate.arrived.wait()
                _ = try await client.get("/warm")
                let failure = Task { try await client.failure().kind }
                await firstGate.arrived.wait()
                try await Self.whileOneWaits(at: "/later", client) {
                    firstGate.open.fire()
                    await laterGate.arrived.wait()
                    slowGate.open.fire()
                    let kind = try await failure.value
                    #expect(kind == "connectionClosed(true)")
                    laterGate.open.fire()
                }
                _ = try await slow
            }
        }
        #expect(log.lines == ["2", "1"])
    }

    /// Runs the body while exactly one request waits for a connection. Of three requests for two places one is refused;
    /// then one of the others is taken back.
    private static func whileOneWaits(
        at path: String, serverWait: Duration = .zero, _ client: HTTPClient, _ body: () async throws -> Void
    ) async throws {
        let request = HTTPClientRequest(
            method: .post, path: path, body: ByteBuffer(string: "x"), serverWait: serverWait)
        let tasks = (0..<3).map { _ in Task { try await client.send(request) } }
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (index, task) in tasks.enumerated() {
                group.addTask {
                    do {
                        return (index, try await task.value.text)
                    } catch let error as HTTPClientError {
                        return (index, error.kind)
                    }
                }
            }
            let (refused, kind) = try #require(try await group.next())
            #expect(kind == "tooManyWaiting")
            tasks[(refused + 1) % 3].cancel()
            #expect(try await group.next()?.1 == "cancelled(false)")
            try await body()
            #expect(try await group.next()?.1 == "ok")
        }
    }

    /// The wait for a connection is bounded each time, although a transfer that has one may take any time.
    @Test func aTransferThatIsSentOnceMoreWaitsNoLonger() async throws {
        let firstGate = Gate()
        let laterGate = Gate()
        try await ScriptedServer.run { connection in
            while let request = try await connection.readRequest() {
                switch request.split(separator: " ")[1] {
                case "/file" where connection.number == 1:
                    await firstGate.pass()
                    return
                case "/later":
                    await laterGate.pass()
                default: break
                }
                try await connection.write(Self.answer)
            }
        } body: { port in
            var timeouts = HTTPTimeouts.unhurried
            timeouts.whole = .milliseconds(200)
            var limits = HTTPLimits()
            limits.connectionsMax = 1
            limits.requestsWaitingMax = 2
            try await withClient(port: port, timeouts: timeouts, limits: limits) { client in
                let patience = Duration.seconds(600)
                _ = try await client.send(HTTPClientRequest(method: .get, path: "/warm", serverWait: patience))
                let result = Task { await Self.resultOfTransfer(from: "/file", client) }
                await firstGate.arrived.wait()
                // Without the limit the transfer has its turn then.
                let rescue = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .seconds(10)) {
                    laterGate.open.fire()
                }
                defer { rescue.cancel() }
                try await Self.whileOneWaits(at: "/later", serverWait: patience, client) {
                    firstGate.open.fire()
                    await laterGate.arrived.wait()
                    let kind = await result.value
                    #expect(kind == "timeout(whole, false)")
                    laterGate.open.fire()
                }
            }
        }
    }

    private static func resultOfTransfer(from path: String, _ client: HTTPClient) async -> String {
        let receiver = ResponseBodyReceiver(accepts: { _, _ in true }, receive: { _ in })
        do throws(HTTPTransferError) {
            let request = HTTPClientRequest(method: .get, path: path)
            let response = try await client.transfer(HTTPTransfer(request, receiver: receiver))
            return "\(response.status.code)"
        } catch {
            guard case .connection(let problem) = error else { return "\(error)" }
            return problem.kind
        }
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
