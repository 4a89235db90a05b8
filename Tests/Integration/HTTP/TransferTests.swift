import CausewayHTTP
import CausewayTLS
import CausewayTestSupport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Bodies in parts, in both directions.
@Suite(.timeLimit(.minutes(10))) struct TransferTests {
    private static let part = 256 * 1024

    /// A body of `count` parts.
    private final class Source: Sendable {
        private let left: Mutex<Int>
        let count: Int

        init(parts count: Int) {
            self.count = count
            left = Mutex(count)
        }

        var read: Int { left.withLock { count - $0 } }

        var body: RequestBodyParts {
            RequestBodyParts(length: Int64(count * part)) {
                let left = self.left.withLock { left in
                    defer { left -= 1 }
                    return left
                }
                return left > 0 ? ByteBuffer(repeating: UInt8(left % 251), count: part) : nil
            }
        }

        var sum: Int { (1...count).reduce(0) { $0 + $1 % 251 * part } }
    }

    /// Returns when the task is cancelled.
    private static func forever() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
    }

    private static func upload(
        _ body: RequestBodyParts, timeouts: TransferTimeouts = TransferTimeouts(),
        interim: @escaping @Sendable (HTTPInterimResponse) -> Void = { _ in }
    ) -> HTTPTransfer {
        HTTPTransfer(HTTPClientRequest(method: .patch, path: "/"), body: body, timeouts: timeouts, interim: interim)
    }

    private static func download(
        timeouts: TransferTimeouts = TransferTimeouts(),
        to receive: @escaping @Sendable ([UInt8]) async throws -> Void
    ) -> HTTPTransfer {
        HTTPTransfer(
            HTTPClientRequest(method: .get, path: "/"),
            receiver: ResponseBodyReceiver { status, _ in
                status.code == 200
            } receive: {
                try await receive($0)
            },
            timeouts: timeouts)
    }

    /// The kind of the error of a transfer; `nil` if there is a response.
    private static func failure(of transfer: HTTPTransfer, by client: HTTPClient) async -> String? {
        do throws(HTTPTransferError) {
            _ = try await client.transfer(transfer)
            return nil
        } catch {
            switch error {
            case .connection(let error): return error.kind
            case .body(let error, let requestSent): return "body(\(error), \(requestSent))"
            }
        }
    }

    // MARK: - Uploads

    @Test(arguments: [false, true])
    func aBodyInPartsArrivesAndTheConnectionIsKept(secure: Bool) async throws {
        let certificates = try TestCertificates()
        let log = Log()
        let source = Source(parts: 20)
        try await ScriptedServer.run(tls: secure ? try certificates.serverContext(for: "127.0.0.1") : nil) {
            connection in
            log.add("connected")
            while let head = try await connection.readHead() {
                let sum = try await connection.readBody(head.contentLength).reduce(0) { $0 + Int($1) }
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \("\(sum)".count)\r\n\r\n\(sum)")
            }
        } body: { port in
            let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: secure)
            try await withClient(of: endpoint, tls: try certificates.client()) { client in
                let response = try await client.transfer(Self.upload(source.body))
                #expect(response.text == "\(source.sum)")
                let empty = try await client.transfer(
                    Self.upload(RequestBodyParts(length: 0) { nil }))
                #expect(empty.text == "0")
            }
        }
        #expect(log.lines == ["connected"])
    }

    @Test func aServerThatDoesNotReadHoldsTheSourceBack() async throws {
        let source = Source(parts: 1024)
        try await ScriptedServer.run { connection in
            try await connection.stopReading()
            try await connection.untilClosed()
        } body: { port in
            try await withClient(port: port) { client in
                let timeouts = TransferTimeouts(idle: .milliseconds(500))
                let error = await Self.failure(of: Self.upload(source.body, timeouts: timeouts), by: client)
                #expect(error == "timeout(idle, true)")
            }
        }
        // The rest is what the system holds of a connection, on both sides.
        #expect(source.read < 256, "\(source.read) of \(source.count) parts were read")
    }

    @Test func interimResponsesAreReportedWhileTheBodyIsSent() async throws {
        let offsets = Mutex<[String]>([])
        try await ScriptedServer.run { connection in
            guard let head = try await connection.readHead() else { return }
            for step in 1...40 {
                _ = try await connection.readBody(head.contentLength / 40)
                try await connection.write(
                    "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Offset: \(step)\r\n\r\n")
            }
            try await connection.write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        } body: { port in
            try await withClient(port: port) { client in
                let response = try await client.transfer(
                    Self.upload(Source(parts: 40).body) { interim in
                        guard interim.status == 104, let name = HTTPField.Name("Upload-Offset") else { return }
                        offsets.withLock { $0.append(interim.fields[name] ?? "-") }
                    })
                #expect(response.status.code == 201)
            }
        }
        #expect(offsets.withLock { $0 } == (1...40).map(String.init))
    }

    /// A server that reports every second how far a transfer of 8 KiB a second came.
    @Test func aSlowTransferHasAsManyInterimResponsesAsItNeeds() async throws {
        let step = 8 * 1024
        let source = Source(parts: 4)
        let count = source.count * Self.part / step
        let reported = Mutex(0)
        try await ScriptedServer.run { connection in
            guard try await connection.readHead() != nil else { return }
            for _ in 1...count {
                _ = try await connection.readBody(step)
                try await connection.write("HTTP/1.1 104 Upload Resumption Supported\r\n\r\n")
            }
            try await connection.write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        } body: { port in
            try await withClient(port: port) { client in
                let response = try await client.transfer(
                    Self.upload(source.body) { _ in reported.withLock { $0 += 1 } })
                #expect(response.status.code == 201)
            }
        }
        #expect(reported.withLock { $0 } == count)
    }

    @Test func interimResponsesWithoutBytesAreLimited() async throws {
        try await ScriptedServer.run { connection in
            _ = try await connection.readHead()
            for _ in 1...30 { try await connection.write("HTTP/1.1 104 Supported\r\n\r\n") }
            try await connection.untilClosed()
        } body: { port in
            try await withClient(port: port) { client in
                // The source never delivers.
                let body = RequestBodyParts(length: 1) {
                    await Self.forever()
                    return nil
                }
                #expect(await Self.failure(of: Self.upload(body), by: client) == "malformedResponse")
            }
        }
    }

    @Test func aResponseBeforeTheEndOfTheBodyEndsTheSending() async throws {
        let source = Source(parts: 1024)
        let log = Log()
        try await ScriptedServer.run { connection in
            log.add("connected")
            guard try await connection.readHead() != nil else { return }
            if connection.number == 1 {
                try await connection.stopReading()
                try await connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
                try await connection.untilClosed()
            } else {
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        } body: { port in
            try await withClient(port: port) { client in
                let response = try await client.transfer(Self.upload(source.body))
                #expect(response.status.code == 413)
                #expect(response.text == "no")
                let next = try await client.get()
                #expect(next.status.code == 200)
            }
        }
        #expect(source.read < source.count)
        #expect(log.lines == ["connected", "connected"])
    }

    /// The source goes on when the final response has begun, and would have 100 parts.
    @Test func aSourceIsNotReadOnceTheResponseHasBegun() async throws {
        let begun = Event()
        let reads = Mutex(0)
        try await ScriptedServer.run { connection in
            guard try await connection.readHead() != nil else { return }
            try await connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n")
            await begun.wait()
            // Time in which a source that was read on would come to its end.
            try await pace(2000)
            try await connection.write("no")
            try await connection.untilClosed()
        } body: { port in
            try await withClient(port: port) { client in
                let body = RequestBodyParts(length: 100_000) {
                    if reads.withLock({ $0 }) > 0 { await begun.wait() }
                    reads.withLock { $0 += 1 }
                    return ByteBuffer(repeating: 1, count: 1000)
                }
                let receiver = ResponseBodyReceiver { _, _ in
                    begun.fire()
                    return false
                } receive: { _ in
                    Issue.record("received")
                }
                let response = try await client.transfer(
                    HTTPTransfer(HTTPClientRequest(method: .patch, path: "/"), body: body, receiver: receiver))
                #expect(response.text == "no")
            }
        }
        #expect(reads.withLock { $0 } < 100)
    }

    /// The server says twice that it is at work, and takes longer in all than the wait for a response. A slow machine
    /// may miss the time-out between two responses, so it is doubled until it does not.
    @Test func aServerThatReportsIsWaitedForAnew() async throws {
        try await ScriptedServer.run { connection in
            guard let request = try await connection.readRequest(),
                let milliseconds = Int(request.split(separator: " ")[1].dropFirst())
            else { return }
            for _ in 1...2 {
                try await pace(milliseconds * 3 / 5)
                try await connection.write("HTTP/1.1 104 Upload Resumption Supported\r\n\r\n")
            }
            try await pace(milliseconds * 3 / 5)
            try await connection.write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        } body: { port in
            var outcomes: [String] = []
            for milliseconds in [100, 200, 400, 800, 1600, 3200] where outcomes.last != "201" {
                let timeouts = HTTPTimeouts(
                    connect: .seconds(600), firstByte: .milliseconds(milliseconds), whole: .seconds(600))
                try await withClient(port: port, timeouts: timeouts) { client in
                    var transfer = Self.upload(Source(parts: 1).body)
                    transfer.request.path = "/\(milliseconds)"
                    do throws(HTTPTransferError) {
                        outcomes.append("\(try await client.transfer(transfer).status.code)")
                    } catch {
                        outcomes.append("\(error)")
                    }
                }
            }
            #expect(outcomes.last == "201", "\(outcomes)")
        }
    }

    enum WrongSource: CaseIterable {
        case throwing, ending, tooLong
    }

    @Test(arguments: WrongSource.allCases)
    func aSourceThatFailsEndsTheRequest(source: WrongSource) async throws {
        struct Broken: Error {}
        let closed = Event()
        try await ScriptedServer.run { connection in
            try await connection.untilClosed()
            closed.fire()
        } body: { port in
            try await withClient(port: port) { client in
                let body = RequestBodyParts(length: 10) {
                    switch source {
                    case .throwing: throw Broken()
                    case .ending: nil
                    case .tooLong: ByteBuffer(repeating: 1, count: 11)
                    }
                }
                let error = await Self.failure(of: Self.upload(body), by: client)
                #expect(error == "body(\(source == .throwing ? "Broken" : "WrongBodyLength")(), true)")
                await closed.wait()
            }
        }
    }

    @Test func cancellingEndsAnUpload() async throws {
        let begun = Event()
        let closed = Event()
        try await ScriptedServer.run { connection in
            _ = try await connection.readHead()
            begun.fire()
            try await connection.untilClosed()
            closed.fire()
        } body: { port in
            try await withClient(port: port) { client in
                let body = RequestBodyParts(length: 10) {
                    await Self.forever()
                    return nil
                }
                let task = Task { await Self.failure(of: Self.upload(body), by: client) }
                await begun.wait()
                task.cancel()
                #expect(await task.value == "cancelled(true)")
                await closed.wait()
            }
        }
    }

    // MARK: - Downloads

    /// A receiver that is busy for longer than the server may be idle. A busy machine may hold up the server, too: then
    /// once more, with times that are longer.
    @Test(arguments: [false, true])
    func aSlowReceiverHoldsTheServerBack(secure: Bool) async throws {
        for idle in [Duration.seconds(2), .seconds(20), .seconds(200)] {
            if try await slowReceiver(secure: secure, idle: idle) { return }
        }
        Issue.record("the transfer timed out while its receiver was busy")
    }

    /// - Returns: false if the transfer timed out as idle.
    private func slowReceiver(secure: Bool, idle: Duration) async throws -> Bool {
        let certificates = try TestCertificates()
        let parts = 160
        let stalled = Event()
        let written = Mutex(0)
        return try await ScriptedServer.run(tls: secure ? try certificates.serverContext(for: "127.0.0.1") : nil) {
            connection in
            guard try await connection.readHead() != nil else { return }
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(parts * Self.part)\r\n\r\n")
            let chunk = ByteBuffer(repeating: 7, count: Self.part)
            for _ in 1...parts {
                // So long that the client does not read.
                let pause = TimeAmount.seconds(idle.components.seconds * 3 / 2)
                try await connection.write(chunk, noticing: pause) { stalled.fire() }
                written.withLock { $0 += 1 }
            }
            stalled.fire()
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        } body: { port in
            let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: secure)
            return try await withClient(of: endpoint, tls: try certificates.client()) { client in
                let received = Mutex(0)
                do {
                    let response = try await client.transfer(
                        Self.download(timeouts: TransferTimeouts(idle: idle)) { bytes in
                            await stalled.wait()
                            received.withLock { count in
                                if count == 0 {
                                    let ahead = written.withLock { $0 }
                                    #expect(ahead < parts / 2, "the server had sent \(ahead) of \(parts) parts")
                                }
                                #expect(bytes.count <= HTTPLimits().transferBytesHeldMax)
                                count += bytes.count
                            }
                        })
                    #expect(response.status.code == 200)
                    #expect(received.withLock { $0 } == parts * Self.part)
                    return true
                } catch HTTPTransferError.connection(let error) where error.kind == "timeout(idle, true)" {
                    return false
                }
            }
        }
    }

    @Test func aTransferMayTakeLongerThanARequest() async throws {
        let timedOut = Event()
        try await ScriptedServer.run { connection in
            guard try await connection.readHead() != nil else { return }
            // The second connection carries the request that is not answered.
            if connection.number == 1 {
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nslow")
                await timedOut.wait()
                try await connection.write("poke")
            }
            try await connection.untilClosed()
        } body: { port in
            // Time enough for the head of the transfer, also on a busy machine.
            try await withClient(port: port, timeouts: HTTPTimeouts(whole: .seconds(15))) { client in
                let received = Mutex("")
                let timeouts = TransferTimeouts(idle: .seconds(600), bytesPerSecondMin: 0)
                let response = try await client.transfer(
                    Self.download(timeouts: timeouts) { part in
                        let isFirst = received.withLock { text in
                            defer { text += String(decoding: part, as: UTF8.self) }
                            return text.isEmpty
                        }
                        guard isFirst else { return }
                        // Its time-out began later: that of the transfer would have come before it.
                        let error = try await client.failure()
                        #expect(error.kind == "timeout(whole, true)")
                        timedOut.fire()
                    })
                #expect(response.status.code == 200)
                #expect(received.withLock { $0 } == "slowpoke")
            }
        }
    }

    @Test func anErrorsBodyIsReturnedNotReceived() async throws {
        try await ScriptedServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone")
        } body: { port in
            try await withClient(port: port) { client in
                let response = try await client.transfer(Self.download { _ in Issue.record("received") })
                #expect(response.text == "gone")
            }
        }
    }

    @Test func aDownloadThatStandsStillIsIdle() async throws {
        try await ScriptedServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
            try await connection.untilClosed()
        } body: { port in
            try await withClient(port: port) { client in
                let received = Mutex("")
                let timeouts = TransferTimeouts(idle: .milliseconds(100))
                let transfer = Self.download(timeouts: timeouts) { bytes in
                    received.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                }
                #expect(await Self.failure(of: transfer, by: client) == "timeout(idle, true)")
                #expect(received.withLock { $0 } == "half")
            }
        }
    }

    @Test func aCutDownloadIsTruncated() async throws {
        try await ScriptedServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        } body: { port in
            try await withClient(port: port) { client in
                #expect(await Self.failure(of: Self.download { _ in }, by: client) == "truncated")
            }
        }
    }

    @Test func aReceiverThatFailsEndsTheRequest() async throws {
        struct Full: Error {}
        let closed = Event()
        try await ScriptedServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
            try await connection.untilClosed()
            closed.fire()
        } body: { port in
            try await withClient(port: port) { client in
                let error = await Self.failure(of: Self.download { _ in throw Full() }, by: client)
                #expect(error == "body(Full(), true)")
                await closed.wait()
            }
        }
    }
}
