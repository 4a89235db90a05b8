import ArgumentParser
import Causeway
import CausewayControl

struct Resend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put failed messages back into the queue, in their old order, under their old ids.",
        discussion: "Messages that have not failed are left alone and told; the exit status is then 2.")

    @Argument(help: "The messages' ids.") var ids: [MessageArgument] = []
    @Flag(help: "All failed messages.") var all = false
    @Option(help: "With --all: only this channel's.") var channel: ChannelArgument?
    @OptionGroup var options: CommandOptions

    func validate() throws {
        if all == !ids.isEmpty { throw ValidationError("Name messages, or all of them with --all.") }
        if channel != nil, !all { throw ValidationError("--channel belongs to --all.") }
    }

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            if all {
                let report = try await route.service.resendFailed(in: try channel?.id())
                try console.answer(report) { _ in ["\(Counted.messages(report.count)) back in the queue"] }
                return .ok
            }
            let ids = try ids.ids()
            let report = try await Chosen.report(ids) { ids throws(ControlError) in
                try await route.service.resend(ids)
            }
            try console.answer(report) { _ in
                report.count == 0 ? [] : ["\(Counted.messages(report.count)) back in the queue"]
            }
            return Chosen.status(report, of: ids, "had not failed, or is not there", console)
        }
    }
}
