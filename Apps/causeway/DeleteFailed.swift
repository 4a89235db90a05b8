import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct DeleteFailed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-failed", abstract: "Delete all failed messages, edits and reactions, after confirmation.")

    @Option(help: "Only those of this channel.") var channel: ChannelArgument?
    @Flag(help: "Skip the confirmation.") var yes = false
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel?.id()
            if !yes {
                guard console.terminal.isInputTerminal, console.terminal.isErrorTerminal else {
                    throw ControlError(
                        .badRequest,
                        "this deletes failed messages, edits and reactions permanently; confirm with --yes")
                }
                let failed = try await route.service.status().counts.failed
                let which = channel.map { "all failed messages, edits and reactions of \($0)" } ?? failed.text("failed")
                guard console.confirm("Delete \(which) permanently?") else {
                    try console.report(ChangeReport(OperationCount())) { _ in ["Nothing was deleted"] }
                    return .ok
                }
            }
            let report = try await route.service.deleteFailed(in: channel, by: .cli)
            try console.report(report) { _ in ["Deleted \(report.operations.text())"] }
            return .ok
        }
    }
}
