import ArgumentParser
import Causeway
import CausewayControl

struct React: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add a reaction to a message, or take it back.",
        discussion: "A reaction to a message that is not on the server yet follows it there.")

    @Argument(help: "The message's id.") var id: MessageArgument
    @Argument(help: "The reaction, for example an emoji.") var name: String
    @Flag(help: "Take it back.") var remove = false
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let message = try await route.service.react(try id.id(), ReactionRequest(name: name, isAdded: !remove))
            try console.answer(message) { MessageDetails.lines(message, for: $0) }
            return .ok
        }
    }
}
