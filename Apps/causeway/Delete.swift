import ArgumentParser
import Causeway
import CausewayCommandLine
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
            let change = try await BatchedChange.of(ids) { ids throws(ControlError) in
                try await route.service.delete(ids, by: .cli)
            }
            return try change.print({ "Deleted \($0.text())" }, unchanged: "does not exist", console)
        }
    }
}
