import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon
import Foundation

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Edit one of your messages, delivered or not.",
        discussion: """
            A message that was not sent yet is sent with the new text; otherwise the edit is sent after it. Every \
            view shows the new text at once.

            The text is taken from the arguments, joined by spaces, or from standard input when the only one is -. \
            With --custom the input is a JSON object.
            """)

    @Argument(help: "The message's id.") var id: MessageArgument
    @Argument(help: ArgumentHelp("The text, or - for standard input.", valueName: "text")) var text: [String]
    @Flag(help: "The input is JSON: a custom message.") var custom = false
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let edited = try await route.service.edit(try id.id(), try await request())
            try console.report(edited) { MessageDetails.lines(edited, for: $0) }
            return .ok
        }
    }

    private func request() async throws(ControlError) -> EditRequest {
        var input = Data(text.joined(separator: " ").utf8)
        if text == ["-"] {
            input = try await StandardInput.all(bytesMax: MessageComposer.inputBytesMax)
            // The line end that `echo` adds is not part of the text.
            if input.last == UInt8(ascii: "\n") { input.removeLast() }
        }
        if custom {
            return EditRequest(custom: try ControlJSON.decode(JSONValue.self, from: input, what: "the custom message"))
        }
        guard let text = String(validating: input, as: UTF8.self) else {
            throw ControlError(.badRequest, "the text is not valid UTF-8")
        }
        return EditRequest(text: text)
    }
}
