import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon
import Foundation

struct ChannelCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a channel; you become its owner.")

    @Argument(help: "The channel.") var channel: ChannelArgument
    @Option(help: "The name for display; the channel's id if not given.") var name: String?
    @Option(help: "A JSON object of your own.") var metadata: String?
    @Flag(name: .customLong("private"), help: "Only members find it, and only an owner or moderator adds them.")
    var isPrivate = false
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel.id()
            let settings = ChannelSettings(
                name: name, metadata: try Self.metadata(metadata), isPublic: isPrivate ? false : nil)
            let response = try await route.service.write(ChannelAction.create(channel, settings).write)
            try console.report(response) { _ in ["Created \(channel)"] }
            return .ok
        }
    }

    static func metadata(_ text: String?) throws(ControlError) -> JSONValue? {
        guard let text else { return nil }
        return try ControlJSON.decode(JSONValue.self, from: Data(text.utf8), what: "the metadata")
    }
}

struct ChannelUpdate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change the settings of a channel. For its owners and moderators.")

    @Argument(help: "The channel.") var channel: ChannelArgument
    @Option(help: "The name for display.") var name: String?
    @Option(help: "A JSON object of your own; replaces the former one.") var metadata: String?
    @Flag(help: "Whether every account can find and join it.") var visibility: Visibility?
    @OptionGroup var options: CommandOptions

    enum Visibility: String, EnumerableFlag {
        case `public`, `private`
    }

    func validate() throws {
        if name == nil, metadata == nil, visibility == nil {
            throw ValidationError("Give --name, --metadata, --public or --private.")
        }
    }

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel.id()
            let settings = ChannelSettings(
                name: name, metadata: try ChannelCreate.metadata(metadata), isPublic: visibility.map { $0 == .public })
            let response = try await route.service.write(ChannelAction.update(channel, settings).write)
            try console.report(response) { _ in ["Updated \(channel)"] }
            return .ok
        }
    }
}
