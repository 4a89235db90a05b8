import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct React: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add a reaction to a message, or remove it.",
        discussion: "A reaction to an undelivered message is sent after the message.")

    @Argument(help: "The message's id.") var id: MessageArgument
    @Argument(help: "The reaction, for example an emoji.") var name: String
    @Flag(help: "Remove the reaction.") var remove = false
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let message = try await route.service.react(try id.id(), ReactionRequest(name: name, isAdded: !remove))
            try console.report(message) { MessageDetails.lines(message, for: $0) }
            return .ok
        }
    }
}
