import CausewayGzip
import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Dispatch
import NIOHTTP1
import Synchronization
import Testing

/// Bodies in the coding `gzip`, in both directions.
@Suite struct CodingTests {
    private static let gzip: HTTPHeaders = ["Content-Encoding": "gzip"]

    private func compressed(_ bytes: [UInt8]) throws -> [UInt8] { try #require(Gzip.compressed(bytes)) }

    @Test func aCompressedDeliveryIsApplied() async throws {
        try await HubFixture.running { hub in
            let session = try await hub.client.get(WireProtocol.sessionPath)
            #expect(session.headers.first(name: "Accept-Encoding") == "gzip")
            let body = try compressed(HubClient.coded(delivery((1...50).map { send($0) })))
            let response = try await hub.client.send(.POST, WireProtocol.deliveriesPath, body, headers: Self.gzip)
            #expect(response.status == 200)
            #expect(try response.decoded(WireReport.self).results.count == 50)
            #expect(try await hub.client.messages().count == 50)
        }
    }

    @Test func aResponseIsCompressedForThoseWhoTakeIt() async throws {
        try await HubFixture.running { hub in
            _ = try await hub.client.report(delivery((1...50).map { send($0) }))
            let path = WireProtocol.messagesPath("general") + "?limit=50"
            let plain = try await hub.client.get(path)
            #expect(plain.headers["Content-Encoding"].isEmpty)
            for header in [
                "gzip", "br, GZIP;q=0.5", "gzip;q=0.001", "gzip ; Q=1", "identity;q=0,\tgzip", "gzip, *;q=0",
            ] {
                let response = try await hub.client.send(.GET, path, headers: ["Accept-Encoding": header])
                #expect(response.headers["Content-Encoding"] == ["gzip"])
                #expect(response.headers["Vary"] == ["Accept-Encoding"])
                #expect(response.body.count < plain.body.count / 3)
                #expect(try Gzip.decompressed(response.body, bytesMax: .max) == plain.body)
            }
            for header in ["", "identity", "br", "gzip;q=0", "gzip;q=0.000", "GZIP; Q=0", "*", "*;q=0", "gzipped"] {
                let response = try await hub.client.send(.GET, path, headers: ["Accept-Encoding": header])
                #expect(response.body == plain.body, "\(header)")
            }
            // A small response would not become smaller.
            let session = try await hub.client.send(
                .GET, WireProtocol.sessionPath, headers: ["Accept-Encoding": "gzip"])
            #expect(session.headers["Content-Encoding"].isEmpty)
        }
    }

    /// Of a response that exists already: it waits while the turns are those of others.
    @Test func aReportIsCompressedInTheTurnOfItsAccount() async throws {
        try await HubFixture.running { hub in
            let other = try await hub.client(of: "other")
            let release = DispatchSemaphore(value: 0)
            let held = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<SQLiteHubLimits.readersMax {
                    group.addTask {
                        try await hub.storage.read { _ in
                            held.add()
                            release.wait()
                        }
                    }
                }
                defer { for _ in 0..<SQLiteHubLimits.readersMax { release.signal() } }
                try await Eventually.holds("no page can be read") { held.count == SQLiteHubLimits.readersMax }
                // More than have a turn at a time.
                for _ in 0..<16 {
                    group.addTask { _ = try await other.get(WireProtocol.messagesPath("general")) }
                }
                // Until the pages have taken all turns, a report gets one.
                var number = 0 as UInt64
                var isAnswered = true
                while isAnswered, number < 100 {
                    number += 1
                    let answers = Counter()
                    let (first, outbox) = (number * 100, number)
                    group.addTask {
                        let body = try HubClient.coded(
                            delivery((1...50).map { send($0, first + UInt64($0)) }, outbox: outbox))
                        let answer = try await hub.client.send(
                            .POST, WireProtocol.deliveriesPath, body, headers: ["Accept-Encoding": "gzip"])
                        #expect(answer.headers["Content-Encoding"] == ["gzip"])
                        answers.add()
                    }
                    // The next one of the lane, whose report is too short to be compressed.
                    let next = delivery([send(51, first + 51)], outbox: outbox)
                    try await Eventually.holds("the delivery is applied") {
                        try await hub.client.report(next).kinds == [.accepted]
                    }
                    for _ in 0..<50 { #expect(try await hub.client.get(WireProtocol.sessionPath).status == 200) }
                    isAnswered = answers.count > 0
                }
                #expect(!isAnswered)
            }
        }
    }

    @Test func invalidCodingsAreRefusedAndNothingIsApplied() async throws {
        try await HubFixture.running { hub in
            let body = try HubClient.coded(delivery([send(1)]))
            let file = try compressed(body)
            let cases: [(body: [UInt8], coding: String, status: Int, code: String)] = [
                (body, "br", 415, "codingUnsupported"), (file, "gzip, gzip", 415, "codingUnsupported"),
                (body, "gzip", 400, "codingInvalid"), (file.dropLast(), "gzip", 400, "codingInvalid"),
                (file + file, "gzip", 400, "codingInvalid"), (file + [0], "gzip", 400, "codingInvalid"),
                (Array(file[..<12]) + [file[12] ^ 255] + file[13...], "gzip", 400, "codingInvalid"),
                (try compressed([]), "gzip", 400, "jsonInvalid"), (try compressed([0x7B]), "gzip", 400, "jsonInvalid"),
            ]
            for (number, item) in cases.enumerated() {
                let response = try await hub.client.send(
                    .POST, WireProtocol.deliveriesPath, Array(item.body), headers: ["Content-Encoding": item.coding])
                #expect(response.status == item.status, "\(number)")
                #expect(response.errorCode == item.code, "\(number)")
                if item.status == 415 { #expect(response.headers.first(name: "Accept-Encoding") == "gzip") }
            }
            #expect(try await hub.client.messages().isEmpty)
            let plain = try await hub.client.send(
                .POST, WireProtocol.deliveriesPath, body, headers: ["Content-Encoding": "identity"])
            #expect(plain.status == 200)
        }
    }

    /// A few kilobytes that would be many megabytes: neither memory nor time is spent on them past the limit.
    @Test func contentOverTheLimitOfABodyIsRefused() async throws {
        try await HubFixture.running { hub in
            let bomb = try compressed([UInt8](repeating: 0x20, count: 64 * 1024 * 1024))
            #expect(bomb.count < HubLimits.requestBytesMax)
            let response = try await hub.client.send(.POST, WireProtocol.deliveriesPath, bomb, headers: Self.gzip)
            #expect(response.status == 413)
            #expect(response.errorCode == "bodyTooLarge")
            // The limit of small bodies holds for their content, too.
            let typing = try compressed([UInt8](repeating: 0x20, count: HubLimits.typingBodyBytesMax + 1))
            let signal = try await hub.client.send(
                .PUT, WireProtocol.typingPath("general"), typing, headers: Self.gzip)
            #expect(signal.status == 413)
        }
    }
}

private final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add() { value.wrappingAdd(1, ordering: .relaxed) }
}
