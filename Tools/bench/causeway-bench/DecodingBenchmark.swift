import CausewayModels
import CausewayWire
import Foundation

/// The cost of reading a delivery, compared with a parse of the same bytes that discards the result: an operation must
/// not cost more the more values its content holds.
struct DecodingBenchmark {
    private static let rounds = 15
    /// The limit above the parse, for each byte.
    private static let nanosecondsMax = 20.0

    private struct Costs {
        var parse: [Double] = []
        var decode: [Double] = []
        /// A parse by Foundation, for comparison.
        var foundation: [Double] = []

        var surplus: Double { zip(decode, parse).map { $0 - $1 }.median }
    }

    func run() throws -> [Goal] {
        var table = Table("decoding, ns a byte", "bytes", "Foundation's parse", "parse", "decoded", "more", "goal")
        var goals: [Goal] = []
        for (name, content) in Self.contents {
            let body = Self.delivery(content)
            let costs = try measure(body)
            let goal = Goal(
                name: "decoding \(name) above a parse, ns a byte", ratio: costs.surplus,
                bound: .atMost(Self.nanosecondsMax))
            table.add(
                name, Figure.grouped(body.count), Figure.ratio(costs.foundation.median),
                Figure.ratio(costs.parse.median), Figure.ratio(costs.decode.median), Figure.ratio(costs.surplus),
                goal.verdict)
            goals.append(goal)
        }
        table.show()
        return goals
    }

    private func measure(_ body: [UInt8]) throws -> Costs {
        var costs = Costs()
        let data = Data(body)
        for _ in 0..<Self.rounds {
            costs.foundation.append(try cost(body) { _ = try JSONSerialization.jsonObject(with: data) })
            costs.parse.append(try cost(body) { _ = try JSONParser.parse(body) })
            costs.decode.append(
                try cost(body) {
                    guard !(try JSONCoding.decode(WireDelivery.self, from: body)).operations.isEmpty else {
                        throw BenchError("the delivery is empty")
                    }
                })
        }
        return costs
    }

    /// Nanoseconds for each byte.
    private func cost(_ body: [UInt8], _ work: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(work).seconds * 1e9 / Double(body.count)
    }

    // MARK: - Input

    /// Short texts; and contents of very many very small values, which a hostile client would send.
    private static var contents: [(String, String)] {
        let values = { (one: String, count: Int) in
            let all = repeatElement(one, count: count).joined(separator: ",")
            return "{\"v\":1,\"type\":\"custom\",\"data\":{\"a\":[\(all)]}}"
        }
        return [
            ("texts", "{\"v\":1,\"type\":\"text\",\"text\":\"The tide is out: shall we walk over after lunch?\"}"),
            ("numbers", values("1", 2000)), ("empty objects", values("{}", 2000)),
            ("nested arrays", values("[[[1]]]", 1000)),
        ]
    }

    /// About half a megabyte of one content, repeated.
    private static func delivery(_ content: String) -> [UInt8] {
        let operation = { (number: Int) in
            "{\"kind\":\"send\",\"sequence\":\(number),\"previous\":\(number - 1),\"id\":\"\(UUID())\","
                + "\"channel\":\"general\",\"createdAt\":1,\"content\":\(content)}"
        }
        let count = max(1, 500_000 / operation(1).utf8.count)
        let operations = (1...count).map(operation).joined(separator: ",")
        return Array("{\"outbox\":\"\(UUID())\",\"epoch\":1,\"lane\":\"text\",\"operations\":[\(operations)]}".utf8)
    }
}
