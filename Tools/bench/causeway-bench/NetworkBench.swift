import ArgumentParser
import Causeway

/// The time that a backlog takes over the link to the hub: `make bench-network` calls it once for each link.
struct NetworkBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network", abstract: "Measure how a backlog drains over the link to a hub; print seconds.")

    @Option(help: "A folder on the disk to measure on.") var folder: String
    @Option(help: "The address of a hub, https://…") var hub: String
    @Option(help: "The hub's authority.") var authority: String
    @Option(help: "A file with the token of an account.") var tokenFile: String
    @Option(help: "A channel in which nobody else writes meanwhile.") var channel: String
    @Option(help: "Messages in the backlog.") var messages = 10_000
    @Option(help: "Batches of the lane that may be under way at once.") var inFlight = OutboxConfiguration()
        .deliveriesInFlightMax

    func run() async throws {
        let server = try BenchServer(address: hub, authority: authority, tokenFile: tokenFile, channel: channel)
        let benchmark = BacklogBenchmark(server: server, stores: StoreFolders(parent: folder))
        var configuration = ClientConfiguration()
        configuration.outbox.deliveriesInFlightMax = inFlight
        print(Figure.exactRatio(try await benchmark.cost(of: messages, configuration) * Double(messages)))
    }
}
