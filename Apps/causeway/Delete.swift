import ArgumentParser
import Causeway
import CausewayControlAPI
import CausewayDaemon

struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete messages, wherever they are; each deletion is recorded.",
        discussion: """
            A queued message never leaves; one on its way is followed by a deletion; one on the server is deleted \
            there, through the outbox.
            """)

    @Argument(help: "The messages' ids.") var ids: [MessageArgument]
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let ids = try ids.ids()
            let report = try await ChangeReport.ofBatches(ids) { ids throws(ControlError) in
                try await route.service.delete(ids, by: .cli)
            }
            try console.report(report) { _ in report.count == 0 ? [] : ["Deleted \(report.operations.text())"] }
            return report.exitStatus(of: ids, "does not exist", console)
        }
    }
}
