import CausewayHTTPTransport
import CausewayModels
import CausewayTestSupport
import CausewayTransport
import CausewayWire
import Foundation
import NIOCore
import Testing

/// The requests that are sent.
@Suite struct RequestTests {
    @Test func everyRequestCarriesTheToken() async throws {
        try await ScriptedHTTPServer.run { _ in
            [.hubError(500, "internal")]
        } body: { server, port in
            let configuration = HTTPTransportConfiguration(timeouts: .unhurried, proxy: .none, userAgent: "test/1")
            try await withTransport(to: "http://127.0.0.1:\(port)/base/", configuration) { transport in
                for call in Exchange.allCases { _ = try await call.outcome(on: transport) }
                let channel = try Sample.channel("a@b:c")
                _ = try? await transport.messages(RemoteQuery(channel: channel, range: .after(position: 7), limit: 3))
                _ = try? await transport.messages(RemoteQuery(channel: channel, range: .before(position: 9), limit: 3))
                for filter in [
                    MessageFilter(type: .unknown("a&b"), parent: .noParent),
                    MessageFilter(parent: .parent(Sample.message(1))),
                    MessageFilter(includingTags: ["b&c", "a"], excludingTags: ["é"]),
                    MessageFilter(includingTags: [""]),
                    MessageFilter(type: .unknown("")),
                    MessageFilter(type: .unknown(String(repeating: "x", count: Limits.messageTypeBytesMax + 1))),
                ] {
                    let query = RemoteQuery(channel: channel, range: .newest, limit: 3, filter: filter)
                    _ = try? await transport.messages(query)
                }
                _ = try? await transport.changes(
                    RemoteChangesQuery(
                        channel: channel, cursor: "0f-1", from: 2, through: 5, isOpen: true, limit: 3))
            }
            #expect(
                server.requests.map { "\($0.method) \($0.path)" } == [
                    "GET /base/v1/session", "POST /base/v1/deliveries",
                    "GET /base/v1/channels/general/messages?limit=10",
                    "GET /base/v1/messages/\(Sample.message(1))",
                    "GET /base/v1/channels/a@b:c/messages?limit=3&after=7",
                    "GET /base/v1/channels/a@b:c/messages?limit=3&before=9",
                    "GET /base/v1/channels/a@b:c/messages?limit=3&type=a%26b&parent=none",
                    "GET /base/v1/channels/a@b:c/messages?limit=3&parent=\(Sample.message(1))",
                    "GET /base/v1/channels/a@b:c/messages?limit=3&includingTag=a&includingTag=b%26c"
                        + "&excludingTag=%C3%A9",
                    "GET /base/v1/channels/a@b:c/changes?limit=3&since=0f-1&from=2&through=5&open=1",
                ])
            for request in server.requests {
                #expect(request.header("Authorization") == "Bearer \(Sample.tokenText)")
                #expect(request.header("User-Agent") == "test/1")
                #expect(request.header("Accept") == "application/json")
                #expect(request.header("Content-Type") == (request.method == "POST" ? "application/json" : nil))
            }
            #expect(server.connectionCount == 1, "kept")
        }
    }

    @Test func aDeliveryArrivesAsItIs() async throws {
        var delivery = try Sample.delivery(1...4, epoch: 7)
        delivery.operations[1].body = .fence(Sample.message(2))
        delivery.operations[2].body = .delete(Sample.message(3))
        let custom = JSONValue.object(["a/b": .array([.null, .integer(.max), .string("\u{0}\"ö\u{1F600}</script>")])])
        delivery.operations[3].body = .send(
            Sample.message(4), channel: try Sample.channel(), content: .custom(custom),
            createdAt: Timestamp(milliseconds: 4))
        try await ScriptedHTTPServer.run { _ in
            [.hubError(500, "internal")]
        } body: { server, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                _ = try? await transport.deliver(delivery)
            }
            let body = try #require(server.requests.first?.body)
            let sent = try JSONDecoder().decode(WireDelivery.self, from: Data(body.readableBytesView))
            #expect(sent == WireDelivery(delivery))
        }
    }

    @Test func whatJSONCannotCarryIsNotSent() async throws {
        var delivery = try Sample.delivery()
        delivery.operations[0].body = .send(
            Sample.message(1), channel: try Sample.channel(), content: .custom(.object(["a": .double(.nan)])),
            createdAt: Timestamp(milliseconds: 1))
        try await expectUnsent(delivery, "refused(unsendable)")
    }

    @Test func whatIsTooLargeForAnyServerIsNotSent() async throws {
        var delivery = try Sample.delivery(1...40)
        for index in delivery.operations.indices {
            delivery.operations[index].body = .send(
                Sample.message(index), channel: try Sample.channel(),
                content: .text(String(repeating: "x", count: Limits.textBytesMax)),
                createdAt: Timestamp(milliseconds: 1))
        }
        try await expectUnsent(delivery, "refused(bodyTooLarge)")
    }

    private func expectUnsent(_ delivery: Delivery, _ expected: String) async throws {
        try await ScriptedHTTPServer.run { _ in
            []
        } body: { server, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                let error = await #expect(throws: TransportError.self) { try await transport.deliver(delivery) }
                #expect(error?.name == expected)
                #expect(server.connectionCount == 0)
            }
        }
    }

    /// The largest batch of an outbox, of the characters with the longest JSON escapes, is within a server's limits.
    @Test func theLargestBatchFits() async throws {
        let bytes = Limits.batchBytesMax / Limits.batchOperationsMax
        var delivery = try Sample.delivery(1...Limits.batchOperationsMax)
        let channel = try #require(ChannelID(String(repeating: "c", count: Limits.nameBytesMax)))
        for index in delivery.operations.indices {
            delivery.operations[index].body = .send(
                Sample.message(index), channel: channel, content: .text(String(repeating: "\u{1}", count: bytes)),
                createdAt: Timestamp(milliseconds: .max))
        }
        try await ScriptedHTTPServer.run { _ in
            [.hubError(500, "internal")]
        } body: { server, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                let error = await #expect(throws: TransportError.self) { try await transport.deliver(delivery) }
                #expect(error?.name == "serverFailed(internal)")
                let sent = server.requests.first?.body.readableBytes ?? 0
                #expect(sent > Limits.batchBytesMax * 6)
                #expect(sent <= WireProtocol.requestBytesMax)
            }
        }
    }

    /// 100,000 messages in full batches, one after the other, over one connection.
    @Test func aLongBacklogGoesThrough() async throws {
        let total = 100_000
        try await ScriptedHTTPServer.run { request in
            guard
                let delivery = try? JSONDecoder().decode(WireDelivery.self, from: Data(request.body.readableBytesView))
            else { return [.close] }
            let results = delivery.operations.map { #"{"kind":"accepted","position":\#($0.sequence),"acceptedAt":1}"# }
            let mark = delivery.operations.last?.sequence ?? 0
            return [.hub(200, #"{"mark":\#(mark),"results":[\#(results.joined(separator: ","))]}"#)]
        } body: { server, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                var first = 1
                while first <= total {
                    let last = min(total, first + Limits.batchOperationsMax - 1)
                    let report = try await transport.deliver(try Sample.delivery(first...last))
                    #expect(report.mark == Int64(last))
                    first = last + 1
                }
            }
            #expect(server.requests.count == (total + Limits.batchOperationsMax - 1) / Limits.batchOperationsMax)
            #expect(server.connectionCount == 1)
        }
    }
}
