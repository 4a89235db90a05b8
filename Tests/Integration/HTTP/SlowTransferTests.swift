import CausewayHTTP
import CausewayTLS
import CausewayTestSupport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Uploads whose parts take long to leave: a part is one write, and what has left of it is seen in the middle.
@Suite(.timeLimit(.minutes(10))) struct SlowTransferTests {
    /// The whole body. Much more than the system holds of a connection.
    private static let part = 4 * 1024 * 1024
    /// The bytes that the server reads at a time.
    private static let step = 64 * 1024

    private static func upload(
        idle: Duration, interim: @escaping @Sendable (HTTPInterimResponse) -> Void = { _ in }
    ) -> HTTPTransfer {
        HTTPTransfer(
            HTTPClientRequest(method: .patch, path: "/"),
            body: RequestBodyParts(length: Int64(part)) { ByteBuffer(repeating: 7, count: part) },
            timeouts: TransferTimeouts(idle: idle, bytesPerSecondMin: 0), interim: interim)
    }

    /// A part takes four idle times, and some of it leaves in each. A busy machine may hold up the server: then once
    /// more, with times that are longer.
    @Test(arguments: [false, true])
    func aServerThatReadsSlowlyIsWaitedFor(secure: Bool) async throws {
        for milliseconds in [500, 4_000, 32_000] {
            if try await isWaitedFor(secure: secure, idle: milliseconds) { return }
        }
        Issue.record("the transfer timed out although it moved")
    }

    /// - Returns: false if the transfer timed out as idle.
    private func isWaitedFor(secure: Bool, idle milliseconds: Int) async throws -> Bool {
        let certificates = try TestCertificates()
        let pause = milliseconds * 4 / (Self.part / Self.step)
        return try await ScriptedServer.run(
            tls: secure ? try certificates.serverContext(for: "127.0.0.1") : nil, bytesPerRead: Self.step
        ) { connection in
            guard let head = try await connection.readHead() else { return }
            var left = head.contentLength
            while left > 0 {
                try await pace(pause)
                let count = try await connection.readBody(min(left, Self.step)).count
                guard count > 0 else { return }
                left -= count
            }
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        } body: { port in
            let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: secure)
            return try await withClient(of: endpoint, tls: try certificates.client()) { client in
                do {
                    let response = try await client.transfer(Self.upload(idle: .milliseconds(milliseconds)))
                    #expect(response.status.code == 200)
                    return true
                } catch HTTPTransferError.connection(let error) where error.kind == "timeout(idle, true)" {
                    return false
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func aServerThatStopsReadingInTheMiddleOfAPartIsIdle(secure: Bool) async throws {
        let certificates = try TestCertificates()
        try await ScriptedServer.run(
            tls: secure ? try certificates.serverContext(for: "127.0.0.1") : nil, bytesPerRead: Self.step
        ) { connection in
            guard try await connection.readHead() != nil else { return }
            _ = try await connection.readBody(Self.part / 2)
            try await connection.untilClosed()
        } body: { port in
            let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: secure)
            try await withClient(of: endpoint, tls: try certificates.client()) { client in
                do {
                    let response = try await client.transfer(Self.upload(idle: .milliseconds(500)))
                    Issue.record("responded: \(response.status.code)")
                } catch HTTPTransferError.connection(let error) {
                    #expect(error.kind == "timeout(idle, true)")
                }
            }
        }
    }

    /// A server that reports how far it came, for a part that has not left as a whole.
    @Test(arguments: [false, true])
    func aPartHasAsManyInterimResponsesAsItNeeds(secure: Bool) async throws {
        let certificates = try TestCertificates()
        let count = Self.part / Self.step
        let reported = Mutex(0)
        try await ScriptedServer.run(
            tls: secure ? try certificates.serverContext(for: "127.0.0.1") : nil, bytesPerRead: Self.step
        ) { connection in
            guard try await connection.readHead() != nil else { return }
            for _ in 1...count {
                _ = try await connection.readBody(Self.step)
                try await connection.write("HTTP/1.1 104 Upload Resumption Supported\r\n\r\n")
            }
            try await connection.write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        } body: { port in
            let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: secure)
            var limits = HTTPLimits()
            limits.transferInterimBytes = Self.step
            try await withClient(of: endpoint, tls: try certificates.client(), limits: limits) { client in
                let response = try await client.transfer(
                    Self.upload(idle: .seconds(600)) { _ in reported.withLock { $0 += 1 } })
                #expect(response.status.code == 201)
            }
        }
        #expect(reported.withLock { $0 } == count)
    }
}
