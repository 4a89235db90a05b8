import CausewayGzip
import CausewayHTTPTransport
import CausewayModels
import CausewayTestSupport
import CausewayTransport
import CausewayWire
import Foundation
import NIOCore
import Testing

/// Bodies in the coding `gzip`: used once the server has said that it takes them, and never a reason to fail.
@Suite struct CompressionTests {
    private static let session = #"{"user":"me","server":"test"}"#

    /// The report on 40 operations.
    private static func report() throws -> String {
        let results = (1...40).map {
            #"{"kind":"accepted","position":\#($0),"acceptedAt":1790000000000}"#
        }
        return #"{"mark":40,"results":[\#(results.joined(separator: ","))]}"#
    }

    private static func compressed(_ status: Int, _ body: String) throws -> [ScriptedHTTPServer.Step] {
        let bytes = try #require(Gzip.compressed(Array(body.utf8)))
        let head =
            "HTTP/1.1 \(status) Status\r\nContent-Length: \(bytes.count)\r\nCauseway-Protocol: 1\r\n"
            + "Content-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n"
        return [.write(head), .writeBytes(bytes)]
    }

    private static func content(of request: ScriptedHTTPServer.Request) throws -> WireDelivery {
        var bytes = Array(request.body.readableBytesView)
        if request.header("Content-Encoding") == "gzip" { bytes = try Gzip.decompressed(bytes, bytesMax: 1 << 20) }
        return try JSONDecoder().decode(WireDelivery.self, from: Data(bytes))
    }

    @Test func deliveriesAreCompressedForAServerThatTakesIt() async throws {
        let report = try Self.report()
        try await ScriptedHTTPServer.run { request in
            request.method == "GET"
                ? [.hub(200, Self.session, [("Accept-Encoding", "gzip")])] : [.hub(200, report)]
        } body: { server, port in
            let (large, small) = (try Sample.delivery(1...40), try Sample.delivery(1...1))
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                _ = try await transport.deliver(large)
                _ = try await transport.authenticate()
                _ = try await transport.deliver(large)
                _ = try? await transport.deliver(small)
            }
            let deliveries = server.requests.filter { $0.method == "POST" }
            // The first one left before the server had said anything; the last one fits into a packet anyway.
            #expect(deliveries.map { $0.header("Content-Encoding") } == [nil, "gzip", nil])
            #expect(deliveries[1].body.readableBytes < deliveries[0].body.readableBytes / 3)
            #expect(try Self.content(of: deliveries[1]) == WireDelivery(large))
            #expect(server.requests.allSatisfy { $0.header("Accept-Encoding") == "gzip" })
        }
    }

    @Test func aServerThatRefusesTheCodingGetsTheDeliveryWithoutIt() async throws {
        let report = try Self.report()
        try await ScriptedHTTPServer.run { request in
            if request.method == "GET" { return [.hub(200, Self.session, [("Accept-Encoding", "gzip")])] }
            if request.header("Content-Encoding") != nil { return [.hubError(415, "codingUnsupported")] }
            return [.hub(200, report)]
        } body: { server, port in
            let delivery = try Sample.delivery(1...40)
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                _ = try await transport.authenticate()
                for _ in 1...2 { #expect(try await transport.deliver(delivery).outcomes.count == 40) }
            }
            let deliveries = server.requests.filter { $0.method == "POST" }
            #expect(deliveries.map { $0.header("Content-Encoding") } == ["gzip", nil, nil])
            #expect(try Self.content(of: deliveries[2]) == WireDelivery(delivery))
        }
    }

    @Test func aCompressedResponseIsReadAndADamagedOneIsDoubt() async throws {
        let report = try Self.report()
        let padding = String(repeating: " ", count: WireProtocol.responseBytesMax)
        try await ScriptedHTTPServer.run { request in
            switch request.number {
            case 1: (try? Self.compressed(200, report)) ?? []
            case 2: [.hub(200, report, [("Content-Encoding", "gzip")])]
            case 3: [.hub(200, report, [("Content-Encoding", "br")])]
            case 4: (try? Self.compressed(200, report + padding)) ?? []
            default: [.hub(200, report, [("Content-Encoding", "identity")])]
            }
        } body: { _, port in
            let delivery = try Sample.delivery(1...40)
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                let first = try await transport.deliver(delivery)
                #expect(first.outcomes.count == 40)
                for number in 2...4 {
                    let error = await #expect(throws: TransportError.self) { try await transport.deliver(delivery) }
                    #expect(error?.name == "inDoubt", "\(number)")
                }
                let last = try await transport.deliver(delivery)
                #expect(last.outcomes.count == 40)
            }
        }
    }
}
