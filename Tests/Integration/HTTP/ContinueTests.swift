import CausewayHTTP
import CausewayTestSupport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Bodies that wait until the server wants them (RFC 9110 §10.1.1).
@Suite(.timeLimit(.minutes(10))) struct ContinueTests {
    private static let text = "the body"
    /// Enough for both orders: the body asks first, or the connection is there first.
    private static let transfers = 300

    /// A body, and how often it was begun to be sent.
    private final class Body: Sendable {
        private let stored = Mutex(0)

        var begun: Int { stored.withLock { $0 } }

        func upload(wait: Duration = forever, _ next: (@Sendable () throws -> ByteBuffer)? = nil) -> HTTPTransfer {
            let body = RequestBodyParts(length: Int64(text.utf8.count)) { try next?() ?? ByteBuffer(string: text) }
            var transfer = ContinueTests.upload(body, wait: wait)
            transfer.bodyBegan = { self.stored.withLock { $0 += 1 } }
            return transfer
        }
    }

    /// A wait that is over in no test.
    private static let forever = Duration.seconds(3600)

    private static func upload(_ body: RequestBodyParts?, wait: Duration = forever) -> HTTPTransfer {
        HTTPTransfer(
            HTTPClientRequest(method: .post, path: "/"), body: body, timeouts: TransferTimeouts(continueWait: wait),
            awaitsContinue: true)
    }

    @Test(arguments: ["HTTP/1.1 100 Continue", "HTTP/1.1 104 Upload Resumption Supported"])
    func aBodyIsSentOnceTheServerWantsIt(interim: String) async throws {
        let body = Body()
        let log = Log()
        try await ScriptedServer.run { connection in
            while let head = try await connection.readHead() {
                log.add("\(head.text.contains("\r\nexpect: 100-continue")) \(body.begun)")
                try await connection.write("\(interim)\r\n\r\n")
                log.add(String(decoding: try await connection.readBody(head.contentLength), as: UTF8.self))
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        } body: { port in
            try await withClient(port: port) { client in
                for _ in 0..<Self.transfers {
                    let response = try await client.transfer(body.upload())
                    #expect(response.status.code == 200)
                }
            }
        }
        // On the same connection, which is kept.
        #expect(log.lines == (0..<Self.transfers).flatMap { ["true \($0)", Self.text] })
    }

    @Test(arguments: [200, 413, 417])
    func aResponseInsteadIsTheResponse(status: Int) async throws {
        let body = Body()
        let log = Log()
        try await ScriptedServer.run { connection in
            guard try await connection.readHead() != nil else { return }
            // Anything else than these two says nothing about the body.
            try await connection.write("HTTP/1.1 103 Early Hints\r\n\r\n")
            try await connection.write("HTTP/1.1 \(status) Status\r\nContent-Length: 0\r\n\r\n")
            log.add("\(try await connection.readBody(1).count)")
        } body: { port in
            try await withClient(port: port) { client in
                let response = try await client.transfer(body.upload())
                #expect(response.status.code == status)
            }
        }
        #expect(body.begun == 0)
        #expect(log.lines == ["0"], "the connection is closed, because its request has no end")
    }

    /// A body that cannot be read is no error where it is not wanted, and one where it is.
    @Test(arguments: [false, true]) func aSourceThatFailsMattersOnceItsBodyIsWanted(isWanted: Bool) async throws {
        struct Unreadable: Error {}
        let wasRead = Event()
        let body = Body()
        try await ScriptedServer.run { connection in
            guard try await connection.readHead() != nil else { return }
            await wasRead.wait()
            if isWanted { try await connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
            if !isWanted { try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
            try await connection.untilClosed()
        } body: { port in
            try await withClient(port: port) { client in
                let upload = body.upload {
                    wasRead.fire()
                    throw Unreadable()
                }
                do throws(HTTPTransferError) {
                    let response = try await client.transfer(upload)
                    #expect(response.status.code == 200 && !isWanted)
                } catch {
                    guard case .body(is Unreadable, _) = error, isWanted else {
                        Issue.record("\(error)")
                        return
                    }
                }
            }
        }
        #expect(body.begun == 0)
    }

    @Test func aServerThatSaysNothingGetsTheBody() async throws {
        let body = Body()
        try await ScriptedServer.run { connection in
            guard let head = try await connection.readHead() else { return }
            let received = try await connection.readBody(head.contentLength)
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(received.count)\r\n\r\n")
            try await connection.write(String(decoding: received, as: UTF8.self))
        } body: { port in
            try await withClient(port: port) { client in
                let response = try await client.transfer(body.upload(wait: .milliseconds(50)))
                #expect(response.text == Self.text)
            }
        }
    }

    /// Nothing would follow: such a request must not expect anything.
    @Test func anEmptyBodyWaitsForNothing() async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            while let head = try await connection.readHead() {
                log.add("\(head.text.contains("expect"))")
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        } body: { port in
            try await withClient(port: port) { client in
                for body in [RequestBodyParts(length: 0) { nil }, nil] {
                    let response = try await client.transfer(Self.upload(body))
                    #expect(response.status.code == 200)
                }
            }
        }
        #expect(log.lines == ["false", "false"])
    }

    @Test func aConnectionThatEndsMeanwhileEndsTheTransfer() async throws {
        let body = Body()
        try await ScriptedServer.run { connection in
            _ = try await connection.readHead()
        } body: { port in
            try await withClient(port: port) { client in
                do throws(HTTPTransferError) {
                    let response = try await client.transfer(body.upload())
                    Issue.record("responded: \(response.status.code)")
                } catch {
                    guard case .connection(let problem) = error else {
                        Issue.record("\(error)")
                        return
                    }
                    #expect(problem.kind == "connectionClosed(true)")
                }
            }
        }
        #expect(body.begun == 0)
    }

    @Test func aCallerThatLeavesEndsTheWait() async throws {
        let body = Body()
        let isThere = Event()
        try await ScriptedServer.run { connection in
            _ = try await connection.readHead()
            isThere.fire()
            try await connection.untilClosed()
        } body: { port in
            try await withClient(port: port) { client in
                let upload = Task { try await client.transfer(body.upload()) }
                await isThere.wait()
                upload.cancel()
                let result = await upload.result
                #expect(throws: HTTPTransferError.self) { try result.get() }
            }
        }
        #expect(body.begun == 0)
    }
}
