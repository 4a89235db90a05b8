import ArgumentParser
import Causeway

/// The hub at the other end of the link, and the place of the stores.
struct NetworkOptions: ParsableArguments {
    @Option(help: "A folder on the disk to measure on.") var folder: String
    @Option(help: "The address of a hub, https://…") var hub: String
    @Option(help: "The hub's authority.") var authority: String
    @Option(help: "A file with the token of an account.") var tokenFile: String
    @Option(help: "A channel in which nobody else writes meanwhile.") var channel: String

    func server() throws -> BenchServer {
        try BenchServer(address: hub, authority: authority, tokenFile: tokenFile, channel: channel)
    }
}

/// The time that a backlog takes over the link to the hub: `make bench-network` calls it once for each link.
struct NetworkBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network", abstract: "Measure how a backlog drains over the link to a hub; print seconds.")

    @OptionGroup var options: NetworkOptions
    @Option(help: "Messages in the backlog.") var messages = 10_000
    @Option(help: "Batches of the lane that may be under way at once.") var inFlight = OutboxConfiguration()
        .deliveriesInFlightMax

    func run() async throws {
        let benchmark = BacklogBenchmark(server: try options.server(), stores: StoreFolders(parent: options.folder))
        var configuration = ClientConfiguration()
        configuration.outbox.deliveriesInFlightMax = inFlight
        print(Figure.exactRatio(try await benchmark.cost(of: messages, configuration) * Double(messages)))
    }
}

/// The time from the creation of a single message until it is synced, when nothing else is under way.
struct SingleMessageBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "single-message", abstract: "Measure how long single messages take; print median seconds.")

    @OptionGroup var options: NetworkOptions
    @Option(help: "Messages; each is followed by a pause of three times as long.") var messages = 25

    func run() async throws {
        let server = try options.server()
        try await StoreFolders(parent: options.folder).with { folder in
            try await server.withPausedClient(in: folder, .full) { client in
                try await client.resume()
                let clock = ContinuousClock()
                var times: [Double] = []
                for number in 1...messages {
                    let time = try await clock.measure {
                        let text = "Message \(number)"
                        _ = try await client.messages.createTextMessage(text, in: server.channel).delivered()
                    }
                    times.append(time.seconds)
                    // Long enough for its event, and the request for the next ones.
                    try await Task.sleep(for: time * 3)
                }
                let (best, worst) = (times.min() ?? 0, times.max() ?? 0)
                CausewayBench.progress(
                    "single messages: \(Figure.milliseconds(best)) to \(Figure.milliseconds(worst)), "
                        + "median \(Figure.milliseconds(times.median))")
                print(Figure.exactRatio(times.median))
            }
        }
    }
}
