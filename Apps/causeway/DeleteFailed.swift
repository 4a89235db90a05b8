import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct DeleteFailed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-failed", abstract: "Delete all failed messages, edits and reactions, after confirmation.")

    @Option(help: "Only messages of this channel.") var channel: ChannelArgument?
    @Flag(help: "Skip the confirmation.") var yes = false
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel?.id()
            if !yes {
                guard console.terminal.isInputTerminal, console.terminal.isErrorTerminal else {
                    throw ControlError(.badRequest, "this deletes messages permanently; confirm with --yes")
                }
                let count = try await route.service.status().counts.error
                let which = channel.map { " of \($0)" } ?? ", \(count) in all,"
                guard console.confirm("Delete the failed messages\(which) permanently?") else {
                    try console.report(ChangeReport(count: 0)) { _ in ["Nothing was deleted"] }
                    return .ok
                }
            }
            let report = try await route.service.deleteFailed(in: channel, by: .cli)
            try console.report(report) { _ in ["Deleted \(Counted.messages(report.count))"] }
            return .ok
        }
    }
}
