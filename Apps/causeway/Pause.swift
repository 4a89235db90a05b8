import ArgumentParser

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Stop sending until `causeway resume` or the daemon's restart; new messages are still accepted.")

    @OptionGroup var options: CommandOptions

    func run() async throws { try await options.setPaused(true) }
}
