import ArgumentParser
import Causeway
import CausewayControl

struct DeleteFailed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-failed", abstract: "Delete all failed messages; asks first on a terminal.")

    @Option(help: "Only this channel's.") var channel: ChannelArgument?
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel?.id()
            if !yes {
                guard console.terminal.isInputTerminal, console.terminal.isErrorTerminal else {
                    throw ControlError(.badRequest, "this deletes messages for good; say --yes")
                }
                let count = try await route.service.status().counts.error
                let which = channel.map { " of \($0)" } ?? ", \(count) in all,"
                guard console.confirm("Delete the failed messages\(which) for good?") else {
                    try console.answer(ChangeReport(count: 0)) { _ in ["Nothing was deleted"] }
                    return .ok
                }
            }
            let report = try await route.service.deleteFailed(in: channel, by: .cli)
            try console.answer(report) { _ in ["Deleted \(Counted.messages(report.count))"] }
            return .ok
        }
    }
}
