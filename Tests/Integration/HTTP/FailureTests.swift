import CausewayHTTP
import CausewayTestSupport
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

/// Every way to lose a request, and the reported possibility that the server has seen it.
@Suite struct FailureTests {
    static let answer = KeepAliveTests.answer
    /// Long enough to never affect a test.
    static let forever = Duration.seconds(600)

    @Test func nobodyListens() async throws {
        // A port that was free a moment ago.
        let port = try await ScriptedServer.run(script: { _ in }, body: { $0 })
        try await withClient(port: port) { client in
            let error = try await client.failure(of: .post)
            #expect(error.kind == "connectRefused")
            #expect(!error.mayHaveReachedServer)
            #expect("\(error)".contains("127.0.0.1:\(port)"))
        }
    }

    @Test func manyRequestsToADeadServerAllFail() async throws {
        let port = try await ScriptedServer.run(script: { _ in }, body: { $0 })
        try await withClient(port: port) { client in
            await withTaskGroup(of: String?.self) { group in
                for _ in 1...50 {
                    group.addTask { try? await client.failure(of: .post).kind }
                }
                for await kind in group { #expect(kind == "connectRefused") }
            }
        }
    }

    @Test func nameWithoutAddress() async throws {
        let endpoint = try HTTPEndpoint(url: "http://nothing.invalid")
        let timeouts = HTTPTimeouts(connect: Self.forever, firstByte: Self.forever, whole: Self.forever)
        try await withClient(of: endpoint, timeouts: timeouts) { client in
            let error = try await client.failure(of: .post)
            #expect(error.kind == "resolveFailed")
            #expect(!error.mayHaveReachedServer)
            // The name service's description, without the name of a type.
            #expect("\(error)".hasPrefix("cannot resolve nothing.invalid: "))
            #expect(!"\(error)".contains("Error"))
        }
    }

    @Test func noSocketFile() async throws {
        let folder = try TemporaryFolder(.short)
        try await withClient(of: .unix(path: folder.path + "/none.sock")) { client in
            let error = try await client.failure(of: .post)
            #expect(error.kind == "connectRefused")
            #expect(!error.mayHaveReachedServer)
        }
    }

    @Test func socketPathTooLong() async throws {
        try await withClient(of: .unix(path: "/tmp/" + String(repeating: "x", count: 200))) { client in
            let kind = try await client.failure(of: .post).kind
            #expect(kind == "connectFailed")
        }
    }

    @Test(arguments: [false, true])
    func closedWithoutAnAnswer(byReset: Bool) async throws {
        try await ScriptedServer.run { connection in
            _ = try await connection.readRequest()
            if byReset { try await connection.reset() }
        } body: { port in
            try await withClient(port: port) { client in
                let error = try await client.failure(of: .post)
                #expect(error.kind == "connectionClosed(true)")
                #expect(error.mayHaveReachedServer)
            }
        }
    }

    @Test func noFirstByte() async throws {
        try await ScriptedServer.run { connection in
            try await connection.untilClosed()
        } body: { port in
            let timeouts = HTTPTimeouts(connect: Self.forever, firstByte: .milliseconds(20), whole: Self.forever)
            try await withClient(port: port, timeouts: timeouts) { client in
                let error = try await client.failure(of: .post)
                #expect(error.kind == "timeout(firstByte, true)")
                #expect(error.mayHaveReachedServer)
            }
        }
    }

    /// Once a response has begun, only the time-out of the whole request applies. A slow machine may miss the first
    /// byte's time-out, so it is doubled until it does not.
    @Test func aPauseAfterTheFirstByteIsNoMissingFirstByte() async throws {
        try await ScriptedServer.run { connection in
            guard let request = try await connection.readRequest(),
                let milliseconds = Int(request.split(separator: " ")[1].dropFirst())
            else { return }
            try await connection.write("HTTP/1.1 200 OK\r\n")
            try await pace(milliseconds * 2)
            try await connection.write("Content-Length: 2\r\n\r\nok")
        } body: { port in
            var kinds: [String] = []
            for milliseconds in [50, 100, 200, 400, 800, 1600, 3200] where !kinds.contains("ok") {
                let timeouts = HTTPTimeouts(
                    connect: Self.forever, firstByte: .milliseconds(milliseconds), whole: Self.forever)
                try await withClient(port: port, timeouts: timeouts) { client in
                    do throws(HTTPClientError) {
                        let request = HTTPClientRequest(method: .get, path: "/\(milliseconds)")
                        kinds.append(try await client.send(request).text)
                    } catch {
                        kinds.append(error.kind)
                    }
                }
            }
            #expect(kinds.last == "ok", "\(kinds)")
        }
    }

    @Test func aSlowDripIsCutAsAWhole() async throws {
        let cut = Event()
        try await ScriptedServer.run { connection in
            defer { cut.fire() }
            guard try await connection.readRequest() != nil else { return }
            try await connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true {
                try await connection.write("1\r\nx\r\n")
                // The interval between bytes, not a wait for anything.
                try await pace(5)
            }
        } body: { port in
            let timeouts = HTTPTimeouts(connect: Self.forever, firstByte: Self.forever, whole: .milliseconds(100))
            try await withClient(port: port, timeouts: timeouts) { client in
                let error = try await client.failure(of: .post)
                #expect(error.kind.hasPrefix("timeout(whole"))
                // On a machine that needs longer than that to connect, no bytes are sent.
                if error.mayHaveReachedServer { await cut.wait() }
            }
        }
    }

    @Test func aDrippingHeadIsCutAsAWhole() async throws {
        try await ScriptedServer.run { connection in
            _ = try await connection.readRequest()
            try await connection.write("HTTP/1.1 200 OK\r\nX: ")
            try await connection.untilClosed()
        } body: { port in
            let timeouts = HTTPTimeouts(connect: Self.forever, firstByte: Self.forever, whole: .milliseconds(100))
            try await withClient(port: port, timeouts: timeouts) { client in
                let kind = try await client.failure(of: .post).kind
                #expect(kind.hasPrefix("timeout(whole"))
            }
        }
    }

    @Test func waitingForAConnectionCountsAsAWhole() async throws {
        try await ScriptedServer.run { connection in
            try await connection.untilClosed()
        } body: { port in
            var limits = HTTPLimits()
            limits.connectionsMax = 1
            let timeouts = HTTPTimeouts(connect: Self.forever, firstByte: Self.forever, whole: .milliseconds(200))
            try await withClient(port: port, timeouts: timeouts, limits: limits) { client in
                async let first = client.failure(of: .post)
                async let second = client.failure(of: .post)
                for kind in [try await first.kind, try await second.kind] {
                    #expect(kind.hasPrefix("timeout(whole"))
                }
            }
        }
    }

    /// A request that the server was asked to hold back has that much more time.
    @Test func theTimeThatTheServerMayWaitIsAddedToTheWhole() async throws {
        let arrived = Event()
        let release = Event()
        try await ScriptedServer.run { connection in
            guard let request = try await connection.readRequest() else { return }
            guard request.hasPrefix("GET /held") else { return try await connection.untilClosed() }
            arrived.fire()
            await release.wait()
            try await connection.write(Self.answer)
        } body: { port in
            let timeouts = HTTPTimeouts(connect: Self.forever, firstByte: Self.forever, whole: .milliseconds(100))
            try await withClient(port: port, timeouts: timeouts) { client in
                var request = HTTPClientRequest(method: .get, path: "/held")
                request.serverWait = Self.forever
                async let held = client.send(request)
                await arrived.wait()
                // Its time-out began later.
                let kind = try await client.failure(of: .post).kind
                #expect(kind.hasPrefix("timeout(whole"))
                release.fire()
                let text = try await held.text
                #expect(text == "ok")
            }
        }
    }

    @Test func cancelledOnTheWay() async throws {
        let arrived = Event()
        let closed = Event()
        try await ScriptedServer.run { connection in
            _ = try await connection.readRequest()
            arrived.fire()
            try await connection.untilClosed()
            closed.fire()
        } body: { port in
            try await withClient(port: port) { client in
                let request = Task { try await client.failure(of: .post) }
                await arrived.wait()
                request.cancel()
                let error = try await request.value
                #expect(error.kind == "cancelled(true)")
                #expect(error.mayHaveReachedServer)
                // Its connection is not kept.
                await closed.wait()
            }
        }
    }

    @Test func cancelledWhileWaiting() async throws {
        let log = Log()
        let arrived = Event()
        let release = Event()
        try await ScriptedServer.run { connection in
            while let request = try await connection.readRequest() {
                log.add(String(request.split(separator: " ")[1]))
                arrived.fire()
                await release.wait()
                try await connection.write(Self.answer)
            }
        } body: { port in
            var limits = HTTPLimits()
            limits.connectionsMax = 1
            try await withClient(port: port, limits: limits) { client in
                async let first = client.post("/1")
                await arrived.wait()
                let second = Task { try await client.failure(of: .post) }
                second.cancel()
                let error = try await second.value
                #expect(error.kind == "cancelled(false)")
                #expect(!error.mayHaveReachedServer)
                release.fire()
                let text = try await first.text
                #expect(text == "ok")
                let nextText = try await client.post("/3").text
                #expect(nextText == "ok")
            }
        }
        #expect(log.lines == ["/1", "/3"])
    }

    @Test func cancelledBeforeItBegan() async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            log.add("connected")
            try await connection.untilClosed()
        } body: { port in
            try await withClient(port: port) { client in
                let request = Task {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return try await client.failure(of: .post)
                }
                let kind = try await request.value.kind
                #expect(kind == "cancelled(false)")
            }
        }
        #expect(log.lines.isEmpty)
    }

    @Test func tooManyWaiting() async throws {
        let arrived = Event()
        let release = Event()
        try await ScriptedServer.run { connection in
            while try await connection.readRequest() != nil {
                arrived.fire()
                await release.wait()
                try await connection.write(Self.answer)
            }
        } body: { port in
            var limits = HTTPLimits()
            limits.connectionsMax = 1
            limits.requestsWaitingMax = 2
            try await withClient(port: port, limits: limits) { client in
                async let first = client.post()
                await arrived.wait()
                // Three more for two places: exactly one is refused, the last one to arrive.
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 1...3 {
                        group.addTask {
                            do throws(HTTPClientError) {
                                return try await client.send(.post).text
                            } catch {
                                #expect(!error.mayHaveReachedServer)
                                release.fire()
                                return error.kind
                            }
                        }
                    }
                    var results: [String] = []
                    for try await result in group { results.append(result) }
                    #expect(results.sorted() == ["ok", "ok", "tooManyWaiting"])
                }
                let text = try await first.text
                #expect(text == "ok")
            }
        }
    }

    @Test func shutdownEndsEverything() async throws {
        let arrived = Event()
        try await ScriptedServer.run { connection in
            _ = try await connection.readRequest()
            arrived.fire()
            try await connection.untilClosed()
        } body: { port in
            var limits = HTTPLimits()
            limits.connectionsMax = 1
            let client = HTTPClient(
                endpoint: try .tcp(host: "127.0.0.1", port: port, tls: false), limits: limits,
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
            async let onItsWay = client.failure(of: .post)
            await arrived.wait()
            async let waiting = client.failure(of: .post)
            await client.shutdown()
            let kind = try await onItsWay.kind
            #expect(kind == "shutdown(true)")
            let nextKind = try await waiting.kind
            #expect(nextKind == "shutdown(false)")
            let lastKind = try await client.failure(of: .post).kind
            #expect(lastKind == "shutdown(false)")
            await client.shutdown()
        }
    }

    /// Each client is shut down at about the time when its connection opens: once one of three requests is refused, the
    /// first one waits for a connection, or has got it.
    @Test(.timeLimit(.minutes(5))) func shutdownLeavesNoConnectionOpen() async throws {
        let connections = OpenConnections()
        try await ScriptedServer.run { connection in
            connections.add(1)
            try await connection.untilClosed()
            connections.add(-1)
        } body: { port in
            var limits = HTTPLimits()
            limits.connectionsMax = 1
            limits.requestsWaitingMax = 1
            for _ in 1...200 {
                let client = HTTPClient(
                    endpoint: try .tcp(host: "127.0.0.1", port: port, tls: false), limits: limits,
                    eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
                try await withThrowingTaskGroup(of: HTTPClientError.self) { group in
                    for _ in 1...3 { group.addTask { try await client.failure(of: .post) } }
                    _ = try await group.next()
                    await client.shutdown()
                    try await group.waitForAll()
                }
            }
            await connections.noneOpen()
        }
    }

    @Test func theClientGoesOnAfterFailures() async throws {
        try await ScriptedServer.run { connection in
            _ = try await connection.readRequest()
            if connection.number % 2 == 1 { return }
            try await connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        } body: { port in
            try await withClient(port: port) { client in
                for _ in 1...20 {
                    let kind = try await client.failure(of: .post).kind
                    #expect(kind == "connectionClosed(true)")
                    let nextText = try await client.post().text
                    #expect(nextText == "ok")
                }
            }
        }
    }
}
