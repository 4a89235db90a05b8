import ArgumentParser

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Resume sending.")

    @OptionGroup var options: CommandOptions

    func run() async throws { try await options.setPaused(false) }
}
