import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct Resend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put failed messages, edits and reactions back into the queue, in order, with their ids unchanged.",
        discussion: "Those that have not failed are skipped and reported; the exit status is then 2.")

    @Argument(help: "The messages' ids.") var ids: [MessageArgument] = []
    @Flag(help: "All that failed.") var all = false
    @Option(help: "With --all: only messages of this channel.") var channel: ChannelArgument?
    @OptionGroup var options: CommandOptions

    func validate() throws {
        if all == !ids.isEmpty { throw ValidationError("Give message ids, or --all.") }
        if channel != nil, !all { throw ValidationError("--channel requires --all.") }
    }

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            if all {
                let report = try await route.service.resendFailed(in: try channel?.id())
                try console.report(report) { _ in ["\(report.operations.text()) back in the queue"] }
                return .ok
            }
            let ids = try ids.ids()
            let change = try await BatchedChange.of(ids) { ids throws(ControlError) in
                try await route.service.resend(ids)
            }
            return try change.print(
                { "\($0.text()) back in the queue" }, unchanged: "has not failed, or does not exist", console)
        }
    }
}
