import Causeway
import CausewaySQLiteStorage

/// The time that a backlog takes from the moment it may be sent until its last message is on the hub and confirmed,
/// over TLS; in batches, and for comparison with one message for each request.
struct BacklogBenchmark {
    private static let rounds = 3
    private static let shortRunsPerRound = 3
    private static let creators = 256

    let server: BenchServer
    let stores: StoreFolders

    /// Seconds for each message.
    private struct Costs {
        var thousand: [Double] = []
        var tenThousand: [Double] = []
        var hundredThousand: [Double] = []
        var oneAtATime: [Double] = []
        /// The same by a client that does not follow the events that its messages cause.
        var unfollowed: [Double] = []
        /// Cost at 100,000 over that at 1,000, of each round.
        var growths: [Double] = []
        var gains: [Double] = []
    }

    func run() async throws -> [Goal] {
        var costs = Costs()
        _ = try await cost(of: 1000)
        for _ in 0..<Self.rounds {
            var short: [Double] = []
            for _ in 0..<Self.shortRunsPerRound { short.append(try await cost(of: 1000)) }
            costs.tenThousand.append(try await cost(of: 10_000))
            let long = try await cost(of: 100_000)
            let single = try await cost(of: 1000, operationsMax: 1)
            costs.unfollowed.append(try await cost(of: 1000, operationsMax: 1, followsEvents: false))
            costs.thousand += short
            costs.hundredThousand.append(long)
            costs.oneAtATime.append(single)
            costs.growths.append(long / short.median)
            costs.gains.append(single / short.median)
        }
        let goal = Goal(
            name: "cost of a message at 100,000 over that at 1,000", ratio: costs.growths.median, bound: .atMost(1.1))
        show(costs, goal)
        return [goal]
    }

    private func show(_ costs: Costs, _ goal: Goal) {
        var table = Table("backlog to synced, over TLS", "messages/s", "µs each", "beside 1,000", "goal")
        func add(_ name: String, _ cost: [Double], _ ratio: String, _ verdict: String) {
            table.add(name, Figure.count(1 / cost.median), Figure.microseconds(cost.median), ratio, verdict)
        }
        add("1,000", costs.thousand, "1.00", "-")
        add(
            "10,000", costs.tenThousand, Figure.ratio(costs.tenThousand.median / costs.thousand.median), "-")
        add("100,000", costs.hundredThousand, Figure.ratio(goal.ratio), goal.verdict)
        add("1,000, one at a time", costs.oneAtATime, Figure.ratio(costs.gains.median), "-")
        add(
            "the same, without events", costs.unfollowed, Figure.ratio(costs.unfollowed.median / costs.thousand.median),
            "-")
        table.show()
    }

    private func cost(
        of count: Int, operationsMax: Int? = nil, followsEvents: Bool = true
    ) async throws -> Double {
        var configuration = ClientConfiguration()
        configuration.followsEvents = followsEvents
        if let operationsMax {
            configuration.outbox.batchOperationsMax = operationsMax
            configuration.outbox.deliveriesInFlightMax = 1
        }
        return try await cost(of: count, configuration)
    }

    /// Creates messages while sending is paused, and measures from the end of the pause on.
    ///
    /// - Returns: seconds for each message.
    func cost(of count: Int, _ configuration: ClientConfiguration) async throws -> Double {
        try await stores.with { folder in
            try await server.withPausedClient(in: folder, .full, configuration: configuration) { client in
                let start = try await server.lastPosition()
                let clock = ContinuousClock()
                let beginning = clock.now
                let handles = try await backlog(of: count, client)
                let created = clock.now
                let time = try await clock.measure {
                    try await client.resume()
                    _ = try await handles[count - 1].delivered()
                }
                let left = try await client.status().counts.undelivered
                guard left == 0 else { throw BenchError("the last of \(count) is delivered, and \(left) others not") }
                try await check(handles.map(\.message), on: server.messages(after: start))
                let isSingle = configuration.outbox.batchOperationsMax == 1
                CausewayBench.progress(
                    "\(Figure.grouped(count)) messages\(isSingle ? " one at a time" : ""): "
                        + "created in \(Figure.seconds(created - beginning)), synced in \(Figure.seconds(time)), "
                        + "read back in \(Figure.seconds(clock.now - created - time))")
                return time.seconds / Double(count)
            }
        }
    }

    /// Creates messages in one lane while sending is paused; returned in the order of the lane.
    private func backlog(of count: Int, _ client: CausewayClient) async throws -> [MessageHandle] {
        let messages = client.messages
        let channel = server.channel
        let handles = try await withThrowingTaskGroup(of: [MessageHandle].self) { group in
            for creator in 0..<Self.creators {
                group.addTask {
                    var handles: [MessageHandle] = []
                    for number in stride(from: creator, to: count, by: Self.creators) {
                        handles.append(
                            try await messages.createTextMessage("Message \(number) waits for the tide.", in: channel))
                    }
                    return handles
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let waiting = try await client.status().counts.undelivered
        guard waiting == count else { throw BenchError("\(count) were created while paused, and \(waiting) wait") }
        return handles.sorted { $0.message.laneSequence < $1.message.laneSequence }
    }

    /// Checks that every created message is on the hub, once, in the order of the lane, with its content.
    private func check(_ created: [Message], on hub: [RemoteMessage]) throws {
        guard hub.count == created.count else {
            throw BenchError("\(created.count) messages were created, and the hub has \(hub.count)")
        }
        for (message, placed) in zip(created, hub)
        where placed.id != message.id || placed.content != message.content {
            throw BenchError("message \(message.id) is not in its place on the hub: \(placed.id) is there")
        }
    }
}
